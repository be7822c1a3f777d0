import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { EventStreamParser } from "../src/index.js";

const vectors = JSON.parse(
  readFileSync(new URL("../../../tests/vectors/event_stream.json", import.meta.url), "utf8"),
);

function bytesOf({ text, hex }) {
  return Buffer.from(text ?? hex, text === undefined ? "hex" : "utf8");
}

/** The frames of `bytes` cut into pieces of `size`, and what the parser remembers. */
function parsed(bytes, size) {
  const parser = new EventStreamParser();
  const frames = [];
  for (let start = 0; start < bytes.length; start += size) {
    frames.push(...parser.push(bytes.subarray(start, start + size)));
  }
  return { frames, last_id: parser.lastId, retry: parser.retry ?? null };
}

for (const [part, entries] of Object.entries(vectors)) {
  describe(part, () => {
    for (const { name, frames, last_id, retry, ...source } of entries) {
      it(name, () => {
        const bytes = bytesOf(source);
        for (const size of [1, 2, 3, 7, Math.max(1, bytes.length)]) {
          assert.deepEqual(parsed(bytes, size), { frames, last_id, retry }, `pieces of ${size}`);
        }
      });
    }
  });
}

it("cut at every byte, the frames are the same", () => {
  const bytes = Buffer.concat(vectors.emitted.map(bytesOf));
  const whole = parsed(bytes, bytes.length);
  assert.equal(whole.frames.length, vectors.emitted.flatMap((vector) => vector.frames).length);
  for (let cut = 0; cut <= bytes.length; ++cut) {
    const parser = new EventStreamParser();
    const frames = [...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))];
    assert.deepEqual(frames, whole.frames, `cut at ${cut}`);
  }
});

it("a frame without an end is bounded", () => {
  const parser = new EventStreamParser();
  const piece = Buffer.alloc(1024 * 1024, "x");
  assert.throws(() => {
    for (let i = 0; i < 100; ++i) parser.push(piece);
  }, /has more than/);
});
