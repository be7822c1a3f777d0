#!/usr/bin/env python3
"""Reads what the tests of a build with ANNALS_COVERAGE recorded and fails when a module is covered too little.

  script/lint/coverage.py [--build FOLDER]
"""

import argparse
import json
import subprocess
import sys

import tree

# Module -> least share of executed lines, in percent.
GATES = {
    "src/core": 90,
    "src/log": 90,
    "src/wire": 90,
    "src/store/common": 80,
    "src/store/index": 80,
    "src/store/memory": 80,
    "src/store/sqlite": 80,
    "src/store/postgres": 80,
}


def measure(build):
    report = subprocess.run(
        ["gcovr", "--root", str(tree.ROOT), "--filter", f"{tree.ROOT}/src/",
         "--exclude", r".*_test\.cpp", "--exclude-throw-branches", "-j", "2",
         "--gcov-ignore-parse-errors", "--json-summary", "-", str(build)],
        cwd=tree.ROOT, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(report)["files"]


def main():
    parser = argparse.ArgumentParser(description="coverage gate per module")
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--files", action="store_true", help="also print every file")
    arguments = parser.parse_args()
    files = measure((tree.ROOT / arguments.build).resolve())

    failed = False
    for module, gate in GATES.items():
        own = [file for file in files if file["filename"].startswith(module + "/")]
        total = sum(file["line_total"] for file in own)
        if total == 0:
            # Without sources there is nothing to cover; with sources, nothing was measured.
            has_sources = any(path.suffix == ".cpp" for path in tree.files(module))
            failed |= has_sources
            if has_sources:
                print(f"{module:20} not measured")
            continue
        share = 100 * sum(file["line_covered"] for file in own) / total
        verdict = "ok" if share >= gate else f"below {gate} %"
        failed |= share < gate
        print(f"{module:20} {share:5.1f} % of {total:5} lines  {verdict}")
        for file in sorted(own, key=lambda file: file["line_percent"]):
            if arguments.files or share < gate:
                print(f"  {file['line_percent']:5.1f} %  {file['filename']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
