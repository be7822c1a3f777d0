import { ProtocolError } from "./errors.js";

/**
 * One dispatched frame of an event stream.
 * @typedef {object} Frame
 * @property {string} type `message` when the frame named none
 * @property {string} data
 * @property {string} id the last id of the stream, also when this frame had none of its own
 */

/** More than any frame of a server can have: the bound of what is buffered. */
const MAX_FRAME_CHARACTERS = 64 * 1024 * 1024;

/**
 * Parses `text/event-stream` as the HTML standard says, from bytes cut anywhere. One per
 * connection. What was begun and not ended by an empty line is never dispatched.
 */
export class EventStreamParser {
  #decoder = new TextDecoder("utf-8");
  #line = "";
  #afterCarriageReturn = false;
  /** @type {string[]} */
  #data = [];
  #dataCharacters = 0;
  #type = "";
  #idBuffer = "";

  /** The last id that a whole frame has set. */
  lastId = "";

  /** The reconnection time the server asked for, in milliseconds. @type {number | undefined} */
  retry = undefined;

  /**
   * Takes the next bytes; returns the frames they complete.
   * @param {Uint8Array} bytes
   * @returns {Frame[]}
   */
  push(bytes) {
    /** @type {Frame[]} */
    const frames = [];
    const text = this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    if (this.#afterCarriageReturn && text.length > 0) {
      if (text[0] === "\n") start = 1;
      this.#afterCarriageReturn = false;
    }
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = start;
    for (let end = lineEnd.exec(text); end; end = lineEnd.exec(text)) {
      this.#endLine(this.#line + text.slice(start, end.index), frames);
      this.#line = "";
      start = lineEnd.lastIndex;
      // A line feed may still follow in the next bytes; the line ends here all the same.
      this.#afterCarriageReturn = end[0] === "\r" && start === text.length;
    }
    this.#line += text.slice(start);
    if (this.#line.length + this.#dataCharacters > MAX_FRAME_CHARACTERS) {
      throw new ProtocolError(`a frame has more than ${MAX_FRAME_CHARACTERS} characters`);
    }
    return frames;
  }

  /** @param {string} line @param {Frame[]} frames */
  #endLine(line, frames) {
    if (line === "") {
      this.#dispatch(frames);
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    this.#field(name, value);
  }

  /** @param {string} name @param {string} value */
  #field(name, value) {
    if (name === "data") {
      this.#data.push(value);
      this.#dataCharacters += value.length + 1;
    } else if (name === "event") {
      this.#type = value;
    } else if (name === "id") {
      if (!value.includes("\0")) this.#idBuffer = value;
    } else if (name === "retry") {
      if (/^[0-9]+$/.test(value)) this.retry = Number(value);
    }
  }

  /** @param {Frame[]} frames */
  #dispatch(frames) {
    this.lastId = this.#idBuffer;
    if (this.#data.length > 0) {
      const data = this.#data.join("\n");
      // One empty data line is an event without text, as browsers have it; no line is no event.
      frames.push({ type: this.#type || "message", data, id: this.lastId });
    }
    this.#data = [];
    this.#dataCharacters = 0;
    this.#type = "";
  }
}
