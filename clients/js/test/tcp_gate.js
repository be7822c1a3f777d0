import net from "node:net";
import { once } from "node:events";

/** A TCP proxy in front of a server that breaks connections in the ways networks do. */
export class TcpGate {
  #pairs = new Set();
  #stalled = false;

  /**
   * @param {number} port of the server
   * @param {{toClient?: (data: Buffer, cut: () => void) => Buffer | null}} [options] `toClient`
   *   changes what passes: null cuts the connection, and after a call of `cut` it ends with what is
   *   returned
   */
  static async open(port, options = {}) {
    const gate = new TcpGate(port, options);
    gate.server.listen(0, "127.0.0.1");
    await once(gate.server, "listening");
    gate.port = gate.server.address().port;
    return gate;
  }

  constructor(port, { toClient = (data) => data }) {
    this.server = net.createServer((client) => {
      const upstream = net.connect(port, "127.0.0.1");
      const pair = { client, upstream };
      this.#pairs.add(pair);
      const end = () => {
        this.#pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      };
      client.on("error", end).on("close", end);
      upstream.on("error", end).on("close", end);
      client.on("data", (data) => this.#stalled || upstream.write(data));
      upstream.on("data", (data) => {
        if (this.#stalled) return;
        let last = false;
        const passed = toClient(data, () => (last = true));
        if (passed === null) return end();
        if (!last) return client.write(passed);
        upstream.removeListener("close", end);
        upstream.destroy();
        client.end(passed);
      });
    });
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How many connections are open. */
  get open() {
    return this.#pairs.size;
  }

  /** Resets every open connection. */
  cut() {
    for (const { client, upstream } of this.#pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  }

  /** What is sent from now on, in either direction, never arrives. */
  stall(on = true) {
    this.#stalled = on;
  }

  async close() {
    this.cut();
    this.server.close();
    await once(this.server, "close");
  }
}
