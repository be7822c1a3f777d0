import { spawn, execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** The program under test. */
const program = process.env.ANNALS_BINARY;
if (!program) throw new Error("ANNALS_BINARY must name the program annals");

const run = promisify(execFile);

/** A real server on a store of its own in a temporary folder. */
export class AnnalsServer {
  /** Starts one; `settings` are configuration keys. */
  static async start(settings = {}) {
    const folder = await mkdtemp(join(tmpdir(), "annals-js-"));
    const server = new AnnalsServer(folder, settings);
    await server.start();
    return server;
  }

  constructor(folder, settings) {
    this.folder = folder;
    this.settings = settings;
    this.port = 0;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get #store() {
    return ["--store", `sqlite:${join(this.folder, "log.db")}`];
  }

  /** Starts the process, on the port it had before. */
  async start() {
    const sets = Object.entries(this.settings).flatMap(([k, v]) => ["--set", `${k}=${v}`]);
    const listen = ["--listen", `127.0.0.1:${this.port}`];
    this.process = spawn(program, ["serve", "--json", ...this.#store, ...listen, ...sets], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let errors = "";
    this.process.stderr.on("data", (data) => (errors = (errors + data).slice(-4000)));
    for await (const line of createInterface({ input: this.process.stdout })) {
      this.port = Number(new URL(JSON.parse(line).listening).port);
      return;
    }
    throw new Error(`annals serve did not start: ${errors}`);
  }

  /** Ends the process: `SIGTERM` lets it finish, `SIGKILL` does not. */
  async end(signal = "SIGTERM") {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill(signal);
    await exit;
  }

  /** Runs a command of the program on this server's store; its output. */
  async command(...words) {
    const { stdout } = await run(program, [...words, ...this.#store], { cwd: this.folder });
    return stdout;
  }

  /** A new key; returns when the server knows it. */
  async createKey(name, ...words) {
    const key = JSON.parse(await this.command("key", "create", name, ...words, "--json"));
    const headers = { "X-API-Key": key.secret };
    while ((await fetch(`${this.url}/v1/log`, { headers })).status === 401) await setTimeout(10);
    return key;
  }

  /** Ends everything and removes the folder. */
  async remove() {
    await this.end("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Events of a type of tests, numbered from `first`. */
export function events(count, first = 1) {
  return Array.from({ length: count }, (_, i) => ({ type: "test.js", payload: { n: first + i } }));
}

/** Collects seqs of a following until `last` is there. */
export async function seqsUpTo(following, last) {
  const seqs = [];
  for await (const event of following) {
    seqs.push(event.seq);
    if (event.seq >= last) break;
  }
  return seqs;
}

/** from, from + 1, ... to */
export function numbers(from, to) {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
