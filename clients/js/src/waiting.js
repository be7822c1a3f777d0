/** @returns {DOMException} */
function aborted() {
  return new DOMException("closed", "AbortError");
}

/**
 * Waits; rejects with an AbortError when `signal` fires first.
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted());
    const onAbort = () => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** How long to wait before each attempt: doubles from a first time to a last one, with jitter. */
export class Backoff {
  #failures = 0;

  /** @param {number} firstMs @param {number} lastMs */
  constructor(firstMs, lastMs) {
    this.firstMs = firstMs;
    this.lastMs = lastMs;
  }

  /** It worked: the next wait is the first one again. */
  reset() {
    this.#failures = 0;
  }

  /**
   * The time to wait now, between a half and the whole of the step, but not less than the server
   * asked for.
   * @param {number} [atLeastMs]
   */
  next(atLeastMs = 0) {
    const step = Math.min(this.lastMs, this.firstMs * 2 ** Math.min(this.#failures++, 30));
    return Math.max(atLeastMs, step / 2 + (Math.random() * step) / 2);
  }
}
