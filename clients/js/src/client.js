import { Following } from "./following.js";
import { Http, repeated } from "./http.js";
import { newEventId } from "./ids.js";
import { Backoff } from "./waiting.js";

/**
 * An event as a producer hands it in. Only `type` is needed; `id` is made here when absent.
 * @typedef {{type: string, id?: string, stream?: string, payload?: object, labels?: object,
 *   expected_version?: number | "none" | "exists" | "any", [member: string]: any}} NewEvent
 */

/**
 * @typedef {object} AppendedEvent
 * @property {number} seq its number in the log, for ever
 * @property {string} id
 * @property {string} hash
 * @property {number} [stream_seq]
 * @property {true} [duplicate] it was there already: an earlier attempt had been stored
 */

/**
 * @typedef {object} Receipt
 * @property {number} head the last seq of the append
 * @property {string} log_hash with `head`, proves everything up to there
 */

/**
 * @typedef {object} AppendOptions
 * @property {AbortSignal} [signal]
 * @property {number} [patienceMs] how long to repeat after failures that may pass (30 s); 0 sends once
 */

/**
 * @typedef {object} PageOptions
 * @property {number} [after]
 * @property {string} [from]
 * @property {number} [limit]
 * @property {string} [log_id]
 * @property {number} [incarnation]
 * @property {Record<string, string>} [filter]
 * @property {AbortSignal} [signal]
 * @property {(text: string) => any} [parse]
 */

/**
 * @typedef {object} Page
 * @property {import("./following.js").Event[]} events
 * @property {number} next_after where the next page begins
 * @property {number} head
 * @property {number} oldest
 * @property {string} log_id
 * @property {boolean} caught_up
 */

/** One Annals server. Holds no connection of its own. */
export class AnnalsClient {
  #http;

  /** @param {import("./http.js").HttpOptions} options */
  constructor(options) {
    this.#http = new Http(options);
  }

  /**
   * Appends one event, or several as one request: all or nothing. Returns when they survive a power
   * loss. After a lost answer the same request is sent again; ids make sure that it is stored once.
   * Errors: `ProblemError` (the request was refused, nothing was stored), `ConnectionError` (no
   * answer in time: stored or not; the ids in `events` may be sent again).
   * @template {NewEvent | NewEvent[]} E
   * @param {E} events
   * @param {AppendOptions} [options]
   * @returns {Promise<E extends any[] ? {events: AppendedEvent[]} & Receipt : AppendedEvent & Receipt>}
   */
  async append(events, { signal, patienceMs = 30_000 } = {}) {
    const withIds = Array.isArray(events) ? events.map(withId) : withId(events);
    const body = JSON.stringify(withIds);
    const send = () =>
      this.#http.json("/v1/events", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
        signal,
      });
    const giveUpAt = Date.now() + patienceMs;
    return repeated(send, { backoff: new Backoff(200, 5000), signal, giveUpAt });
  }

  /**
   * One page of events, from the oldest when nothing is said.
   * @param {PageOptions} [options]
   * @returns {Promise<Page>}
   */
  read({ filter, signal, parse, ...query } = {}) {
    return this.#http.json("/v1/events", { query: { ...filter, ...query }, signal, parse });
  }

  /**
   * Pages up to the head.
   * @param {PageOptions} [options]
   * @returns {AsyncGenerator<Page, void, undefined>}
   */
  async *pages(options = {}) {
    let page = await this.read(options);
    yield page;
    const { from: _, ...rest } = options;
    while (!page.caught_up) {
      page = await this.read({ ...rest, after: page.next_after, log_id: page.log_id });
      yield page;
    }
  }

  /**
   * The log's counters, limits and versions.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{log_id: string, incarnation: number, head: number, log_hash: string,
   *   oldest: number, [member: string]: any}>}
   */
  log({ signal } = {}) {
    return this.#http.json("/v1/log", { signal });
  }

  /**
   * A ticket that does once instead of this client's key, for a page that must hold none.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{ticket: string, expires_at: string}>}
   */
  createTicket({ signal } = {}) {
    return this.#http.json("/v1/tickets", { method: "POST", signal });
  }

  /**
   * Every event from a position on, and then live, until closed.
   * @param {import("./following.js").FollowOptions} [options]
   */
  follow(options = {}) {
    return new Following(this.#http, options);
  }
}

/** @param {NewEvent} event @returns {NewEvent} */
function withId(event) {
  return event.id === undefined ? { ...event, id: newEventId() } : event;
}
