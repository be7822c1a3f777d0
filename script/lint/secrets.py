#!/usr/bin/env python3
"""Looks for credentials in the tree. A line that has to look like one, such as a test vector, says
so with the words "not a secret"."""

import re
import sys

import tree

PATTERNS = {
    "private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "cloud access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "cloud API key": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "code host token": r"\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,})",
    "package registry token": r"\b(?:npm_[0-9A-Za-z]{36}|pypi-[\w-]{50,})",
    "chat token": r"\bxox[abprs]-[0-9A-Za-z-]{10,}",
    "payment key": r"\b[rs]k_live_[0-9A-Za-z]{16,}",
    "signed token": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
    "password in an address": r"\b[a-z][a-z0-9+]*://[^\s:/@'\"<>$]+:[^\s:/@'\"<>$]{3,}@[^\s'\"]+",
}
COMPILED = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}
EXCEPTION = "not a secret"


def file_findings(path):
    data = (tree.ROOT / path).read_bytes()
    if b"\0" in data:
        return
    for number, line in enumerate(data.decode(errors="replace").split("\n"), start=1):
        if EXCEPTION in line:
            continue
        for kind, pattern in COMPILED.items():
            if pattern.search(line):
                yield f"{path}:{number}: looks like a {kind}"


def main():
    paths = [path for path in tree.files() if path.as_posix() != "script/lint/secrets.py"]
    findings = [finding for path in paths for finding in file_findings(path)]
    return tree.report("secrets", findings, len(paths))


if __name__ == "__main__":
    sys.exit(main())
