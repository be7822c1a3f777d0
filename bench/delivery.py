"""Live delivery by a server, beside nginx with nchan."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bench import measuring

TARGETS = ["annals", "delivery_bench"]
NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")

# Measure, id, program's measure, then (clients, events a second, events): full, quick.
MEASURES = [
    ("idle clients", "D1", "idle", (10_000, 1, 1), (2000, 1, 1)),
    ("fan-out", "D2", "fan-out", (1000, 50, 1000), (200, 50, 150)),
    ("fan-out at full rate", "D3", "fan-out", (5000, 200, 2000), (1000, 200, 600)),
    ("append to arrival", "D4", "arrival", (1, 1, 1000), (1, 1, 200)),
]
# The broker stops far below the full rate, and would take minutes.
PEER_SHARE_OF_D3 = 10


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextmanager
def annals(build, folder):
    """A server on a new log: its port and its processes."""
    command = [build / "bin" / "annals", "serve", "--store", f"sqlite:{folder}/log.db",
               "--listen", "127.0.0.1:0", "--json"]
    with open(folder / "errors", "w") as errors, ended(
            subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True)) as server:
        line = server.stdout.readline()
        if not line:
            sys.exit(f"annals serve: {(folder / 'errors').read_text()}")
        yield int(json.loads(line)["listening"].rsplit(":", 1)[1]), [server.pid]


@contextmanager
def nchan(folder):
    """nginx with nchan, a worker per processor: its port and its processes."""
    port = measuring.free_port()
    places = " ".join(f"{name}_temp_path {folder}/{name};"
                      for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
load_module {NCHAN};
daemon off; pid {folder}/pid; error_log {folder}/errors; user root;
worker_processes {os.cpu_count()}; worker_rlimit_nofile 20000;
events {{ worker_connections 15000; }}
http {{
  access_log off; {places}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /pub {{
      nchan_publisher; nchan_channel_id bench;
      nchan_message_buffer_length 10000; nchan_message_timeout 10m;
    }}
    location = /sub {{
      nchan_subscriber eventsource; nchan_channel_id bench; nchan_subscriber_first_message oldest;
    }}
  }}
}}
""")
    with ended(subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"])) as server:
        while len(children(server.pid)) < os.cpu_count() and server.poll() is None:
            time.sleep(0.05)
        if server.poll() is not None:
            sys.exit(f"nginx: {(folder / 'errors').read_text()}")
        yield port, [server.pid, *children(server.pid)]


def peer_is_there():
    return shutil.which("nginx") is not None and NCHAN.exists()


def run_round(build, parent, quick):
    """Each measure on a new log, the broker directly after ours."""
    program = build / "bin" / "delivery_bench"
    results = {}
    with tempfile.TemporaryDirectory(dir=parent) as name:
        os.chmod(name, 0o755)
        results["sync"] = measuring.run_program(build / "bin" / "annals", "bench", "--json", "--folder", name,
                                                "--measure", "sync", "--count", 500 if quick else 2000)
        for _, key, measure, full, short in MEASURES:
            for who in ["annals", "nchan"] if peer_is_there() else ["annals"]:
                clients, rate, events = short if quick else full
                if who == "nchan" and key == "D3":
                    events //= PEER_SHARE_OF_D3
                (folder := Path(name) / f"{key}-{who}").mkdir()
                with annals(build, folder) if who == "annals" else nchan(folder) as (port, pids):
                    results[f"{key} {who}"] = measuring.run_program(
                        program, measure, who, port, ",".join(map(str, pids)), clients, rate, events)
                shutil.rmtree(folder)
    return results


def ratio(rounds, ours, beside, field):
    if beside not in rounds[0]:
        return None
    return measuring.spread([r[ours][field] / r[beside][field] for r in rounds])


def summarise(rounds):
    figures = {
        "D1 bytes": measuring.spread([r["D1 annals"]["bytes_per_client"] for r in rounds]),
        "D2 p99": ratio(rounds, "D2 annals", "D2 nchan", "p99_ms"),
        "D2 cpu": ratio(rounds, "D2 annals", "D2 nchan", "cpu_us_per_message"),
        "D3 rate": measuring.spread([r["D3 annals"]["rate"] for r in rounds]),
        "D4 p50": measuring.spread([r["D4 annals"]["p50_ms"] / (2 * r["sync"]["p50_ms"] + 1) for r in rounds]),
    }
    return {"measures": measuring.summarise(rounds),
            "figures": {name: value for name, value in figures.items() if value is not None}}


FIGURES = {
    "D1 bytes": "user memory of an idle client, bytes",
    "D2 p99": "99th percentile, of that of nchan",
    "D2 cpu": "processor time for a message, of that of nchan",
    "D3 rate": "messages a second",
    "D4 p50": "median, of two syncs and a millisecond",
}


def verdict(limit, median):
    """A threshold is `most` or `least`."""
    reached = median <= limit["most"] if "most" in limit else median >= limit["least"]
    return "reached" if reached else "missed"


def names_of(result):
    names = {"sync": "sync of 8 KiB"}
    for name, key, _, full, short in MEASURES:
        clients, rate, _ = short if result["quick"] else full
        what = {"D1": f"{clients:,} clients", "D4": "1 client"}.get(key, f"{clients:,} clients, {rate} events/s")
        for who in ("annals", "nchan"):
            names[f"{key} {who}"] = f"{key} {name}, {what}: {who}"
    return names


def table(result, thresholds):
    columns = [("rate", "a second"), ("p50_ms", "p50 ms"), ("p99_ms", "p99 ms"), ("longest_ms", "longest ms"),
               ("cpu_us_per_message", "CPU us a message"), ("bytes_per_client", "bytes a client")]
    lines = measuring.heading("Live delivery", result)
    lines += ["Every client checks that the events are numbered 1, 2, 3, ... A second: messages that arrived, for "
              "D1 connections made. Times count from the moment when an event was due. nchan keeps messages in "
              "memory and syncs nothing.", "",
              "| measure | " + " | ".join(title for _, title in columns) + " |", "|---" * 7 + "|"]
    names = names_of(result)
    for measure, fields in result["measures"].items():
        cells = [measuring.show_spread(fields[k]) if k in fields else "" for k, _ in columns]
        lines.append(f"| {names[measure]} | " + " | ".join(cells) + " |")
    lines += ["", "| id | figure | value | must be | |", "|---|---|---|---|---|"]
    for name, values in result["figures"].items():
        limit = thresholds[name.lower().replace(" ", "_")]
        kind, number = next(iter(limit.items()))
        lines.append(f"| {name.split()[0]} | {FIGURES[name]} | {measuring.show_spread(values)} | at {kind} "
                     f"{number:,} | {verdict(limit, values['median'])} |")
    return "\n".join([*lines, ""])


def groups(result):
    names = names_of(result)

    def bars(field, keys):
        return [(names[m].split(": ")[0] + ", " + m.split()[1], f[field], m.endswith("nchan"))
                for m, f in result["measures"].items() if m.split()[0] in keys]

    return [("Bytes of user memory for an idle client", bars("bytes_per_client", {"D1"})),
            ("Processor time for a message, us", bars("cpu_us_per_message", {"D2", "D3"})),
            ("99th percentile of the time to arrival, ms", bars("p99_ms", {"D2", "D4"})),
            ("Messages a second", bars("rate", {"D3"}))]
