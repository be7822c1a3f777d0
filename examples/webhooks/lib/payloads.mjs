// The payloads of the example as events.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const maxLabelBytes = 256;

/// Every example payload, in the order of the package: [{ name, payload }].
export function readPayloads(file) {
  const entries = JSON.parse(readFileSync(file, 'utf8'));
  return entries.flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));
}

/// The same for the same run and number, so that a load that was killed can be repeated: the log
/// recognises what it has by the id. A UUID of version 8, made of a SHA-256.
export function eventId(run, number) {
  const bytes = createHash('sha256').update(`${run}\n${number}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-');
}

/// The event type of a payload: its name and, where it has one, its action.
export function eventType(name, payload) {
  const words = ['webhook', name];
  if (typeof payload.action === 'string') words.push(payload.action);
  return words.join('.').replaceAll('-', '_');
}

/// What can be filtered by, without what is longer than a label may be.
function labelsOf(payload) {
  const wanted = { repository: payload.repository?.full_name, sender: payload.sender?.login };
  const texts = Object.entries(wanted).filter(([, value]) => typeof value === 'string');
  const labels = texts.filter(([, value]) => Buffer.byteLength(value) <= maxLabelBytes);
  return { labels: Object.fromEntries(labels), leftOut: texts.length - labels.length };
}

/// How many labels no event of these payloads has because they are too long.
export function countLabelsLeftOut(payloads) {
  return payloads.reduce((sum, { payload }) => sum + labelsOf(payload).leftOut, 0);
}

/// Event `number` of a run. Event 0 is the first payload, and after the last the first comes again.
export function makeEvent(payloads, run, number) {
  const { name, payload } = payloads[number % payloads.length];
  const event = { id: eventId(run, number), type: eventType(name, payload), source: 'webhooks' };
  if (payload.repository?.full_name) event.stream = payload.repository.full_name;
  const { labels } = labelsOf(payload);
  if (Object.keys(labels).length > 0) event.labels = labels;
  event.payload = payload;
  return event;
}
