"""The log over HTTP beside message-db and the library: E4 to E6."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench import measuring, message_db

TARGETS = ["annals", "stream_check"]

CONNECTIONS = 64
PEER_CLIENTS = (16, 32, 64)
NAMES = {
    "batch": "library, batches of 1,000",
    "ndjson": "HTTP, NDJSON in bulk",
    "single": "HTTP, one event a request, 64 connections",
    "message-db": "message-db, its best of 16, 32 and 64 connections",
    "read-library": "read forward, library",
    "read-ndjson": "read forward, NDJSON over HTTP",
    "read-sse": "resume from 0, SSE",
}
# Id, ours, beside.
RATIOS = [("E4", "single", "message-db"), ("E5", "ndjson", "batch")]
RATES = [("E6 library", "read-library"), ("E6 NDJSON", "read-ndjson"), ("E6 SSE", "read-sse")]


class Server:
    """`annals serve` on a store, for as long as the `with` lasts."""

    def __init__(self, build, folder):
        self.build = build
        self.store = f"sqlite:{folder / 'log.db'}"
        self.port = measuring.free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.build / "bin" / "annals", "serve", "--store", self.store, "--set", f"server.listen=127.0.0.1:{self.port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{self.url}/readyz").close()
                return self
            except OSError:
                time.sleep(0.05)
        sys.exit("the server does not listen")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            sys.exit("the server did not end well")

    def head(self):
        return json.load(urllib.request.urlopen(f"{self.url}/v1/log"))["head"]

    def memory(self):
        """Resident bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")


def check(build, server, count):
    """The log holds so many events, or up to `CONNECTIONS` more that were sent but not counted."""
    report = json.loads(subprocess.check_output([build / "bin" / "annals", "verify", "--store", server.store, "--json"]))
    if not count <= report["events"] <= count + CONNECTIONS:
        sys.exit(f"the log holds {report['events']} events, {count} were answered")


def post_single(build, folder, seconds):
    with Server(build, folder) as server:
        found = measuring.run_program("wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s",
                                      Path(__file__).parent / "post_events.lua", f"{server.url}/v1/events")
    if found.pop("refused"):
        sys.exit("some requests were refused")
    check(build, server, found["count"])
    return found | {"rate": found["count"] / found["seconds"]}


def sample_line(number):
    """What src/bench/sample_events.cpp makes."""
    start = f'{{"number":{number},"text":"'
    payload = start + chr(ord("a") + number % 26) * (298 - len(start)) + '"}'
    return (f'{{"type":"order.paid","stream":"order-{number * 7919 % 1000}",'
            f'"scope":{{"channel_id":"channel-{number * 31 % 1000}"}},'
            f'"labels":{{"country":"c{number % 100}","customer":"k{number * 48271 % 100000}"}},"payload":{payload}}}\n')


def post_ndjson(build, folder, count):
    lines = folder / "events.ndjson"
    with open(lines, "w") as out:
        out.writelines(sample_line(number) for number in range(count))
    with Server(build, folder) as server, open(folder / "answers", "wb") as answers:
        begin = time.monotonic()
        subprocess.run(["curl", "-sSf", "-H", "Content-Type: application/x-ndjson", "-H", "Expect:", "-X", "POST", "-T",
                        lines, f"{server.url}/v1/events"], check=True, stdout=answers)
        seconds = time.monotonic() - begin
    stored = sum(b'"seq":' in line for line in open(folder / "answers", "rb"))
    if stored != count:
        sys.exit(f"{stored} of {count} lines were stored")
    check(build, server, count)
    return {"count": count, "seconds": seconds, "rate": count / seconds}


def read_over_http(build, server, kind, accept):
    reader = subprocess.Popen(["curl", "-sN", "-H", f"Accept: {accept}", f"{server.url}/v1/events?after=0"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        return measuring.run_program(build / "bin" / "stream_check", kind, server.head(), stdin=reader.stdout)
    finally:
        reader.kill()
        reader.wait()


def run_reads(build, folder):
    """Of the log that `batch` left."""
    log = folder / "append-batch"
    results = {"read-library": measuring.run_program(build / "bin" / "annals", "bench", "--json", "--keep", "--folder",
                                                     folder, "--measure", "read")}
    with Server(build, log) as server:
        for name, kind, accept in (("read-ndjson", "ndjson", "application/x-ndjson"),
                                   ("read-sse", "sse", "text/event-stream")):
            before = server.memory()
            results[name] = read_over_http(build, server, kind, accept)
            results[name]["memory_growth"] = server.memory() - before
    return results


def measure_peer(parent, seconds):
    with tempfile.TemporaryDirectory(dir=parent) as name, message_db.running(name) as peer:
        rate = max(peer.write(clients, seconds) for clients in PEER_CLIENTS)
    return {"count": round(rate * seconds), "rate": rate}


def run_round(build, parent, quick):
    seconds = 3 if quick else 10
    count = 100_000 if quick else 1_000_000
    results = {"message-db": measure_peer(parent, seconds)} if message_db.available() else {}
    with tempfile.TemporaryDirectory(dir=parent) as name:
        folder = Path(name)
        for measure, run, size in (("single", post_single, seconds), ("ndjson", post_ndjson, count // 4)):
            (folder / measure).mkdir()
            results[measure] = run(build, folder / measure, size)
        results["batch"] = measuring.run_program(build / "bin" / "annals", "bench", "--json", "--keep", "--folder", folder,
                                                 "--measure", "append-batch", "--count", count)
        return results | run_reads(build, folder)


def summarise(rounds):
    ratios = {name: measuring.spread([r[ours]["rate"] / r[beside]["rate"] for r in rounds])
              for name, ours, beside in RATIOS if beside in rounds[0]}
    return {"measures": measuring.summarise(rounds), "ratios": ratios}


def table(result, thresholds):
    lines = measuring.heading("Over HTTP", result)
    lines += ["| measure | events/s | p50 ms | p99 ms | longest ms | memory of the server grew by |",
              "|---|---|---|---|---|---|"]
    for measure, fields in result["measures"].items():
        cells = [NAMES[measure], measuring.show_spread(fields["rate"])]
        cells += [f"{fields[k]['median']:.2f}" if k in fields else "" for k in ("p50_ms", "p99_ms", "longest_ms")]
        growth = fields.get("memory_growth")
        cells.append(f"{growth['median'] / 2**20:.0f} MiB" if growth else "")
        lines.append("| " + " | ".join(cells) + " |")
    lines += measuring.ratio_lines(result["ratios"], thresholds)
    lines += ["", "| id | events/s | must reach | |", "|---|---|---|---|"]
    for name, measure in RATES:
        rate = result["measures"][measure]["rate"]["median"]
        least = thresholds[name.lower().replace(" ", "_")]
        lines.append(f"| {name} | {measuring.show(rate)} | {measuring.show(least)} | {'reached' if rate >= least else 'missed'} |")
    lines.append("")
    return "\n".join(lines)


def groups(result):
    bars = [(NAMES[measure], fields["rate"], measure == "message-db") for measure, fields in result["measures"].items()]
    return [("Events a second", bars)]
