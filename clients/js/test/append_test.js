import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { AnnalsClient, ConnectionError, ProblemError, newEventId } from "../src/index.js";
import { AnnalsServer, events, numbers } from "./annals_server.js";
import { TcpGate } from "./tcp_gate.js";

describe("append and read", () => {
  let server;
  let client;
  before(async () => {
    server = await AnnalsServer.start();
    client = new AnnalsClient({ url: server.url });
  });
  after(() => server.remove());

  it("one event and several", async () => {
    const one = await client.append({ type: "order.paid", stream: "order/1", payload: { a: 1 } });
    assert.equal(one.seq, 1);
    assert.equal(one.stream_seq, 1);
    const several = await client.append(events(3));
    assert.deepEqual(several.events.map((event) => event.seq), [2, 3, 4]);
    assert.equal(several.head, 4);
  });

  it("a refusal says what is wrong, at once", async () => {
    await assert.rejects(client.append({ type: "order.paid", strem: "x" }), (error) => {
      assert.ok(error instanceof ProblemError);
      assert.equal(error.status, 400);
      assert.equal(error.code, "invalid_event");
      assert.equal(error.problem.violations[0].pointer, "/strem");
      return true;
    });
  });

  it("an expected version that does not hold is a conflict", async () => {
    const event = { type: "order.paid", stream: "order/1", expected_version: "none" };
    await assert.rejects(client.append(event), { code: "version_conflict", status: 409 });
  });

  it("a lost answer is asked for again, and the event is stored once", async () => {
    let lost = 0;
    const gate = await TcpGate.open(server.port, {
      toClient: (data) => (++lost <= 2 ? null : data),
    });
    const through = new AnnalsClient({ url: gate.url });
    const { head } = await client.log();
    const answer = await through.append({ type: "order.paid" });
    assert.equal(lost, 3);
    assert.equal(answer.duplicate, true);
    assert.equal(answer.seq, head + 1);
    assert.equal((await client.log()).head, head + 1);
    await gate.close();
  });

  it("the same for several in one request", async () => {
    let lost = 0;
    const gate = await TcpGate.open(server.port, {
      toClient: (data) => (++lost <= 1 ? null : data),
    });
    const { head } = await client.log();
    const answer = await new AnnalsClient({ url: gate.url }).append(events(5));
    assert.deepEqual(answer.events.map((event) => event.seq), numbers(head + 1, head + 5));
    assert.equal((await client.log()).head, head + 5);
    await gate.close();
  });

  it("without patience a lost answer is an error", async () => {
    const gate = await TcpGate.open(server.port, { toClient: () => null });
    const through = new AnnalsClient({ url: gate.url });
    await assert.rejects(through.append({ type: "order.paid" }, { patienceMs: 0 }), ConnectionError);
    await gate.close();
  });

  it("an append can be called off while it waits", async () => {
    const through = new AnnalsClient({ url: "http://127.0.0.1:1" });
    const signal = AbortSignal.timeout(50);
    await assert.rejects(through.append({ type: "order.paid" }, { signal }), (error) =>
      ["AbortError", "TimeoutError"].includes(error.name),
    );
  });

  it("pages end at the head", async () => {
    const { head } = await client.log();
    const seqs = [];
    for await (const page of client.pages({ limit: 3 })) {
      seqs.push(...page.events.map((event) => event.seq));
    }
    assert.deepEqual(seqs, numbers(1, head));
  });

  it("a position of another log is refused", async () => {
    const page = client.read({ after: 1, log_id: newEventId() });
    await assert.rejects(page, { code: "resync_required", status: 410 });
  });

  it("numbers beyond 2^53 pass with a parser of one's own", async () => {
    const { seq } = await client.append({ type: "test.big", payload: { n: 1 } });
    const page = await client.read({
      after: seq - 1,
      parse: (text) => JSON.parse(text, (key, value) => (key === "n" ? `kept ${value}` : value)),
    });
    assert.equal(page.events[0].payload.n, "kept 1");
  });
});

it("ids are UUIDs of version 7, each another, in order of time", () => {
  const ids = Array.from({ length: 1000 }, newEventId);
  assert.equal(new Set(ids).size, 1000);
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(Math.abs(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) - Date.now()) < 10_000);
  }
});
