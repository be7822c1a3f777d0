#!/usr/bin/env python3
"""Checks that includes and links between modules go only along the edges below."""

import re
import sys
from pathlib import PurePosixPath

import tree

# Module -> modules whose headers it may include and that it may link. The public headers in
# include/annals belong to everyone. The module itself is always allowed.
EDGES = {
    "core": set(),
    "log": {"core"},
    "wire": {"core"},
    "config": {"core"},
    "store/common": {"log", "core"},
    "store/index": {"core"},
    "store/memory": {"log", "core", "store/common"},
    "store/sqlite": {"log", "core", "store/common", "store/index"},
    "store/postgres": {"log", "core", "store/common"},
    "server": {"log", "wire", "core"},
    "webhook": {"log", "wire", "core"},
    "client": {"wire", "core"},
    "bench": {"log", "core"},
    "cli": {"bench", "client", "log", "wire", "core", "config"},
    "open": {"log", "core", "store/memory", "store/sqlite", "store/postgres"},
}
EDGES["app"] = set(EDGES)

# Headers from outside the tree -> modules that may include them.
THIRD_PARTY = {
    r"blake3\.h|simdjson\.h": {"core"},
    r"nlohmann/.*": set(),
    r"boost/.*": {"server", "webhook", "client"},
    r"openssl/.*": {"server", "webhook", "client", "app"},
    r"curl/.*": {"webhook"},
    r"sqlite3\.h": {"store/sqlite"},
    r"libpq-fe\.h|libpq/.*|postgres_ext\.h": {"store/postgres"},
    r"toml\+\+/.*": {"config"},
    r"CLI/.*": {"cli", "app"},
    r"(spdlog|fmt)/.*": {"server", "webhook", "app"},
    r"prometheus/.*": {"server"},
    r"(gtest|gmock|rapidcheck)([/.].*)?|benchmark/.*": set(),
}

# Modules without I/O, clock and threads, and the headers that would bring them in.
PURE = {"core", "wire"}
IMPURE_HEADERS = re.compile(
    r"thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|fstream|iostream|"
    r"filesystem|sys/.*|unistd\.h|fcntl\.h|pthread\.h|netinet/.*|arpa/.*|poll\.h")

# Link target -> what it stands for, where the name does not say it.
LINK_TARGETS = {
    "annals::blake3": "blake3.h",
    "annals::boost_net": "boost/asio.hpp",
    "simdjson::simdjson": "simdjson.h",
    "SQLite::SQLite3": "sqlite3.h",
    "PostgreSQL::PostgreSQL": "libpq-fe.h",
    "tomlplusplus::tomlplusplus": "toml++/toml.h",
    "CLI11::CLI11": "CLI/CLI.hpp",
    "spdlog::spdlog": "spdlog/spdlog.h",
    "fmt::fmt": "fmt/format.h",
    "OpenSSL::SSL": "openssl/ssl.h",
    "OpenSSL::Crypto": "openssl/evp.h",
    "CURL::libcurl": "curl/curl.h",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LIBRARY_CALL = re.compile(r"annals_(?:library|program)\s*\(([^)]*)\)")


def module_of(parts):
    """The module that a path below src/ belongs to: its folder, for stores the two first ones."""
    if parts[0] == "store" and len(parts) > 1:
        return "/".join(parts[:2])
    return parts[0]


def third_party_owners(header):
    for pattern, owners in THIRD_PARTY.items():
        if re.fullmatch(pattern, header):
            return owners
    return None


def outside_finding(module, header):
    owners = third_party_owners(header)
    if owners is not None and module not in owners:
        return f"<{header}> belongs to {', '.join(sorted(owners)) or 'tests'}"
    if module in PURE and IMPURE_HEADERS.fullmatch(header):
        return f"<{header}>: {module} has no I/O, no clock and no threads"
    return None


def inside_finding(module, header):
    parts = PurePosixPath(header).parts
    if parts[0] == "annals" or module_of(parts) == module:
        return None
    if parts[0] == "testing":
        return f'"{header}": test tools are for tests'
    target = module_of(parts)
    if target not in EDGES:
        return f'"{header}": write the path from src/, as in "core/name.hpp"'
    if target not in EDGES[module]:
        return f'"{header}": no edge {module} -> {target}'
    return None


def public_finding(kind, header):
    """include/annals uses the standard library and itself."""
    if kind == '"':
        return None if header.startswith("annals/") else f'"{header}" in a public header'
    return None if re.fullmatch(r"[a-z_0-9]+", header) else f"<{header}> in a public header"


def includes(path):
    text = (tree.ROOT / path).read_text(errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def source_findings(path):
    parts = path.parts
    public = parts[:2] == ("include", "annals")
    module = None if public else module_of(parts[1:-1])
    if not public and module not in EDGES:
        yield f"{path}: the module {module} has no edges in script/lint/include_edges.py"
        return
    for number, kind, header in includes(path):
        if public:
            finding = public_finding(kind, header)
        elif kind == "<":
            finding = outside_finding(module, header)
        else:
            finding = inside_finding(module, header)
        if finding:
            yield f"{path}:{number}: {finding}"


def example_findings(path):
    """An example sees what a user of the library sees."""
    for number, kind, header in includes(path):
        own = (tree.ROOT / path).parent / header
        if kind == '"' and not header.startswith("annals/") and not own.is_file():
            yield f'{path}:{number}: "{header}": examples use the public headers only'


def link_finding(module, target):
    if target in LINK_TARGETS:
        return outside_finding(module, LINK_TARGETS[target])
    if not target.startswith("annals::"):
        return None
    linked = target.removeprefix("annals::").replace("store_", "store/")
    if linked == module or linked in EDGES[module]:
        return None
    return f"no edge {module} -> {linked}"


def link_findings(path):
    module = module_of(path.parts[1:-1] or ("?",))
    if module not in EDGES:
        return
    text = re.sub(r"#.*", "", (tree.ROOT / path).read_text())
    for call in LIBRARY_CALL.findall(text):
        for target in re.findall(r"[A-Za-z0-9_+]+::[A-Za-z0-9_+]+", call):
            finding = link_finding(module, target)
            if finding:
                yield f"{path}: {target}: {finding}"


def main():
    findings = []
    sources = [path for path in tree.files("src", "include", "examples")
               if path.suffix in {".cpp", ".hpp", ".h"} and not path.name.endswith(("_test.cpp", "_test.hpp"))]
    for path in sources:
        check = example_findings if path.parts[0] == "examples" else source_findings
        findings.extend(check(path))
    lists = [path for path in tree.files("src") if path.name == "CMakeLists.txt"]
    for path in lists:
        findings.extend(link_findings(path))
    return tree.report("include edges", findings, len(sources) + len(lists))


if __name__ == "__main__":
    sys.exit(main())
