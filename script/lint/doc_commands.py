#!/usr/bin/env python3
"""Runs the commands that the documents show.

  script/lint/doc_commands.py [--program PATH] [FILE...]

A fenced block with the info string "sh check" is run. The blocks of one document run in order, in
one shell and one new empty folder, with annals in PATH. A block fails when a command in it fails.
More words in the info string:

  exit=N             the block must end with exit code N
  background         the block goes on running while the later ones run, and is ended after them
  until="TEXT"       with background: wait (30 s) until the block has printed TEXT
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

FENCE = re.compile(r"^( *)(`{3,})(.*)$")
TIMEOUT_SECONDS = 300

# Until the text is there, or the block has ended, or the time is up.
WAIT = """
for _ in $(seq 300); do
  grep -qF -- {text} {log} && break
  kill -0 "$doc_pid" 2>/dev/null || {{ cat {log}; echo "the block ended early"; exit 1; }}
  sleep 0.1
done
grep -qF -- {text} {log} || {{ cat {log}; echo "not printed within 30 s:" {text}; exit 1; }}
"""


def blocks(path):
    """The checked blocks of a document: line number, options, text."""
    fence, body, options, start = None, [], None, 0
    for number, line in enumerate(path.read_text().split("\n"), start=1):
        match = FENCE.match(line)
        if fence is None and match:
            fence, body, start = match[2], [], number
            words = shlex.split(match[3])
            options = words[2:] if words[:2] == ["sh", "check"] else None
        elif fence is not None and match and match[2].startswith(fence) and not match[3].strip():
            if options is not None:
                yield start, options, "\n".join(body)
            fence = None
        elif fence is not None:
            body.append(line)


def block_script(path, number, options, text, scratch):
    unknown = [word for word in options
               if word != "background" and not word.startswith(("exit=", "until="))]
    if unknown:
        raise ValueError(f"{path}:{number}: unknown option {unknown[0]}")
    named = dict(word.split("=", 1) for word in options if "=" in word)
    place = shlex.quote(f"-- {path}:{number}")
    lines = [f"echo {place}"]
    if "background" in options:
        log = shlex.quote(str(scratch / f"block-{number}.log"))
        lines += ["(", text, f") >{log} 2>&1 &", "doc_pid=$!"]
        if "until" in named:
            lines.append(WAIT.format(text=shlex.quote(named["until"]), log=log))
    elif "exit" in named:
        lines += ["doc_code=0", "(", "set -e", text, ") || doc_code=$?",
                  f'[[ $doc_code == {int(named["exit"])} ]] || '
                  f'{{ echo "exit code $doc_code, not {int(named["exit"])}"; exit 1; }}']
    else:
        lines.append(text)
    return "\n".join(lines)


def run_document(path, checked, program):
    with tempfile.TemporaryDirectory(prefix="annals-docs-") as name:
        scratch = Path(name)
        work = scratch / "work"
        work.mkdir()
        parts = ["set -euo pipefail"]
        parts += [block_script(path, *block, scratch) for block in checked]
        environment = dict(os.environ, HOME=str(work),
                           PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        # A process group of its own, so that background blocks end with the document.
        process = subprocess.Popen(["bash", "-c", "\n".join(parts)], cwd=work, env=environment,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(TIMEOUT_SECONDS) == 0
        except subprocess.TimeoutExpired:
            print(f"not finished after {TIMEOUT_SECONDS} s")
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def main():
    parser = argparse.ArgumentParser(description="runs the commands that the documents show")
    parser.add_argument("--program", type=Path, default=tree.ROOT / "build/dev/bin/annals")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    documents = [path.resolve().relative_to(tree.ROOT) for path in arguments.files]
    documents = documents or tree.files("*.md")

    count, failed = 0, []
    for path in documents:
        checked = list(blocks(tree.ROOT / path))
        if not checked:
            continue
        count += len(checked)
        print(f"{path}: {len(checked)} block(s)", flush=True)
        if not run_document(tree.ROOT / path, checked, arguments.program.resolve()):
            failed.append(path)
    print(f"documented commands: {count} block(s) run, {len(failed)} document(s) failed")
    for path in failed:
        print(f"failed: {path}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
