// Follows a log over server-sent events and checks that nothing is missing, doubled or out of order, and
// that every stream's chain continues. Kill it and start it again: it goes on after its last event.
//
//   node follow.mjs [--server http://127.0.0.1:7420] [--state follow.json] [--until N] [--print]
//
// Exit codes: 0 complete up to --until, 1 the server said that events are lost or took the right to read,
// 2 wrong usage, 3 the log or its order is wrong.

import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';

import { frames } from './lib/sse.mjs';
import { readState, writeState } from './lib/state.mjs';

const { values: options } = parseArgs({
  options: {
    server: { type: 'string', default: 'http://127.0.0.1:7420' },
    state: { type: 'string' },
    until: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
});
const until = options.until === undefined ? Infinity : Number(options.until);
if (Number.isNaN(until)) {
  console.error('follow: --until needs a number');
  process.exit(2);
}

const reportEveryMs = 1000;
const saveEveryMs = 100;
const state = readState(options.state ?? '', { last: 0, streams: {} });
let retryMs = 1000;
let saved = state.last;

function stop(code, message) {
  console.error(`follow: ${message}`);
  process.exit(code);
}

function checkChain({ seq, stream }) {
  if (!stream) return;
  const before = state.streams[stream.name] ?? { seq: 0, hash: undefined };
  if (stream.seq !== before.seq + 1) {
    stop(3, `event ${seq} is ${stream.seq} of ${stream.name}, expected ${before.seq + 1}`);
  }
  if (stream.prev_hash !== before.hash) {
    stop(3, `event ${seq} does not continue the chain of ${stream.name}`);
  }
  state.streams[stream.name] = { seq: stream.seq, hash: stream.hash };
}

function takeEvent(frame) {
  const event = JSON.parse(frame.data);
  if (event.seq !== state.last + 1 || frame.id !== String(event.seq)) {
    stop(3, `got event ${event.seq} (id ${frame.id}), expected ${state.last + 1}`);
  }
  checkChain(event);
  state.last = event.seq;
  if (options.print) console.log(`${event.seq}  ${event.type}  ${event.stream?.name ?? ''}`);
}

function takeControl(frame) {
  if (frame.event === 'resync') stop(1, `events are lost: ${frame.data}`);
  if (frame.event === 'revoked') stop(1, 'the right to read was taken');
  if (frame.event === 'caught_up') console.log(`caught up at ${JSON.parse(frame.data).head}`);
}

/// What the file says has been checked, whenever a kill comes; what came after it is sent again.
function save() {
  if (!options.state || saved === state.last) return;
  writeState(options.state, state);
  saved = state.last;
}

/// Reads until the connection ends, or the goal is reached: then true.
async function followOnce() {
  const response = await fetch(new URL('/v1/events/stream?after=0', options.server), {
    headers: state.last > 0 ? { 'Last-Event-ID': String(state.last) } : {},
  });
  if (!response.ok) stop(1, `${response.status}: ${await response.text()}`);
  for await (const frame of frames(response.body)) {
    if (frame.retry) retryMs = Number(frame.retry);
    if (frame.event) takeControl(frame);
    else if (frame.data !== undefined) takeEvent(frame);
    else continue;
    if (state.last >= until) return true;
  }
  return false;
}

if (state.last > 0) console.log(`resuming after ${state.last}`);
setInterval(save, saveEveryMs);
setInterval(() => console.log(`at ${state.last}`), reportEveryMs);
while (state.last < until) {
  try {
    if (await followOnce()) break;
  } catch (error) {
    console.error(`follow: ${error.cause?.message ?? error.message}, again in ${retryMs} ms`);
  }
  await pause(retryMs);
}
save();
if (state.last > until) stop(3, `there are ${state.last} events, not ${until}`);
console.log(`complete 1..${state.last}`);
process.exit(0);
