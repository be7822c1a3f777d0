#!/usr/bin/env python3
"""Runs clang-tidy on the sources that changed, or on all with --all.

  script/lint/tidy.py [--all | --base REVISION | FILE...]

Changed means: against where this branch left origin's default branch; on that branch itself,
against ten commits ago. A changed header stands for one source that includes it.
A result without findings is remembered by the content of the source, of all it includes and of the
settings, so that a repeated run costs nothing. Needs a built build/dev (or --build FOLDER): it has
the compile commands and knows who includes what.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import tree

TIDY = "clang-tidy-19"
COMMITS_WITHOUT_BASE = 10


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=tree.ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def default_base():
    head = git("rev-parse", "HEAD")
    for branch in ("origin/HEAD", "origin/main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    earlier = git("rev-parse", "--verify", "--quiet", f"HEAD~{COMMITS_WITHOUT_BASE}")
    # A younger history is looked at from its beginning: the empty tree.
    return earlier or git("hash-object", "-t", "tree", "/dev/null")


def changed_files(base):
    names = (git("diff", "--name-only", "--diff-filter=d", base) or "").split("\n")
    names += (git("ls-files", "--others", "--exclude-standard") or "").split("\n")
    return {tree.ROOT / name for name in names if name}


def compiled_sources(build):
    """Our own translation units in this build: source -> object."""
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = {}
    for command in commands:
        source = Path(command["file"])
        if source.suffix == ".cpp" and source.is_relative_to(tree.ROOT):
            sources[source] = command.get("output", "")
    return sources


def included_files(build, sources):
    """Source -> files of the tree that it includes, as the compiler saw them."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], check=True,
                             capture_output=True, text=True).stdout
    by_object, current = {}, None
    for line in listing.split("\n"):
        if line and not line.startswith(" "):
            current = by_object.setdefault(line.split(":", 1)[0], set())
        elif line.strip() and current is not None:
            path = Path(os.path.normpath(build / line.strip()))
            if path.is_relative_to(tree.ROOT) and path.is_file():
                current.add(path)
    return {source: by_object.get(output, set()) for source, output in sources.items()}


def select_changed(changed, included):
    chosen = {source for source in included if source in changed}
    for header in sorted(path for path in changed if path.suffix == ".hpp"):
        readers = [source for source in included if header in included[source]]
        if not readers or chosen & set(readers):
            continue
        chosen.add(min(readers, key=lambda source: (source.stem != header.stem,
                                                    len(included[source]), source)))
    return chosen


def fingerprint(source, included, settings):
    digest = hashlib.sha256(settings)
    for path in sorted({source, *included}):
        digest.update(f"{path.relative_to(tree.ROOT)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_test(source):
    return source.name.endswith("_test.cpp") or source.relative_to(tree.ROOT).parts[0] == "tests"


def check(source, build):
    started = time.monotonic()
    command = [TIDY, "-p", str(build), "--quiet", str(source)]
    if is_test(source):
        # A RapidCheck property takes what it was given by value.
        command.append("--checks=-performance-unnecessary-value-param")
    done = subprocess.run(command, cwd=tree.ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The count of suppressed warnings goes to stderr on success: noise.
    output = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    return done.returncode == 0, output, time.monotonic() - started


def parse_arguments():
    parser = argparse.ArgumentParser(description="clang-tidy on changed or all sources")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--base", help="revision that changes are counted from")
    parser.add_argument("--build", default="build/dev", help="build folder (default build/dev)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="*", type=Path)
    return parser.parse_args()


def choose(arguments, included):
    if arguments.files:
        asked = {path.resolve() for path in arguments.files}
        unknown = sorted(str(path) for path in asked - set(included))
        if unknown:
            sys.exit(f"tidy: not compiled in this build: {' '.join(unknown)}")
        return asked
    if arguments.all:
        return set(included)
    return select_changed(changed_files(arguments.base or default_base()), included)


def main():
    arguments = parse_arguments()
    build = (tree.ROOT / arguments.build).resolve()
    if not (build / "compile_commands.json").is_file():
        print(f"tidy: no {build}/compile_commands.json; build the dev preset first",
              file=sys.stderr)
        return 2
    included = included_files(build, compiled_sources(build))
    chosen = choose(arguments, included)

    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    settings = version + (tree.ROOT / ".clang-tidy").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "annals" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    marks = {source: cache / fingerprint(source, included[source], settings) for source in chosen}
    due = sorted(source for source in chosen if not marks[source].exists())
    print(f"tidy: {len(due)} of {len(chosen)} chosen sources to check, "
          f"{len(chosen) - len(due)} known to be clean", flush=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(check, source, build): source for source in due}
        for run in concurrent.futures.as_completed(runs):
            clean, output, seconds = run.result()
            source = runs[run]
            print(f"{'ok  ' if clean else 'FAIL'} {seconds:5.1f} s  "
                  f"{source.relative_to(tree.ROOT)}", flush=True)
            if clean:
                marks[source].touch()
            else:
                failed += 1
                print(output, flush=True)
    if failed:
        print(f"tidy: {failed} source(s) with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
