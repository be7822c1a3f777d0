// Appends batches over HTTP and repeats until each is answered. A repeat is harmless: every event has
// its id, and what the log has already is answered with its first place.

import { setTimeout as pause } from 'node:timers/promises';

const patienceSeconds = 60;

/// An answer that repeating does not change.
export class Refused extends Error {
  constructor(problem) {
    super(`${problem.code ?? problem.status}: ${problem.detail ?? 'no detail'}`);
    this.problem = problem;
  }
}

function encode(format, events) {
  if (format === 'array') return ['application/json', JSON.stringify(events)];
  return ['application/x-ndjson', events.map((event) => `${JSON.stringify(event)}\n`).join('')];
}

/// The results in the order of the events: a place ({ seq, duplicate, ... }) or a problem ({ code, ... }).
async function readResults(response, format, count) {
  const text = await response.text();
  if (format === 'array') return JSON.parse(text).events;
  const results = new Array(count).fill(null);
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const result = JSON.parse(line);
    results[result.line - 1] = result;
  }
  // A server that was stopped has answered the lines that it had committed.
  if (results.includes(null)) throw new Error('the answer ends early');
  return results;
}

const isBusy = (result) => result.status === 503 || result.status === 429;

/// Sends one batch once. Throws Refused, or any other error for what may be repeated.
async function send(url, format, events) {
  const [type, body] = encode(format, events);
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body });
  if (response.ok) return { results: await readResults(response, format, events.length) };
  const problem = JSON.parse(await response.text());
  if (!isBusy(response)) throw new Refused(problem);
  return { busy: Number(response.headers.get('Retry-After') ?? 1) };
}

/// Appends a batch and returns one result for each event. A full queue is waited for as long as the server
/// says, a server that cannot be reached for a minute. `onWait(reason)` hears of each wait.
export async function appendBatch(server, format, events, onWait) {
  const url = new URL('/v1/events', server);
  const results = new Array(events.length);
  let open = events.map((_, index) => index);
  let deadline = Date.now() + patienceSeconds * 1000;
  while (open.length > 0) {
    let wait = 1;
    let reason = 'busy';
    try {
      const answer = await send(url, format, open.map((index) => events[index]));
      if (answer.busy === undefined) {
        answer.results.forEach((result, i) => { results[open[i]] = result; });
        open = open.filter((index) => isBusy(results[index]));
        deadline = Date.now() + patienceSeconds * 1000;
        if (open.length === 0) break;
      } else {
        wait = answer.busy;
      }
    } catch (error) {
      if (error instanceof Refused || Date.now() > deadline) throw error;
      reason = error.cause?.code ?? error.message;
    }
    onWait(reason);
    await pause(wait * 1000);
  }
  return results;
}
