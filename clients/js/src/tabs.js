import { AnnalsError, ResyncError, RevokedError } from "./errors.js";
import { repeated } from "./http.js";
import { Backoff, sleep } from "./waiting.js";

/**
 * @typedef {import("./following.js").Event} Event
 * @typedef {import("./following.js").Resync} Resync
 */

/**
 * What one tab tells the others. `prev` is the position before the event: who stands behind it has
 * missed something and reads that first.
 * @typedef {{kind: "event", prev: number, seq: number, event: Event}
 *   | {kind: "at", seq: number}
 *   | {kind: "resync", resync: Resync, after: number}
 *   | {kind: "end", error: string}} News
 */

/**
 * @typedef {Omit<import("./following.js").FollowOptions, "position" | "onExpiring" | "onState">
 *   & {channel: string, locks?: LockManager}} TabFollowOptions
 */

/**
 * The events of a log for every tab of a site over one connection: one tab, elected with Web Locks,
 * follows and tells the others on a BroadcastChannel. When it goes, the next takes over where it
 * stands itself. Each tab hands out every event once, in order, from its own start.
 *
 * Browsers allow six HTTP/1.1 connections to a server in all tabs together; this takes one.
 */
export class TabFollowing {
  #client;
  #options;
  #onEvent;
  #channel;
  #closing = new AbortController();
  #position = -1;
  #leading = false;
  /** Work in order, one piece at a time. @type {Promise<void>} */
  #queue = Promise.resolve();
  /** @type {(error?: unknown) => void} */
  #settle = () => {};

  /** Resolves when closed; rejects with what ended it. @type {Promise<void>} */
  done;

  /**
   * @param {import("./client.js").AnnalsClient} client
   * @param {TabFollowOptions} options `channel` is the name the tabs of one reader share, with the
   *   same server, filter and rights
   * @param {(event: Event) => void | Promise<void>} onEvent
   */
  constructor(client, options, onEvent) {
    this.#client = client;
    this.#options = options;
    this.#onEvent = onEvent;
    this.#channel = new BroadcastChannel(`annals:${options.channel}`);
    this.done = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    options.signal?.addEventListener("abort", () => this.close(), { once: true });
    this.#channel.onmessage = ({ data }) => this.#enqueue(() => this.#hear(data));
    this.#enqueue(() => this.#begin());
    this.#stand();
  }

  /** True while this tab holds the connection. */
  get leading() {
    return this.#leading;
  }

  /** The last seq handed out here. */
  get position() {
    return this.#position;
  }

  /** Ends this tab's part; another one takes over the connection. */
  close() {
    this.#end();
  }

  /** @param {unknown} [error] */
  #end(error) {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#channel.close();
    this.#settle(error);
  }

  /** @param {() => Promise<void>} work */
  #enqueue(work) {
    this.#queue = this.#queue
      .then(() => (this.#closing.signal.aborted ? undefined : work()))
      .catch((error) => this.#end(error));
    return this.#queue;
  }

  /** Where this tab starts, and what there is since then: until then nobody is listened to. */
  async #begin() {
    const { after, from = "latest" } = this.#options;
    const log = await this.#patiently((signal) => this.#client.log({ signal }));
    if (after !== undefined || from !== "latest") {
      const start = from instanceof Date ? from.toISOString() : from;
      const first = after !== undefined ? { after } : { from: start };
      await this.#readOn({ ...first, log_id: log.log_id });
    } else {
      this.#position = log.head;
    }
  }

  /** Waits for its turn to hold the connection. */
  #stand() {
    const { channel, locks = globalThis.navigator.locks } = this.#options;
    const lead = () => this.#enqueue(async () => {}).then(() => this.#lead());
    locks
      .request(`annals:${channel}`, { signal: this.#closing.signal }, lead)
      .catch((error) => this.#end(error));
  }

  async #lead() {
    if (this.#closing.signal.aborted) return;
    this.#leading = true;
    const { filter, silenceMs, retryMaxMs, parse, onCaughtUp } = this.#options;
    const following = this.#client.follow({
      after: this.#position,
      signal: this.#closing.signal,
      filter,
      silenceMs,
      retryMaxMs,
      parse,
      onCaughtUp: (head) => {
        this.#tell({ kind: "at", seq: head });
        onCaughtUp?.(head);
      },
      onResync: (resync) => this.#spread({ kind: "resync", resync, after: rebase(resync) }),
    });
    try {
      for await (const event of following) {
        await this.#spread({ kind: "event", prev: this.#position, seq: event.seq, event });
      }
      this.#end();
    } catch (error) {
      this.#tell({ kind: "end", error: error instanceof RevokedError ? "revoked" : String(error) });
      this.#end(error);
    }
  }

  /** @param {News} news */
  #tell(news) {
    if (!this.#closing.signal.aborted) this.#channel.postMessage(news);
  }

  /** Tells the others and hears it itself. @param {News} news */
  async #spread(news) {
    this.#tell(news);
    await this.#enqueue(() => this.#hear(news));
  }

  /** @param {News} news */
  async #hear(news) {
    switch (news.kind) {
      case "event":
        if (news.seq <= this.#position) return;
        if (news.prev > this.#position) await this.#readOn({ after: this.#position }, news.prev);
        if (news.seq > this.#position) await this.#hand(news.seq, news.event);
        return;
      case "at":
        if (news.seq > this.#position) await this.#readOn({ after: this.#position }, news.seq);
        return;
      case "resync":
        await this.#resync(news.resync, news.after);
        return;
      case "end":
        this.#end(news.error === "revoked" ? new RevokedError() : new AnnalsError(news.error));
    }
  }

  /** @param {Resync} resync @param {number} after */
  async #resync(resync, after) {
    // Who stands behind what is lost has lost nothing.
    if (resync.reason === "expired" && this.#position >= after) return;
    const { onResync } = this.#options;
    if (!onResync) throw new ResyncError(resync);
    await onResync(resync);
    this.#position = after;
  }

  /**
   * Hands out what the log has behind a position, up to `last` or the head.
   * @param {import("./client.js").PageOptions} start
   * @param {number} [last]
   */
  async #readOn(start, last = Infinity) {
    const { filter, parse } = this.#options;
    let next = start;
    for (;;) {
      const query = { ...next, filter, parse, limit: 1000 };
      const page = await this.#patiently((signal) => this.#client.read({ ...query, signal }));
      for (const event of page.events) {
        if (event.seq > last) break;
        await this.#hand(event.seq, event);
      }
      this.#position = Math.max(this.#position, Math.min(page.next_after, last));
      if (page.next_after >= last || (page.caught_up && last === Infinity)) return;
      // Another server may stand a little behind the one that told of the event.
      if (page.caught_up) await sleep(100, this.#closing.signal);
      next = { after: page.next_after, log_id: page.log_id };
    }
  }

  /**
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} read
   * @returns {Promise<T>}
   */
  #patiently(read) {
    const { signal } = this.#closing;
    const backoff = new Backoff(500, this.#options.retryMaxMs ?? 30_000);
    return repeated(() => read(signal), { backoff, signal });
  }

  /** @param {number} seq @param {Event} event */
  async #hand(seq, event) {
    await this.#onEvent(event);
    this.#position = seq;
  }
}

/** Where the server re-bases a reader. @param {Resync} resync */
function rebase(resync) {
  return resync.reason === "expired" ? resync.oldest - 1 : resync.head;
}
