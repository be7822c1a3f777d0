/**
 * Where a reader stands, with what says of which log that is.
 * @typedef {object} Position
 * @property {number} after the last seq handled
 * @property {string} log_id
 * @property {number} incarnation
 */

/**
 * Keeps a position beyond the life of a reader. Both calls may be asynchronous.
 * @typedef {object} PositionStore
 * @property {() => Position | null | Promise<Position | null>} load null when there is none
 * @property {(position: Position) => void | Promise<void>} save
 */

/**
 * A position in `localStorage` (or any other `Storage`: `sessionStorage` keeps one per tab). An entry
 * that cannot be read counts as none.
 * @param {string} key
 * @param {Storage} [storage]
 * @returns {PositionStore}
 */
export function storedPosition(key, storage = globalThis.localStorage) {
  return {
    load() {
      try {
        const position = JSON.parse(storage.getItem(key) ?? "null");
        return Number.isSafeInteger(position?.after) ? position : null;
      } catch {
        return null;
      }
    },
    save(position) {
      storage.setItem(key, JSON.stringify(position));
    },
  };
}

/**
 * A position that lives as long as the page or process: for several readers in turn.
 * @returns {PositionStore}
 */
export function memoryPosition() {
  /** @type {Position | null} */
  let kept = null;
  return {
    load: () => kept,
    save(position) {
      kept = position;
    },
  };
}
