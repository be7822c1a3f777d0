"""The embedded log beside bare SQLite and Redis Streams: E1 to E3 and E7 to E10."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import measuring

TARGETS = ["annals", "floor_bench"]

# Name, measure, events (full, quick). In this order: reads take the log of the batches before them.
MEASURES = [
    ("sync of 8 KiB", "sync", 2000, 500),
    ("bare SQLite, one row a commit", "bare-single", 4000, 1000),
    ("append, 1 caller", "append-single", 4000, 1000),
    ("bare SQLite, 1,000 rows a commit", "bare-batch", 200_000, 50_000),
    ("append, batches of 1,000", "append-batch", 200_000, 50_000),
    ("append, 256 in flight", "append-in-flight", 200_000, 50_000),
    ("append, 256 threads", "append-threads", 100_000, 30_000),
    ("append, 3,000 a second offered", "append-paced", 15_000, 6000),
    ("the same, only queued", "append-queued", 15_000, 6000),
    ("bare SQLite, read", "bare-read", 0, 0),
    ("read forward", "read", 0, 0),
    ("verify", "verify", 0, 0),
    ("find one label value in 100,000", "find", 0, 0),
]
READS = {"bare-read", "read", "verify", "find"}
FLOORS = {"bare-single", "bare-batch", "bare-read"}

# Id, ours, beside.
RATIOS = [
    ("E1", "append-single", "bare-single"),
    ("E2", "append-in-flight", "append-batch"),
    ("E2 peer", "append-in-flight", "redis"),
    ("E2 threads", "append-threads", "append-batch"),
    ("E3", "append-batch", "bare-batch"),
    ("E7", "verify", "bare-read"),
]
NAMES = {measure: name for name, measure, _, _ in MEASURES} | {
    "redis": "Redis Streams, appendfsync always, 50 clients"}


def measure_redis(folder, count):
    """XADD of the same payload, acknowledged after its sync; the length of the stream is checked."""
    port = str(measuring.free_port())
    server = subprocess.Popen(
        ["redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
         "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no"],
        stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if subprocess.run(["redis-cli", "-p", port, "ping"], capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        begin = time.monotonic()
        subprocess.run(
            ["redis-benchmark", "-p", port, "-c", "50", "-n", str(count), "-q", "XADD", "events", "*",
             "country", "c12", "customer", "k12345", "payload", "x" * 300],
            check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        length = int(subprocess.check_output(["redis-cli", "-p", port, "xlen", "events"]))
        if length != count:
            sys.exit(f"Redis holds {length} of {count} events")
        return {"count": count, "seconds": seconds, "rate": count / seconds}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def run_measure(build, measure, folder, count):
    told = [count] if count else []
    if measure in FLOORS:
        return measuring.run_program(build / "bin" / "floor_bench", measure, folder, *told)
    return measuring.run_program(build / "bin" / "annals", "bench", "--json", "--keep", "--folder", folder,
                                 "--measure", measure, *(["--count", *told] if told else []))


def run_round(build, parent, quick):
    results = {}
    with tempfile.TemporaryDirectory(dir=parent) as name:
        round_folder = Path(name)
        for _, measure, full, short in MEASURES:
            # What reads takes the log that the batches made.
            folder = round_folder
            if measure in FLOORS:
                folder = round_folder / ("append-batch" if measure in READS else measure)
                folder.mkdir(exist_ok=True)
            # It syncs everything first: not between measures that do not need it.
            before = measuring.bytes_written(folder) if measure == "append-batch" else None
            results[measure] = run_measure(build, measure, folder, short if quick else full)
            if measure == "append-batch":
                count = results[measure]["count"]
                results[measure]["bytes_per_event"] = measuring.folder_size(folder / measure) / count
                if before is not None:
                    results[measure]["written_per_event"] = (measuring.bytes_written(folder) - before) / count
            elif measure in FLOORS - READS:
                shutil.rmtree(folder)
        if shutil.which("redis-server") and shutil.which("redis-benchmark"):
            folder = round_folder / "redis"
            folder.mkdir()
            results["redis"] = measure_redis(folder, 50_000 if quick else 200_000)
    return results


def run_large(build, parent, quick):
    seconds = 10 if quick else 60
    sizes = [100_000, 1_000_000] if quick else [100_000, 1_000_000, 10_000_000]
    results = []
    for title, measure, count in [(f"256 in flight, {seconds} s", "append-minute", seconds)] + [
            (f"256 in flight, to {size:,} events", "append-large", size) for size in sizes]:
        print(f"embedded: {title}", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=parent) as name:
            results.append({"title": title} | run_measure(build, measure, Path(name), count))
    return results


def lock_between_commits(connection):
    """SQLite's own waiting naps, and would find the lock taken by the next commit again and again."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
    sys.exit("the store was never free to be held")


def run_freeze(build, parent):
    """Another process holds the store's write lock for two seconds in the middle of 3,000 events/s."""
    offered, before, held, after = 3000, 3.0, 2.0, 0.5
    with tempfile.TemporaryDirectory(dir=parent) as name:
        command = [build / "bin" / "annals", "bench", "--json", "--keep", "--folder", name, "--measure", "append-paced",
                   "--count", str(int(offered * (before + held + 3)))]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as writer:
            database = Path(name) / "append-paced" / "log.db"
            while not database.exists():
                time.sleep(0.01)
            time.sleep(before)
            other = sqlite3.connect(database, isolation_level=None, timeout=0)
            lock_between_commits(other)
            begun = time.time()
            time.sleep(held)
            other.execute("ROLLBACK")
            time.sleep(after)
            appended = other.execute("SELECT count(*) FROM annals_events WHERE recorded_at BETWEEN ? AND ?",
                                     (begun * 1e6, (begun + held + after) * 1e6)).fetchone()[0]
            other.close()
            line = writer.stdout.read()
        if writer.returncode != 0:
            sys.exit("the log did not survive a store that stood still")
    found = json.loads(line)
    if found["longest_ms"] < held * 1000 * 0.9:
        sys.exit("the store was not held while events came")
    return found | {"in_window": appended / (held + after)}


def run_once(build, parent, quick):
    """What is measured once, after the rounds."""
    return {"freeze": run_freeze(build, parent), "once": run_large(build, parent, quick)}


def summarise(rounds):
    ratios = {}
    for name, ours, beside in RATIOS:
        # Verification uses every core, its floor one.
        cores = os.cpu_count() if ours == "verify" else 1
        if beside in rounds[0]:
            ratios[name] = measuring.spread([r[ours]["rate"] / r[beside]["rate"] / cores for r in rounds])
    return {"measures": measuring.summarise(rounds), "ratios": ratios}


def table(result, thresholds):
    lines = measuring.heading("Embedded log", result)
    lines += ["| measure | events/s | p50 ms | p95 ms | p99 ms | longest ms |", "|---|---|---|---|---|---|"]
    for measure, fields in result["measures"].items():
        cells = [NAMES[measure], measuring.show_spread(fields["rate"])]
        cells += [f"{fields[k]['median']:.2f}" if k in fields else ""
                  for k in ("p50_ms", "p95_ms", "p99_ms", "longest_ms")]
        lines.append("| " + " | ".join(cells) + " |")
    lines += measuring.ratio_lines(result["ratios"], thresholds)
    lines += ["", "| once | events/s | p50 ms | p99 ms | longest ms |", "|---|---|---|---|---|"]
    for found in result["once"]:
        lines.append(f"| {found['title']} | {measuring.show(found['rate'])} | {found['p50_ms']:.2f} | "
                     f"{found['p99_ms']:.2f} | {found['longest_ms']:.2f} |")
    freeze = result["freeze"]
    lines += ["", f"3,000 events/s offered while another process held the write lock for 2 s: {freeze['count']:,} events, "
              f"each once, verified; {freeze['in_window']:,.0f} events/s from the lock until half a second after it; "
              f"longest answer {freeze['longest_ms']:,.0f} ms."]
    batch = result["measures"]["append-batch"]
    lines += ["", f"Bytes on disk per event, index included: {batch['bytes_per_event']['median']:.0f}."]
    if "written_per_event" in batch:
        lines.append(f"Bytes given to the disk per event: {batch['written_per_event']['median']:.0f}.")
    lines.append("")
    return "\n".join(lines)


def groups(result):
    left_out = READS | {"sync", "append-paced", "append-queued"}
    bars = [(NAMES[measure], fields["rate"], measure in FLOORS | {"redis"})
            for measure, fields in result["measures"].items() if measure not in left_out]
    return [("Events a second, durable at the answer", bars)]
