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

import message_db
from harness import (about_lines, bar_chart, free_port, machine, rate_cell, ratio_lines, run_json, show, spread,
                     write_results)

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

    def __init__(self, programs, folder):
        self.programs = programs
        self.store = f"sqlite:{folder / 'log.db'}"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.programs / "annals", "serve", "--store", self.store, "--set", f"server.listen=127.0.0.1:{self.port}"],
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


def check(programs, server, count):
    """The log holds so many events, or up to `CONNECTIONS` more that were sent but not counted."""
    report = json.loads(subprocess.check_output([programs / "annals", "verify", "--store", server.store, "--json"]))
    if not count <= report["events"] <= count + CONNECTIONS:
        sys.exit(f"the log holds {report['events']} events, {count} were answered")


def post_single(programs, folder, seconds):
    with Server(programs, folder) as server:
        found = run_json(["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s",
                          Path(__file__).parent / "post_events.lua", f"{server.url}/v1/events"])
    if found.pop("refused"):
        sys.exit("some requests were refused")
    check(programs, server, found["count"])
    return found | {"rate": found["count"] / found["seconds"]}


def sample_line(number):
    """What src/bench/sample_events.cpp makes."""
    start = f'{{"number":{number},"text":"'
    payload = start + chr(ord("a") + number % 26) * (298 - len(start)) + '"}'
    return (f'{{"type":"order.paid","stream":"order-{number * 7919 % 1000}",'
            f'"scope":{{"channel_id":"channel-{number * 31 % 1000}"}},'
            f'"labels":{{"country":"c{number % 100}","customer":"k{number * 48271 % 100000}"}},"payload":{payload}}}\n')


def post_ndjson(programs, folder, count):
    lines = folder / "events.ndjson"
    with open(lines, "w") as out:
        out.writelines(sample_line(number) for number in range(count))
    with Server(programs, folder) as server, open(folder / "answers", "wb") as answers:
        begin = time.monotonic()
        subprocess.run(["curl", "-sSf", "-H", "Content-Type: application/x-ndjson", "-H", "Expect:", "-X", "POST", "-T",
                        lines, f"{server.url}/v1/events"], check=True, stdout=answers)
        seconds = time.monotonic() - begin
    stored = sum(b'"seq":' in line for line in open(folder / "answers", "rb"))
    if stored != count:
        sys.exit(f"{stored} of {count} lines were stored")
    check(programs, server, count)
    return {"count": count, "seconds": seconds, "rate": count / seconds}


def read_over_http(programs, server, kind, accept):
    reader = subprocess.Popen(["curl", "-sN", "-H", f"Accept: {accept}", f"{server.url}/v1/events?after=0"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        return run_json([programs / "stream_check", kind, server.head()], stdin=reader.stdout)
    finally:
        reader.kill()
        reader.wait()


def run_reads(programs, folder):
    """Of the log that `batch` left."""
    log = folder / "append-batch"
    results = {"read-library": run_json([programs / "annals", "bench", "--json", "--keep", "--folder", folder,
                                         "--measure", "read"])}
    with Server(programs, log) as server:
        for name, kind, accept in (("read-ndjson", "ndjson", "application/x-ndjson"),
                                   ("read-sse", "sse", "text/event-stream")):
            before = server.memory()
            results[name] = read_over_http(programs, server, kind, accept)
            results[name]["memory_growth"] = server.memory() - before
    return results


def run_round(programs, options, peer):
    seconds = 3 if options.quick else 10
    count = 100_000 if options.quick else 1_000_000
    results = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        if peer:
            rate = max(peer.write(clients, seconds) for clients in PEER_CLIENTS)
            results["message-db"] = {"count": round(rate * seconds), "rate": rate}
        for measure, run, size in (("single", post_single, seconds), ("ndjson", post_ndjson, count // 4)):
            (folder / measure).mkdir()
            results[measure] = run(programs, folder / measure, size)
        results["batch"] = run_json([programs / "annals", "bench", "--json", "--keep", "--folder", folder, "--measure",
                                     "append-batch", "--count", str(count)])
        return results | run_reads(programs, folder)


def summarise(rounds):
    measured = {}
    for measure in NAMES:
        if measure not in rounds[0]:
            continue
        fields = set(rounds[0][measure]) & {"rate", "p50_ms", "p99_ms", "longest_ms", "memory_growth"}
        measured[measure] = {k: spread([r[measure][k] for r in rounds]) for k in sorted(fields)}
        measured[measure]["count"] = rounds[0][measure]["count"]
    ratios = {name: spread([r[ours]["rate"] / r[beside]["rate"] for r in rounds])
              for name, ours, beside in RATIOS if beside in rounds[0]}
    return {"measures": measured, "ratios": ratios}


def table(result, thresholds):
    lines = about_lines("Over HTTP", result)
    lines += ["| measure | events/s | p50 ms | p99 ms | longest ms | memory of the server grew by |",
              "|---|---|---|---|---|---|"]
    for measure, fields in result["measures"].items():
        cells = [NAMES[measure], rate_cell(fields["rate"])]
        cells += [f"{fields[k]['median']:.2f}" if k in fields else "" for k in ("p50_ms", "p99_ms", "longest_ms")]
        growth = fields.get("memory_growth")
        cells.append(f"{growth['median'] / 2**20:.0f} MiB" if growth else "")
        lines.append("| " + " | ".join(cells) + " |")
    lines += ratio_lines(result["ratios"], thresholds)
    lines += ["", "| id | events/s | must reach | |", "|---|---|---|---|"]
    for name, measure in RATES:
        rate = result["measures"][measure]["rate"]["median"]
        least = thresholds[name.lower().replace(" ", "_")]
        lines.append(f"| {name} | {show(rate)} | {show(least)} | {'reached' if rate >= least else 'missed'} |")
    lines.append("")
    return "\n".join(lines)


def chart(result):
    bars = [(NAMES[measure], fields["rate"], measure != "message-db") for measure, fields in result["measures"].items()]
    return bar_chart("Events a second", bars)


def run(programs, options, thresholds):
    about = machine(programs)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        peer = message_db.MessageDb(name) if message_db.available() else None
        try:
            rounds = []
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
                rounds.append(run_round(programs, options, peer))
        finally:
            if peer:
                peer.stop()
    result = {"machine": about, "rounds": options.rounds, "quick": options.quick} | summarise(rounds)
    write_results(options.results, "http", result, table(result, thresholds), chart(result))
