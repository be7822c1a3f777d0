import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { AnnalsClient, RevokedError, TabFollowing } from "../src/index.js";
import { AnnalsServer, events, numbers } from "./annals_server.js";
import { TcpGate } from "./tcp_gate.js";

/** Exclusive locks as browsers give them to their tabs, for the tabs of this process. */
class Locks {
  #tails = new Map();

  async request(name, { signal }, work) {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const turn = before.then(() => (signal.aborted ? undefined : work()));
    this.#tails.set(name, turn.catch(() => {}));
    return turn;
  }
}

/** One tab: what it has been handed. */
class Tab {
  seqs = [];
  #waiting = [];

  constructor(client, options) {
    this.following = new TabFollowing(client, options, (event) => {
      this.seqs.push(event.seq);
      for (const check of this.#waiting) check();
    });
    this.following.done.catch(() => {});
  }

  /** Resolves when it has a place in the log: what is appended from now on reaches it. */
  async starts() {
    while (this.following.position < 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Resolves when `seq` has been handed out. */
  reaches(seq) {
    return new Promise((resolve) => {
      const check = () => this.seqs.includes(seq) && resolve();
      this.#waiting.push(check);
      check();
    });
  }
}

describe("tabs", { concurrency: false, timeout: 60_000 }, () => {
  let server;
  let gate;
  let client;
  let direct;
  let channels = 0;
  before(async () => {
    server = await AnnalsServer.start();
    gate = await TcpGate.open(server.port);
    client = new AnnalsClient({ url: gate.url });
    direct = new AnnalsClient({ url: server.url });
    await direct.append(events(10));
  });
  after(async () => {
    await gate.close();
    await server.remove();
  });

  function options(more = {}) {
    return { channel: `test ${++channels}`, locks: new Locks(), from: "oldest", ...more };
  }

  it("one of them leads; each has every event once", async () => {
    const shared = options();
    const tabs = Array.from({ length: 3 }, () => new Tab(client, shared));
    await Promise.all(tabs.map((tab) => tab.reaches(10)));
    await direct.append(events(5));
    await Promise.all(tabs.map((tab) => tab.reaches(15)));
    for (const tab of tabs) assert.deepEqual(tab.seqs, numbers(1, 15));
    assert.deepEqual(tabs.map((tab) => tab.following.leading).sort(), [false, false, true]);
    for (const tab of tabs) tab.following.close();
    await Promise.all(tabs.map((tab) => tab.following.done));
  });

  it("the leader goes, again and again: nothing is lost or doubled", async () => {
    const shared = options({ retryMaxMs: 50 });
    const { head } = await direct.log();
    const tabs = Array.from({ length: 5 }, () => new Tab(client, shared));
    await Promise.all(tabs.map((tab) => tab.reaches(head)));
    const left = [...tabs];
    let last = head;
    while (left.length > 1) {
      const burst = direct.append(events(20));
      const leader = left.findIndex((tab) => tab.following.leading);
      left.splice(Math.max(leader, 0), 1)[0].following.close();
      await burst;
      last += 20;
      await Promise.all(left.map((tab) => tab.reaches(last)));
    }
    assert.deepEqual(left[0].seqs, numbers(1, last));
    left[0].following.close();
  });

  it("a tab that comes later starts where it wants to", async () => {
    const shared = options();
    const { head } = await direct.log();
    const first = new Tab(client, shared);
    await first.reaches(head);
    const late = new Tab(client, { ...shared, from: "latest" });
    const middle = new Tab(client, { ...shared, after: head - 3 });
    await middle.reaches(head);
    await late.starts();
    await direct.append(events(2));
    await Promise.all([first, late, middle].map((tab) => tab.reaches(head + 2)));
    assert.deepEqual(late.seqs, numbers(head + 1, head + 2));
    assert.deepEqual(middle.seqs, numbers(head - 2, head + 2));
    for (const tab of [first, late, middle]) tab.following.close();
  });

  it("a tab that missed messages reads them from the log", async () => {
    const shared = options();
    const { head } = await direct.log();
    // This test leads: it says what it likes, as a leader whose earlier news got lost.
    const leading = new AbortController();
    let lead = () => {};
    shared.locks.request(`annals:${shared.channel}`, leading, () => new Promise((end) => (lead = end)));
    const channel = new BroadcastChannel(`annals:${shared.channel}`);
    const tab = new Tab(client, shared);
    await tab.reaches(head);
    await direct.append(events(6));
    const page = await direct.read({ after: head });
    const tell = (seq) =>
      channel.postMessage({ kind: "event", prev: seq - 1, seq, event: page.events[seq - head - 1] });
    tell(head + 3);
    tell(head + 2);
    tell(head + 3);
    tell(head + 4);
    await tab.reaches(head + 4);
    channel.postMessage({ kind: "at", seq: head + 6 });
    await tab.reaches(head + 6);
    assert.deepEqual(tab.seqs, numbers(1, head + 6));
    channel.close();
    tab.following.close();
    lead();
  });

  it("a tab is patient while nobody answers", async () => {
    const shared = options({ retryMaxMs: 50 });
    const { head } = await direct.log();
    await server.end("SIGKILL");
    const tab = new Tab(direct, shared);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.start();
    await tab.reaches(head);
    assert.deepEqual(tab.seqs, numbers(1, head));
    tab.following.close();
  });

  it("an end that concerns everybody is told to everybody", async () => {
    const key = await server.createKey("tabs", "--append", "test.*", "--read", "all");
    const shared = options({ from: "latest" });
    const keyed = new AnnalsClient({ url: server.url, key: key.secret });
    const tabs = [new Tab(keyed, shared), new Tab(keyed, shared)];
    await Promise.all(tabs.map((tab) => tab.starts()));
    const { head } = await keyed.log();
    await keyed.append(events(1));
    await Promise.all(tabs.map((tab) => tab.reaches(head + 1)));
    const ended = tabs.map((tab) => assert.rejects(tab.following.done, RevokedError));
    await server.command("key", "revoke", key.key_id);
    await Promise.all(ended);
  });
});
