// Real clients through two restarts of the server: each has to see every event once, in order.
//
//   ANNALS_BINARY=... node run.js [--via direct,nginx,http2] [--clients curl,urllib,...] [--events N]
//
// Without --via and --clients: all of them. Exit code 1 when one is not complete.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { AnnalsClient } from "../../clients/js/src/index.js";
import { AnnalsServer, events, numbers } from "../../clients/js/test/annals_server.js";
import { Browser } from "./browser.js";
import { Nginx } from "./nginx.js";

const { values: options } = parseArgs({
  options: {
    via: { type: "string", default: "direct,nginx,http2" },
    clients: { type: "string" },
    events: { type: "string", default: "600" },
  },
});
const last = Number(options.events);
const wanted = options.clients?.split(",");

/** A client that is a program: the numbers it prints. */
function program(command, file) {
  return async (url) => {
    const path = fileURLToPath(new URL(`clients/${file}`, import.meta.url));
    const child = spawn(command, [path, url, String(last)], { stdio: ["ignore", "pipe", "inherit"] });
    const seqs = [];
    for await (const line of createInterface({ input: child.stdout })) {
      seqs.push(Number(line));
      if (seqs.at(-1) >= last) break;
    }
    child.kill();
    return { seqs };
  };
}

let browser;
async function inBrowser(what, url) {
  browser ??= Browser.start();
  return (await browser)[what](url, last);
}

const clients = {
  curl: program("bash", "curl.sh"),
  urllib: program("python3", "python_urllib.py"),
  aiohttp: program("/usr/bin/python3", "python_aiohttp.py"),
  fetch: program(process.execPath, "node_fetch.js"),
  eventsource: program(process.execPath, "npm_eventsource.js"),
  chromium: (url) => inBrowser("eventSource", url),
  "chromium-client": (url) => inBrowser("reloadingClient", url),
  "chromium-tabs": (url) => inBrowser("tabs", url),
};
// The others speak no HTTP/2, or do not take a certificate that nobody signed.
const overHttp2 = ["curl", "chromium", "chromium-client", "chromium-tabs"];

/** Appends up to `last` in bursts, and restarts the server twice meanwhile. */
async function drive(server) {
  const log = new AnnalsClient({ url: server.url });
  const burst = 20;
  for (let seq = 1; seq <= last; seq += burst) {
    await log.append(events(Math.min(burst, last + 1 - seq), seq));
    if (seq > last / 3 && seq <= last / 3 + burst) await restart(server, "SIGTERM");
    if (seq > (2 * last) / 3 && seq <= (2 * last) / 3 + burst) await restart(server, "SIGKILL");
    await setTimeout(20);
  }
}

async function restart(server, signal) {
  await setTimeout(1000);
  await server.end(signal);
  await setTimeout(500);
  await server.start();
}

function verdict({ seqs, anew }) {
  const complete = String(seqs) === String(numbers(1, last));
  const more = anew ? `, gave up and was made anew ${anew} times` : "";
  if (complete) return `complete: 1..${last}, each once${more}`;
  const missing = numbers(1, last).filter((n) => !seqs.includes(n));
  const repeats = seqs.length - new Set(seqs).size;
  return `WRONG: ${seqs.length} events, ${missing.length} missing, ${repeats} repeats`;
}

let failed = false;
for (const via of options.via.split(",")) {
  const server = await AnnalsServer.start();
  const nginx = via === "direct" ? null : await Nginx.start(server.folder, server.url);
  const url = { direct: server.url, nginx: nginx?.plain, http2: nginx?.http2 }[via];
  const names = Object.keys(clients).filter(
    (name) => (!wanted || wanted.includes(name)) && (via !== "http2" || overHttp2.includes(name)),
  );
  const begun = Date.now();
  const runs = names.map(async (name) => {
    const late = setTimeout(90_000, { seqs: [] }, { ref: false });
    const result = verdict(await Promise.race([clients[name](url), late]).catch((error) => {
      console.error(`${name}: ${error}`);
      return { seqs: [] };
    }));
    failed ||= result.startsWith("WRONG");
    console.log(`${via.padEnd(7)} ${name.padEnd(16)} ${result}, ${Date.now() - begun} ms`);
  });
  // Not before they are there: what follows has to find them connected.
  await setTimeout(names.some((name) => name.startsWith("chromium")) ? 3000 : 500);
  await drive(server);
  await Promise.all(runs);
  await nginx?.stop();
  await server.remove();
}
await (await browser)?.stop();
process.exitCode = failed ? 1 : 0;
