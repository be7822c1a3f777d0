// Appends the example's payloads to a log over HTTP, repeated to any number.
//
//   node load.mjs --data payloads.json [--server http://127.0.0.1:7420] [--count 329] [--run first]
//                 [--batch 100] [--in-flight 4] [--format ndjson|array] [--state load.json]
//
// The ids follow from the run's name: the same run again appends nothing twice, and with --state goes on
// where it was stopped. Exit code 1 when an event was refused.

import { parseArgs } from 'node:util';

import { appendBatch, Refused } from './lib/append.mjs';
import { countLabelsLeftOut, makeEvent, readPayloads } from './lib/payloads.mjs';
import { readState, writeState } from './lib/state.mjs';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    server: { type: 'string', default: 'http://127.0.0.1:7420' },
    count: { type: 'string' },
    run: { type: 'string', default: 'first' },
    batch: { type: 'string', default: '100' },
    'in-flight': { type: 'string', default: '4' },
    format: { type: 'string', default: 'ndjson' },
    state: { type: 'string' },
  },
});
if (!options.data || !['ndjson', 'array'].includes(options.format)) {
  console.error('load: needs --data FILE (see fetch.sh), and --format ndjson or array');
  process.exit(2);
}

const payloads = readPayloads(options.data);
const count = Number(options.count ?? payloads.length);
const batchSize = Number(options.batch);
const started = Date.now();
const state = readState(options.state ?? '', { run: options.run, done: 0 });
if (state.run !== options.run) {
  console.error(`load: ${options.state} belongs to run "${state.run}"`);
  process.exit(2);
}

const totals = { appended: 0, duplicates: 0, refused: 0, waits: 0 };
const refusals = new Map();
const unfinished = new Set();
let next = state.done;

function noteRefusal(event, problem) {
  totals.refused += 1;
  const rules = (problem.violations ?? []).map(({ pointer, rule }) => `${pointer} ${rule}`);
  const what = [event.type, problem.code ?? problem.status, ...rules].join('  ');
  refusals.set(what, (refusals.get(what) ?? 0) + 1);
}

function note(events, results) {
  results.forEach((result, i) => {
    if (result.code !== undefined) noteRefusal(events[i], result);
    else if (result.duplicate) totals.duplicates += 1;
    else totals.appended += 1;
  });
}

function progress(end) {
  const done = totals.appended + totals.duplicates + totals.refused;
  const seconds = (Date.now() - started) / 1000;
  const rate = Math.round(done / Math.max(seconds, 0.001));
  process.stderr.write(`${end ? '' : '\r'}load: ${state.done} of ${count}, ${rate}/s${end ? '\n' : ' '}`);
}

/// Everything below the first number that is not finished yet has been answered.
function advance() {
  state.done = Math.min(next, ...unfinished);
  if (options.state) writeState(options.state, state);
  if (process.stderr.isTTY) progress(false);
}

async function appendRange(first, end) {
  const events = [];
  for (let i = first; i < end; i += 1) events.push(makeEvent(payloads, options.run, i));
  try {
    note(events, await appendBatch(options.server, options.format, events, () => { totals.waits += 1; }));
  } catch (error) {
    if (!(error instanceof Refused) || options.format !== 'array' || events.length === 1) throw error;
    // One bad event refuses its whole array: each for itself says which.
    for (let i = first; i < end; i += 1) await appendOne(i);
  }
}

async function appendOne(number) {
  const event = makeEvent(payloads, options.run, number);
  try {
    note([event], await appendBatch(options.server, 'array', [event], () => { totals.waits += 1; }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    noteRefusal(event, error.problem);
  }
}

async function worker() {
  while (next < count) {
    const first = next;
    next = Math.min(count, first + batchSize);
    unfinished.add(first);
    await appendRange(first, Math.min(count, first + batchSize));
    unfinished.delete(first);
    advance();
  }
}

try {
  await Promise.all(Array.from({ length: Number(options['in-flight']) }, worker));
} catch (error) {
  console.error(`load: ${error.cause?.message ?? error.message}`);
  process.exit(1);
}
if (process.stderr.isTTY) process.stderr.write('\r');
progress(true);
console.log(
  `appended ${totals.appended}, duplicates ${totals.duplicates}, refused ${totals.refused}, ` +
    `waits ${totals.waits}`,
);
const labelsLeftOut = countLabelsLeftOut(payloads);
if (labelsLeftOut > 0) console.log(`labels too long, left out of ${labelsLeftOut} payloads`);
for (const [what, times] of refusals) console.log(`refused ${times} x  ${what}`);
process.exitCode = totals.refused > 0 ? 1 : 0;
