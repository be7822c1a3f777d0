#!/usr/bin/env python3
"""Rules for every text file: plain hyphens, no trailing space, a newline at the end, open work only
with an issue number, sources of at most 500 lines, no tabs in C++."""

import re
import sys

import tree

MAX_LINES = 500
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py", ".cmake", ".js", ".ts", ".css", ".html"}
CPP_SUFFIXES = {".cpp", ".hpp", ".h"}

# Test vectors are kept byte for byte as they are.
VERBATIM = re.compile(r"(^|/)(golden|testdata|vectors|corpus)/|(^|/)package-lock\.json$")

LONG_DASH = re.compile("[\u2013\u2014]")
# Split, so that this file keeps its own rule.
OPEN_WORK = re.compile(r"\b(" + "TO" r"DO|FIX" r"ME|XX" r"X)\b")
ISSUE = re.compile(r"#\d+")


def line_findings(path, number, line):
    place = f"{path}:{number}"
    if LONG_DASH.search(line):
        yield f"{place}: en or em dash; write a plain hyphen"
    if line != line.rstrip():
        yield f"{place}: trailing white space"
    if OPEN_WORK.search(line) and not ISSUE.search(line):
        yield f"{place}: open work without an issue number (#123)"
    if path.suffix in CPP_SUFFIXES and "\t" in line:
        yield f"{place}: tab"


def file_findings(path):
    data = (tree.ROOT / path).read_bytes()
    if not data or b"\0" in data:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield f"{path}: not UTF-8"
        return
    if not text.endswith("\n"):
        yield f"{path}: no newline at the end"
    lines = text.split("\n")
    if path.suffix in SOURCE_SUFFIXES and len(lines) - 1 > MAX_LINES:
        yield f"{path}: {len(lines) - 1} lines, at most {MAX_LINES}"
    for number, line in enumerate(lines, start=1):
        yield from line_findings(path, number, line)


def main():
    paths = [path for path in tree.files() if not VERBATIM.search(path.as_posix())]
    findings = [finding for path in paths for finding in file_findings(path)]
    return tree.report("text rules", findings, len(paths))


if __name__ == "__main__":
    sys.exit(main())
