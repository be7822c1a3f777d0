// Node 18 has no global one. The name stands in a variable so that bundlers do not look for it.
const nodeModule = "node:crypto";
const crypto = globalThis.crypto ?? (await import(nodeModule)).webcrypto;

/**
 * A new UUID of version 7: ordered by time, the rest random. The id of an event is made where the
 * event is, so that the same request can be sent again and is stored once.
 * @returns {string}
 */
export function newEventId() {
  const bytes = new Uint8Array(16);
  crypto.getRandomValues(bytes);
  let time = Date.now();
  for (let i = 5; i >= 0; --i) {
    bytes[i] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
