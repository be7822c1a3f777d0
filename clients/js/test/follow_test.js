import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import {
  AnnalsClient,
  ProblemError,
  ResyncError,
  RevokedError,
  SequenceError,
  memoryPosition,
  newEventId,
  storedPosition,
} from "../src/index.js";
import { AnnalsServer, events, numbers, seqsUpTo } from "./annals_server.js";
import { TcpGate } from "./tcp_gate.js";

/** What a follower has seen up to its `caught_up`. */
function caughtUp(client, options = {}) {
  return new Promise((resolve, reject) => {
    const seqs = [];
    const following = client.follow({
      ...options,
      onCaughtUp: (head) => {
        resolve({ seqs, head, following });
      },
    });
    following.each((event) => void seqs.push(event.seq)).catch(reject);
  });
}

describe("follow", { concurrency: false, timeout: 60_000 }, () => {
  let server;
  let client;
  before(async () => {
    server = await AnnalsServer.start({ "subscriber.keepalive": "200ms" });
    client = new AnnalsClient({ url: server.url });
    await client.append(events(20));
  });
  after(() => server.remove());

  it("from the oldest, then live", async () => {
    const { seqs, head, following } = await caughtUp(client, { from: "oldest" });
    assert.deepEqual(seqs, numbers(1, head));
    const live = seqsUpTo(client.follow({ after: head }), head + 3);
    await client.append(events(3));
    assert.deepEqual(await live, numbers(head + 1, head + 3));
    following.close();
  });

  it("from now on: nothing appended after the call is missed", async () => {
    const { head } = await client.log();
    const states = [];
    const following = client.follow({ onState: (state) => states.push(state) });
    const first = following[Symbol.asyncIterator]().next();
    while (following.position < 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await client.append(events(1));
    assert.equal((await first).value.seq, head + 1);
    following.close();
    assert.deepEqual(states.slice(0, 2), ["connecting", "open"]);
  });

  it("from a time of recording", async () => {
    const page = await client.read({ after: 9, limit: 1 });
    const from = page.events[0].recorded_at;
    const { seqs, head, following } = await caughtUp(client, { from });
    assert.ok(seqs[0] <= 10);
    assert.deepEqual(seqs, numbers(seqs[0], head));
    following.close();
    const later = await caughtUp(client, { from: new Date(Date.now() + 3_600_000) });
    assert.deepEqual(later.seqs, []);
    later.following.close();
  });

  it("a position is saved when the next event is asked for", async () => {
    const position = memoryPosition();
    const following = client.follow({ from: "oldest", position });
    for await (const event of following) {
      assert.equal(position.load()?.after ?? 0, event.seq - 1);
      if (event.seq === 5) break;
    }
    const { log_id, incarnation } = await client.log();
    assert.deepEqual(position.load(), { after: 4, log_id, incarnation });
    const again = await seqsUpTo(client.follow({ from: "oldest", position }), 7);
    assert.deepEqual(again, [5, 6, 7]);
  });

  it("a handler that fails ends the reader, and its event comes again", async () => {
    const position = memoryPosition();
    const failing = client.follow({ from: "oldest", position }).each((event) => {
      if (event.seq === 3) throw new Error("not now");
    });
    await assert.rejects(failing, /not now/);
    assert.equal(position.load().after, 2);
  });

  it("positions in web storage survive a reload, and nonsense in there counts as none", () => {
    const kept = new Map();
    const storage = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
    const position = { after: 7, log_id: newEventId(), incarnation: 1 };
    storedPosition("p", storage).save(position);
    assert.deepEqual(storedPosition("p", storage).load(), position);
    for (const nonsense of ["", "{", "null", "7", '{"after":"x"}']) {
      kept.set("p", nonsense);
      assert.equal(storedPosition("p", storage).load(), null);
    }
  });

  it("connections cut at random bytes: every event once, in order", async () => {
    let bytes = 0;
    let cuts = 0;
    const gate = await TcpGate.open(server.port, {
      toClient: (data, cut) => {
        bytes += data.length;
        if (bytes < 4000 || cuts >= 5) return data;
        bytes = 0;
        ++cuts;
        cut();
        return data.subarray(0, Math.floor(Math.random() * data.length));
      },
    });
    const through = new AnnalsClient({ url: gate.url });
    const { head } = await client.log();
    const seqs = seqsUpTo(through.follow({ after: head, retryMaxMs: 20 }), head + 300);
    for (let i = 0; i < 30; ++i) await client.append(events(10));
    assert.deepEqual(await seqs, numbers(head + 1, head + 300));
    assert.ok(cuts > 0);
    await gate.close();
  });

  it("a hole is an error", async () => {
    const { head } = await client.log();
    await client.append(events(6));
    const gate = await TcpGate.open(server.port, {
      toClient: (data) => {
        const text = data.toString("latin1");
        const frame = new RegExp(`id: ${head + 3}\ndata: [^\n]*\n\n`);
        return Buffer.from(text.replace(frame, ""), "latin1");
      },
    });
    const seen = [];
    const following = new AnnalsClient({ url: gate.url }).follow({ after: head });
    await assert.rejects(
      following.each((event) => void seen.push(event.seq)),
      (error) => {
        assert.ok(error instanceof SequenceError);
        assert.deepEqual([error.expected, error.received], [head + 3, head + 4]);
        return true;
      },
    );
    assert.deepEqual(seen, [head + 1, head + 2]);
    await gate.close();
  });

  it("an event missing at the very end is an error, too", async () => {
    const { head } = await client.log();
    const gate = await TcpGate.open(server.port, {
      toClient: (data) => {
        const frame = new RegExp(`id: ${head}\ndata: [^\n]*\n\n`);
        return Buffer.from(data.toString("latin1").replace(frame, ""), "latin1");
      },
    });
    const following = new AnnalsClient({ url: gate.url }).follow({ after: head - 2 });
    await assert.rejects(following.each(() => {}), SequenceError);
    await gate.close();
  });

  it("an event that comes twice is an error", async () => {
    const { head } = await client.log();
    const gate = await TcpGate.open(server.port, {
      toClient: (data) => {
        const frame = new RegExp(`id: ${head}\ndata: [^\n]*\n\n`);
        return Buffer.from(data.toString("latin1").replace(frame, "$&$&"), "latin1");
      },
    });
    const following = new AnnalsClient({ url: gate.url }).follow({ after: head - 2 });
    await assert.rejects(following.each(() => {}), SequenceError);
    await gate.close();
  });

  it("a connection that falls silent is replaced", async () => {
    const gate = await TcpGate.open(server.port);
    const { head } = await client.log();
    const failures = [];
    const following = new AnnalsClient({ url: gate.url }).follow({
      after: head,
      silenceMs: 600,
      retryMaxMs: 20,
      onCaughtUp: () => {
        if (failures.length === 0) gate.stall();
      },
      onState: (state, error) => {
        if (state !== "waiting" || failures.push(error) > 1) return;
        gate.stall(false);
        client.append(events(1));
      },
    });
    assert.deepEqual(await seqsUpTo(following, head + 1), [head + 1]);
    assert.match(String(failures[0]), /nothing came for 600 ms/);
    await gate.close();
  });

  it("a silent log is no dead connection", async () => {
    let failures = 0;
    const following = client.follow({
      silenceMs: 700,
      onState: (state) => (failures += state === "waiting" ? 1 : 0),
    });
    const ended = following.each(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1500));
    following.close();
    await ended;
    assert.equal(failures, 0);
  });

  it("a position ahead of the log: an error, or a handler and then live", async () => {
    const { log_id, incarnation, head } = await client.log();
    const position = memoryPosition();
    position.save({ after: head + 100, log_id, incarnation });
    await assert.rejects(client.follow({ position }).each(() => {}), (error) => {
      assert.ok(error instanceof ResyncError);
      assert.equal(error.resync.reason, "ahead");
      return true;
    });
    const reasons = [];
    const next = seqsUpTo(
      client.follow({
        position,
        onResync: (resync) => void reasons.push(resync.reason),
        onCaughtUp: () => client.append(events(1)),
      }),
      head + 1,
    );
    assert.deepEqual(await next, [head + 1]);
    assert.deepEqual(reasons, ["ahead"]);
  });

  it("a position of another log is never continued", async () => {
    const position = memoryPosition();
    const { log_id, incarnation } = await client.log();
    position.save({ after: 2, log_id: newEventId(), incarnation: 1 });
    await assert.rejects(client.follow({ position }).each(() => {}), { name: "ResyncError" });
    const following = client.follow({
      position,
      onResync: () => {},
      onCaughtUp: () => following.close(),
    });
    await following.each(() => {});
    assert.equal(position.load().log_id, log_id);
    assert.equal(position.load().incarnation, incarnation);
  });

  it("a signal ends the reader without an error", async () => {
    const abort = new AbortController();
    const ended = client.follow({ signal: abort.signal, onCaughtUp: () => abort.abort() });
    await ended.each(() => {});
    const never = client.follow({ signal: abort.signal });
    await never.each(() => assert.fail());
  });

  it("what cannot succeed later ends the reader", async () => {
    const following = client.follow({ filter: { no_such_parameter: "1" } });
    await assert.rejects(following.each(() => {}), (error) => {
      assert.ok(error instanceof ProblemError);
      assert.equal(error.status, 400);
      return true;
    });
    const elsewhere = new AnnalsClient({ url: `${server.url}/elsewhere` }).follow();
    await assert.rejects(elsewhere.each(() => {}), { status: 404 });
  });
});

describe("follow, the server ends", { concurrency: false, timeout: 60_000 }, () => {
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    it(`and comes back after ${signal}: complete, without repeat`, async () => {
      const server = await AnnalsServer.start();
      const client = new AnnalsClient({ url: server.url });
      await client.append(events(50));
      const following = client.follow({ from: "oldest", retryMaxMs: 100 });
      const seqs = seqsUpTo(following, 150);
      await client.append(events(50));
      await server.end(signal);
      // Asked for while nobody is there: it is patient.
      const appended = client.append(events(50));
      await server.start();
      await appended;
      assert.deepEqual(await seqs, numbers(1, 150));
      await server.remove();
    });
  }
});

describe("follow with a key", { concurrency: false, timeout: 60_000 }, () => {
  let server;
  before(async () => {
    server = await AnnalsServer.start();
  });
  after(() => server.remove());

  it("revoked: the reader ends, and a new one is refused", async () => {
    const key = await server.createKey("reader", "--append", "test.*", "--read", "all");
    const client = new AnnalsClient({ url: server.url, key: key.secret });
    const { following } = await caughtUp(client);
    following.close();
    let open = () => {};
    const opened = new Promise((resolve) => (open = resolve));
    const ended = client.follow({ onCaughtUp: open }).each(() => {});
    const refused = assert.rejects(ended, RevokedError);
    await opened;
    await server.command("key", "revoke", key.key_id);
    await refused;
    await assert.rejects(client.follow().each(() => {}), { status: 401 });
  });

  it("a key that is changed: the reader goes on with what it may read then", async () => {
    const key = await server.createKey("changed", "--append", "test.*", "--read", "own");
    const other = await server.createKey("another", "--append", "test.*", "--read", "own");
    const client = new AnnalsClient({ url: server.url, key: key.secret });
    const others = new AnnalsClient({ url: server.url, key: other.secret });
    const { head } = await client.log();
    const failures = [];
    let connections = 0;
    const following = client.follow({
      after: head,
      retryMaxMs: 20,
      onState: (state, error) => void (state === "waiting" && failures.push(String(error))),
      onCaughtUp: async () => {
        if (++connections === 1) await server.command("key", "change", "changed", "--read", "all");
        else if (connections === 2) await others.append(events(1));
      },
    });
    // The change is an event itself, which the key may read by then.
    assert.deepEqual(await seqsUpTo(following, head + 2), [head + 1, head + 2]);
    assert.match(failures[0], /the key was changed/);
  });

  it("a reader of its own events has no gap check, and misses none of them", async () => {
    const own = await server.createKey("own", "--append", "test.*", "--read", "own");
    const other = await server.createKey("other", "--append", "test.*", "--read", "own");
    const client = new AnnalsClient({ url: server.url, key: own.secret });
    const others = new AnnalsClient({ url: server.url, key: other.secret });
    const { head } = await client.log();
    const mine = [];
    for (let i = 0; i < 5; ++i) {
      await others.append(events(2));
      mine.push((await client.append(events(1))).events[0].seq);
    }
    assert.deepEqual(await seqsUpTo(client.follow({ after: head }), mine.at(-1)), mine);
  });

  it("a key that ends soon: told ahead, and another one goes on", async () => {
    const ahead = await AnnalsServer.start({ "subscriber.expiring_before": "1h" });
    const words = ["--append", "test.*", "--read", "all"];
    const brief = await ahead.createKey("brief", ...words, "--expires", "30m");
    const next = await ahead.createKey("next", ...words);
    let secret = brief.secret;
    const told = [];
    const client = new AnnalsClient({ url: ahead.url, headers: () => ({ "X-API-Key": secret }) });
    const { head } = await client.log();
    const following = client.follow({
      after: head,
      retryMaxMs: 20,
      onExpiring: ({ expires_at }) => {
        told.push(expires_at);
        secret = next.secret;
        following.reconnect();
        client.append(events(2));
      },
    });
    assert.deepEqual(await seqsUpTo(following, head + 2), [head + 1, head + 2]);
    assert.equal(told.length, 1);
    assert.ok(Date.parse(told[0]) > Date.now());
    await ahead.remove();
  });

  it("a key that has ended ends the reader", async () => {
    const key = await server.createKey("ending", "--read", "all", "--expires", "4s");
    const client = new AnnalsClient({ url: server.url, key: key.secret });
    await assert.rejects(client.follow().each(() => {}), RevokedError);
    await assert.rejects(client.follow().each(() => {}), { status: 401 });
  });

  it("tickets: a page without a key reads, appends and follows over lost connections", async () => {
    const key = await server.createKey("backend", "--append", "test.*", "--read", "all");
    const backend = new AnnalsClient({ url: server.url, key: key.secret });
    const gate = await TcpGate.open(server.port);
    let tickets = 0;
    const page = new AnnalsClient({
      url: gate.url,
      ticket: async () => (++tickets, (await backend.createTicket()).ticket),
    });
    const { head } = await page.append(events(3));
    assert.equal((await page.read({ after: head - 3 })).events.length, 3);
    let connections = 0;
    const following = page.follow({
      after: head,
      retryMaxMs: 20,
      onCaughtUp: () => {
        if (++connections < 3) following.reconnect();
        else backend.append(events(2));
      },
    });
    assert.deepEqual(await seqsUpTo(following, head + 2), [head + 1, head + 2]);
    assert.ok(tickets >= 6, `${tickets} tickets`);
    await gate.close();
  });

  it("a ticket that was used is refused, which ends the reader", async () => {
    const key = await server.createKey("once", "--read", "all");
    const { ticket } = await new AnnalsClient({ url: server.url, key: key.secret }).createTicket();
    const page = new AnnalsClient({ url: server.url, ticket: () => ticket });
    assert.ok((await page.log()).head > 0);
    await assert.rejects(page.log(), { status: 401 });
    await assert.rejects(page.follow().each(() => {}), { status: 401 });
  });

  it("credentials are asked for before every request", async () => {
    const key = await server.createKey("rotating", "--append", "test.*", "--read", "all");
    let asked = 0;
    const client = new AnnalsClient({
      url: server.url,
      headers: async () => ({ Authorization: `Bearer ${(++asked, key.secret)}` }),
    });
    await client.log();
    const { following } = await caughtUp(client);
    following.close();
    assert.equal(asked, 3);
  });
});
