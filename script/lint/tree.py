"""What the checkers share: the list of files to look at, and how findings are reported."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns):
    """Tracked files and new ones that are not ignored, relative to the root of the tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True).stdout.decode()
    # A file deleted in the work tree is still in the index.
    return sorted({Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()})


def report(name, findings, checked):
    """Prints the findings, one a line; returns the exit code."""
    for finding in findings:
        print(finding)
    if findings:
        print(f"{name}: {len(findings)} finding(s) in {checked} files", file=sys.stderr)
        return 1
    print(f"{name}: {checked} files, no findings")
    return 0
