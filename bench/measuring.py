"""What the benchmarks share: programs that print a measure, spreads, tables, charts."""

import json
import os
import platform
import socket
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_program(program, *arguments, stdin=None):
    """What a program prints last: one measure as JSON. Ends everything when it fails."""
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, stdin=stdin)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def folder_size(folder):
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())


def bytes_written(folder):
    """What the disk below a folder was given so far, by everybody."""
    os.sync()
    device = os.stat(folder).st_dev
    name = [str(os.major(device)), str(os.minor(device))]
    lines = [line.split() for line in open("/proc/diskstats")]
    return next((int(line[9]) * 512 for line in lines if line[:2] == name), None)


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summarise(rounds):
    """Per measure, the spread of each of its numbers over the rounds."""
    measured = {}
    for measure in rounds[0]:
        fields = {k for r in rounds for k in r[measure] if k not in ("measure", "unit", "count", "seconds")}
        measured[measure] = {k: spread([r[measure][k] for r in rounds]) for k in sorted(fields)}
        measured[measure]["count"] = rounds[0][measure]["count"]
    return measured


def machine(build):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
               platform.machine())
    return {"cpus": os.cpu_count(), "cpu": cpu, "kernel": platform.release(),
            "load_at_start": os.getloadavg()[0], "build": build.name,
            "durability": "every append synced before its answer (SQLite synchronous=FULL)"}


def show(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def show_spread(values):
    return f"{show(values['median'])} ({show(values['min'])} to {show(values['max'])})"


def heading(title, result):
    about = result["machine"]
    return [f"# {title}", "", f"{about['cpus']} CPUs ({about['cpu']}), load "
            f"{about['load_at_start']:.1f} at the start, {result['rounds']} rounds, build "
            f"`{about['build']}`. Median (lowest to highest).", ""]


def ratio_lines(ratios, thresholds):
    """The table of ratios, each with what it must reach."""
    lines = ["", "| id | ratio | must reach | |", "|---|---|---|---|"]
    for name, ratio in ratios.items():
        least = thresholds.get(name.lower().replace(" ", "_"))
        verdict = "" if least is None else "reached" if ratio["median"] >= least else "missed"
        lines.append(f"| {name} | {show_spread(ratio)} | {'' if least is None else least} | {verdict} |")
    return lines


def chart(groups):
    """Bars with their spread. Each group is a title and its bars; a bar is a name, a spread, and
    whether it is a floor or a peer."""
    rows, y = [], 0
    for title, bars in groups:
        y += 22
        rows.append(f'<text x="20" y="{y}" font-size="15">{title}</text>')
        most = max(values["max"] for _, values, _ in bars)
        y += 18
        for name, values, beside in bars:
            x = {k: 300 + 460 * values[k] / most for k in ("median", "min", "max")}
            rows.append(f'<text x="290" y="{y + 14}" text-anchor="end">{name}</text>'
                        f'<rect x="300" y="{y}" width="{x["median"] - 300:.1f}" height="20" '
                        f'fill="{"#8a8f98" if beside else "#2f6fb0"}"/>'
                        f'<line x1="{x["min"]:.1f}" x2="{x["max"]:.1f}" y1="{y + 10}" y2="{y + 10}" '
                        f'stroke="#111"/>'
                        f'<text x="{x["max"] + 8:.1f}" y="{y + 14}">{show(values["median"])}</text>')
            y += 34
    height = y + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-family="sans-serif" '
            f'font-size="13"><rect width="860" height="{height}" fill="#fff"/>{"".join(rows)}</svg>\n')


def write(name, result, table, groups):
    """The result as JSON, table and chart in bench/results; prints the table."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
    (RESULTS / f"{name}.md").write_text(table)
    (RESULTS / f"{name}.svg").write_text(chart(groups))
    print(table)
