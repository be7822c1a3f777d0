"""What the benchmarks of script/bench share: the machine, its disk, medians, tables and charts."""

import json
import os
import platform
import socket
import statistics
import subprocess
import sys


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_json(command, **options):
    """The line of JSON that a program prints; ends everything when the program fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
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


def machine(programs):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
               platform.machine())
    return {"cpus": os.cpu_count(), "cpu": cpu, "kernel": platform.release(),
            "load_at_start": os.getloadavg()[0], "build": programs.parent.name,
            "durability": "every append synced before its answer (SQLite synchronous=FULL)"}


def show(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def ratio_lines(ratios, thresholds):
    """The table of ratios, each with what it must reach."""
    lines = ["", "| id | ratio | must reach | |", "|---|---|---|---|"]
    for name, ratio in ratios.items():
        least = thresholds.get(name.lower().replace(" ", "_"))
        verdict = "" if least is None else "reached" if ratio["median"] >= least else "missed"
        lines.append(f"| {name} | {ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f}) | "
                     f"{'' if least is None else least} | {verdict} |")
    return lines


def about_lines(title, result):
    """Heading, and where and how the figures were taken."""
    machine = result["machine"]
    return [f"# {title}", "", f"{machine['cpus']} CPUs ({machine['cpu']}), load {machine['load_at_start']:.1f} at "
            f"the start, {result['rounds']} rounds, build `{machine['build']}`. Median (lowest to highest).", ""]


def rate_cell(rate):
    return f"{show(rate['median'])} ({show(rate['min'])} to {show(rate['max'])})"


def bar_chart(title, bars):
    """Bars with their spread; a bar is (name, rates, ours)."""
    most = max(rate["max"] for _, rate, _ in bars)
    rows = []
    for i, (name, rate, ours) in enumerate(bars):
        y = 40 + i * 34
        x = {k: 300 + 460 * rate[k] / most for k in ("median", "min", "max")}
        rows.append(f'<text x="290" y="{y + 14}" text-anchor="end">{name}</text>'
                    f'<rect x="300" y="{y}" width="{x["median"] - 300:.1f}" height="20" '
                    f'fill="{"#2f6fb0" if ours else "#8a8f98"}"/>'
                    f'<line x1="{x["min"]:.1f}" x2="{x["max"]:.1f}" y1="{y + 10}" y2="{y + 10}" stroke="#111"/>'
                    f'<text x="{x["max"] + 8:.1f}" y="{y + 14}">{show(rate["median"])}</text>')
    height = 60 + len(bars) * 34
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-family="sans-serif" '
            f'font-size="13"><rect width="860" height="{height}" fill="#fff"/>'
            f'<text x="20" y="22" font-size="15">{title}</text>{"".join(rows)}</svg>\n')


def write_results(folder, name, result, table, chart):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
    (folder / f"{name}.md").write_text(table)
    (folder / f"{name}.svg").write_text(chart)
    print(table)
