import { ConnectionError, ProblemError, ProtocolError } from "./errors.js";
import { sleep } from "./waiting.js";

/**
 * How requests reach one server.
 * @typedef {object} HttpOptions
 * @property {string | URL} url the server, such as `https://events.example.com`
 * @property {string} [key] an API key; sent as `X-API-Key`
 * @property {() => HeadersInit | Promise<HeadersInit>} [headers] asked before every request, for
 *   credentials that change
 * @property {() => string | Promise<string>} [ticket] asked before every request: a one-use ticket
 *   for a client that must hold no key
 * @property {typeof globalThis.fetch} [fetch] instead of the global one
 */

/**
 * @typedef {object} RequestOptions
 * @property {string} [method]
 * @property {Record<string, string | number | boolean | undefined>} [query]
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 * @property {AbortSignal} [signal]
 */

/** Sends requests to one server and turns refusals into errors. */
export class Http {
  /** @param {HttpOptions} options */
  constructor(options) {
    // A path in the address is kept: the server may stand below one.
    this.base = String(options.url).replace(/\/+$/, "");
    this.options = options;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /**
   * The answer to a request that succeeded. Errors: `ProblemError`, `ConnectionError`; an AbortError
   * when the signal fired.
   * @param {string} path
   * @param {RequestOptions} [request]
   * @returns {Promise<Response>}
   */
  async request(path, { method = "GET", query = {}, headers = {}, body, signal } = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const { key, headers: moreHeaders, ticket } = this.options;
    if (ticket) parameters.set("ticket", await ticket());
    const all = new Headers(moreHeaders ? await moreHeaders() : {});
    if (key) all.set("X-API-Key", key);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const search = parameters.toString();
    let response;
    try {
      response = await this.fetch(`${this.base}${path}${search ? `?${search}` : ""}`, {
        method,
        headers: all,
        body,
        signal,
        cache: "no-store",
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ConnectionError(`${method} ${path}: no answer`, { cause: error });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  /**
   * The JSON of an answer.
   * @param {string} path
   * @param {RequestOptions & {parse?: (text: string) => any}} [request]
   * @returns {Promise<any>}
   */
  async json(path, request = {}) {
    const response = await this.request(path, request);
    let text;
    try {
      text = await response.text();
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new ConnectionError(`${path}: the answer broke off`, { cause: error });
    }
    try {
      return (request.parse ?? JSON.parse)(text);
    } catch (error) {
      throw new ProtocolError(`${path}: the answer is not JSON`, { cause: error });
    }
  }
}

/**
 * True when the same request may succeed later. An append may have been stored all the same.
 * @param {unknown} error
 */
export function mayHelpToRepeat(error) {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ProblemError)) return false;
  return error.status === 408 || error.status === 429 || [500, 502, 503, 504].includes(error.status);
}

/**
 * What the server said about when to come back, in milliseconds.
 * @param {unknown} error
 */
export function askedToWait(error) {
  return error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
}

/**
 * Does something until it succeeds, or fails in a way that repeating does not help, or time is up.
 * @template T
 * @param {() => Promise<T>} work
 * @param {{backoff: import("./waiting.js").Backoff, signal?: AbortSignal, giveUpAt?: number}} patience
 * @returns {Promise<T>}
 */
export async function repeated(work, { backoff, signal, giveUpAt = Infinity }) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const wait = backoff.next(askedToWait(error));
      if (!mayHelpToRepeat(error) || Date.now() + wait > giveUpAt) throw error;
      await sleep(wait, signal);
    }
  }
}

/** @param {Response} response */
async function refusal(response) {
  let problem;
  try {
    problem = JSON.parse(await response.text());
  } catch {
    // A proxy's page, or nothing: the status has to do.
  }
  if (typeof problem?.code !== "string") {
    problem = { code: `http_${response.status}`, detail: response.statusText || "refused" };
  }
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  return new ProblemError(
    response.status,
    problem,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  );
}
