import { EventStreamParser } from "./event_stream.js";
import {
  ConnectionError,
  ProtocolError,
  ResyncError,
  RevokedError,
  SequenceError,
} from "./errors.js";
import { askedToWait, mayHelpToRepeat } from "./http.js";
import { Backoff, sleep } from "./waiting.js";

/**
 * An event as the server renders it; `docs/http-api.md` names the members.
 * @typedef {{seq: number, id: string, type: string, [member: string]: any}} Event
 */

/**
 * Why a position cannot be continued, and what is lost.
 * @typedef {object} Resync
 * @property {"expired" | "ahead" | "other_log" | "other_incarnation" | "malformed"} reason
 * @property {number} oldest
 * @property {number} head
 * @property {number} [lost_from]
 * @property {number} [lost_to]
 */

/**
 * @typedef {object} FollowOptions
 * @property {number} [after] strictly after this event; a stored position wins
 * @property {"oldest" | "latest" | Date | string} [from] instead of `after`: the oldest event kept,
 *   from now on (the default), or a time of recording
 * @property {Record<string, string>} [filter] such as `{type: "order.*"}`
 * @property {import("./positions.js").PositionStore} [position] loaded at the start, saved when an
 *   event has been handled
 * @property {AbortSignal} [signal] ends the reader
 * @property {(head: number) => void} [onCaughtUp] on each connection, when everything up to the head
 *   has been handed out
 * @property {(resync: Resync) => void | Promise<void>} [onResync] the position cannot be continued:
 *   read anew what the events built up; the stream goes on when this has returned. Without it,
 *   `ResyncError` ends the reader
 * @property {(info: {expires_at: string}) => void} [onExpiring] the key is about to expire;
 *   `reconnect` takes the new one
 * @property {(state: "connecting" | "open" | "waiting" | "closed", error?: unknown) => void} [onState]
 *   for an indicator on a page
 * @property {number} [silenceMs] a connection without a byte for this long counts as dead (45 s; the
 *   server sends something every 15 s)
 * @property {number} [retryMaxMs] longest wait between two attempts (30 s), unless the server refuses
 *   with a longer `Retry-After`
 * @property {(text: string) => any} [parse] instead of `JSON.parse`, for numbers beyond 2^53
 */

/**
 * One reader of the log: every event it may see, once, in order, over as many connections as it
 * takes. An async iterable; iterate it once. Backpressure is that of the iteration: while an event
 * is being handled, nothing more is read than what has arrived already.
 */
export class Following {
  #http;
  #options;
  #backoff;
  #closing = new AbortController();
  #connection = new AbortController();
  #received = -1;
  #handled = -1;
  /** @type {{log_id: string, incarnation: number} | null} */
  #log = null;
  #gapless = false;
  /** The server's `retry:`. */
  #retryMs = 0;
  #iterated = false;

  /** @param {import("./http.js").Http} http @param {FollowOptions} [options] */
  constructor(http, options = {}) {
    this.#http = http;
    this.#options = options;
    this.#backoff = new Backoff(500, options.retryMaxMs ?? 30_000);
    const { signal } = options;
    if (signal?.aborted) this.close();
    signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  /** The last seq handled; -1 before the start is known. */
  get position() {
    return this.#handled;
  }

  /** Ends the reader; its iteration ends without an error. */
  close() {
    this.#closing.abort();
    this.#connection.abort();
  }

  /** Lets go of the connection and makes a new one, with credentials asked for anew. */
  reconnect() {
    this.#connection.abort();
  }

  /**
   * Calls `handler` with each event and waits for it before the next. Returns when the reader was
   * closed; rejects with its error, or the handler's.
   * @param {(event: Event) => void | Promise<void>} handler
   */
  async each(handler) {
    for await (const event of this) await handler(event);
  }

  /**
   * To ask for the next event says that the one before was handled; only then its position is saved.
   * Who leaves a loop early gets its last event again after a restart.
   * @returns {AsyncGenerator<Event, void, undefined>}
   */
  [Symbol.asyncIterator]() {
    if (this.#iterated) throw new TypeError("a following can be iterated once");
    this.#iterated = true;
    return this.#run();
  }

  async *#run() {
    try {
      while (!this.#closing.signal.aborted) {
        let failure;
        try {
          yield* this.#connect();
        } catch (error) {
          if (this.#closing.signal.aborted) return;
          const replaced = this.#connection.signal.aborted;
          if (!replaced && !mayHelpToRepeat(error)) throw error;
          failure = error;
        }
        this.#state("waiting", failure);
        const retryMs = Math.min(this.#retryMs, this.#backoff.lastMs);
        const wait = this.#backoff.next(Math.max(askedToWait(failure), retryMs));
        await sleep(wait, this.#closing.signal).catch(() => {});
      }
    } finally {
      this.close();
      this.#state("closed");
    }
  }

  /** One connection: until it ends, by itself or with an error. */
  async *#connect() {
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    if (this.#closing.signal.aborted) return;
    this.#state("connecting");
    await this.#findStart(signal);
    const silence = new Silence(this.#connection, this.#options.silenceMs ?? 45_000);
    const response = await silence.watch(() => this.#open(signal));
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const parser = new EventStreamParser();
    try {
      for (;;) {
        const { done, value } = await silence.watch(() => reader.read());
        if (done) return;
        this.#backoff.reset();
        const frames = parser.push(value);
        this.#retryMs = parser.retry ?? this.#retryMs;
        for (const frame of frames) yield* this.#take(frame);
        if (signal.aborted) return;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** @param {AbortSignal} signal */
  async #open(signal) {
    const response = await this.#http.request("/v1/events/stream", {
      query: { ...this.#options.filter, ...this.#log, after: this.#received },
      headers: { Accept: "text/event-stream" },
      signal,
    });
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      await response.body?.cancel();
      throw new ProtocolError("the answer is no event stream");
    }
    this.#gapless = response.headers.get("Annals-Stream") === "complete";
    this.#state("open");
    return response;
  }

  /**
   * Makes the start a number of a known log, so that nothing between now and the first connection
   * that works can be missed.
   * @param {AbortSignal} signal
   */
  async #findStart(signal) {
    if (this.#received >= 0) return;
    const stored = await this.#options.position?.load();
    if (stored) {
      this.#log = { log_id: stored.log_id, incarnation: stored.incarnation };
      this.#received = this.#handled = stored.after;
      return;
    }
    const log = await this.#identify(signal);
    const start = await this.#startIn(log, signal);
    this.#received = this.#handled = start;
  }

  /** @param {{head: number, oldest: number}} log @param {AbortSignal} signal */
  async #startIn(log, signal) {
    const { after, from = "latest" } = this.#options;
    if (after !== undefined) return after;
    if (from === "latest") return log.head;
    if (from === "oldest") return log.oldest - 1;
    const time = from instanceof Date ? from.toISOString() : from;
    const page = await this.#http.json("/v1/events", { query: { from: time, limit: 1 }, signal });
    return page.events.length > 0 ? page.events[0].seq - 1 : page.next_after;
  }

  /** @param {AbortSignal} [signal] */
  async #identify(signal) {
    const log = await this.#http.json("/v1/log", { signal });
    this.#log = { log_id: log.log_id, incarnation: log.incarnation };
    return log;
  }

  /** @param {import("./event_stream.js").Frame} frame */
  async *#take(frame) {
    if (frame.type !== "message") {
      await this.#control(frame);
      return;
    }
    const event = this.#parsed(frame, this.#options.parse);
    // Not the member of the event: a parser of the application's may make something else of it.
    const seq = Number(frame.id);
    const expected = this.#received + 1;
    if (!(seq >= expected) || (this.#gapless && seq > expected)) {
      throw new SequenceError(expected, seq);
    }
    this.#received = seq;
    yield event;
    await this.#passed(seq);
  }

  /** @param {import("./event_stream.js").Frame} frame */
  async #control(frame) {
    const data = this.#parsed(frame);
    switch (frame.type) {
      case "checkpoint":
        // On a complete stream, too: numbers the log has recorded as never given out.
        await this.#skipTo(data.scanned);
        break;
      case "caught_up":
        if (this.#gapless && data.head > this.#received) {
          throw new SequenceError(this.#received + 1, data.head);
        }
        await this.#skipTo(data.head);
        this.#options.onCaughtUp?.(data.head);
        break;
      case "resync":
        await this.#resync(data, Number(frame.id));
        break;
      case "revoked":
        // A changed key may read something else now: the next connection shows what.
        if (data.reason === "changed") throw new ConnectionError("the key was changed");
        throw new RevokedError();
      case "expiring":
        this.#options.onExpiring?.(data);
        break;
      default:
        // A later server may say more than this client knows.
        break;
    }
  }

  /** @param {Resync} resync @param {number} after */
  async #resync(resync, after) {
    const { onResync } = this.#options;
    if (!onResync) throw new ResyncError(resync);
    if (resync.reason === "other_log" || resync.reason === "other_incarnation") {
      await this.#identify(this.#connection.signal);
    }
    await onResync(resync);
    this.#received = after;
    await this.#passed(after);
  }

  /** @param {number} seq */
  async #skipTo(seq) {
    if (seq <= this.#received) return;
    this.#received = seq;
    await this.#passed(seq);
  }

  /** @param {number} seq */
  async #passed(seq) {
    this.#handled = seq;
    const log = /** @type {{log_id: string, incarnation: number}} */ (this.#log);
    await this.#options.position?.save({ after: seq, ...log });
  }

  /** @param {import("./event_stream.js").Frame} frame @param {(text: string) => any} [parse] */
  #parsed(frame, parse = JSON.parse) {
    try {
      return parse(frame.data);
    } catch (error) {
      throw new ProtocolError(`a frame "${frame.type}" is not JSON`, { cause: error });
    }
  }

  /** @param {"connecting" | "open" | "waiting" | "closed"} state @param {unknown} [error] */
  #state(state, error) {
    this.#options.onState?.(state, error);
  }
}

/** Ends a connection that says nothing for too long while somebody waits for it. */
class Silence {
  /** @param {AbortController} connection @param {number} ms */
  constructor(connection, ms) {
    this.connection = connection;
    this.ms = ms;
  }

  /**
   * @template T
   * @param {() => Promise<T>} wait
   * @returns {Promise<T>}
   */
  async watch(wait) {
    let silent = false;
    const timer = setTimeout(() => {
      silent = true;
      this.connection.abort();
    }, this.ms);
    try {
      return await wait();
    } catch (error) {
      if (silent) throw new ConnectionError(`nothing came for ${this.ms} ms`, { cause: error });
      if (error instanceof TypeError) {
        // What fetch throws when a connection breaks while its body is read.
        throw new ConnectionError("the connection broke", { cause: error });
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
