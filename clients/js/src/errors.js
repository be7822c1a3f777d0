/** What every error of this package is. */
export class AnnalsError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The server refused a request: its problem document (RFC 9457). `code` is stable; the members
 * beside it (`violations`, `streams`, `limit`, ...) are in `problem`.
 */
export class ProblemError extends AnnalsError {
  /**
   * @param {number} status
   * @param {Record<string, any>} problem
   * @param {number} [retryAfterMs] when repeating may help, as the server said
   */
  constructor(status, problem, retryAfterMs) {
    super(`${problem.code}: ${problem.detail ?? problem.title ?? "no detail"}`);
    this.status = status;
    /** @type {string} */
    this.code = problem.code;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Nothing came back: no connection, or it broke. An append may have been stored or not. */
export class ConnectionError extends AnnalsError {}

/** What came back is not what Annals sends: another server, or a proxy that changed it. */
export class ProtocolError extends AnnalsError {}

/**
 * The stream did not continue where it has to. Something between the log and here lost, repeated
 * or reordered events; what was delivered before is complete.
 */
export class SequenceError extends AnnalsError {
  /** @param {number} expected @param {number} received */
  constructor(expected, received) {
    super(`expected event ${expected} and got ${received}`);
    this.expected = expected;
    this.received = received;
  }
}

/**
 * The position cannot be continued, and events may be lost to this reader. Thrown when nobody
 * handles `onResync`.
 */
export class ResyncError extends AnnalsError {
  /** @param {import("./following.js").Resync} resync */
  constructor(resync) {
    super(`the position cannot be continued: ${resync.reason}`);
    this.resync = resync;
  }
}

/** The key this reader used no longer holds. Reconnecting with it is of no use. */
export class RevokedError extends AnnalsError {
  constructor() {
    super("the key no longer holds");
  }
}
