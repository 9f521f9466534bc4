#!/usr/bin/env python3
"""Fails on an include that points the wrong way (docs/architecture.md has the table).

usage: check.py ROOT

A folder includes itself and what stands in MAY_KNOW, with all that those may know; a library only
where OWNERS puts it, and never in a public header. Every finding is one line: place, include, why.
"""

import re
import sys
from pathlib import Path

# Folder -> the folders it may know. No entry, no include.
MAY_KNOW = {
    "base": [],
    "document": ["base"],
    "model": ["base"],
    "model/formats": ["model"],
    "ops": ["model"],
    "cost": ["ops"],
    "trace": ["base"],
    "trace/formats": ["trace"],
    "trace/export": ["trace"],
    "device": ["cost"],
    "join": ["cost", "trace", "device"],
    "compare": ["join"],
    "engine": ["model", "trace"],
    "measure": ["engine", "device"],
    "report": ["document", "compare"],
    "app": ["report", "measure", "model/formats", "trace/formats", "trace/export"],
    "cli": ["app"],
    "python": ["app"],
    "engines": ["base"],
}

# Library -> (how its headers begin, Debian package, the folders that may include it).
OWNERS = {
    "CLI11": ("CLI/", "libcli11-dev", ["cli"]),
    "libdeflate": ("libdeflate.h", "libdeflate-dev", ["base"]),
    "nanobind": ("nanobind/", "nanobind", ["python"]),
    "simdjson": ("simdjson.h", "libsimdjson-dev", ["trace/formats"]),
    "SQLite": ("sqlite3.h", "libsqlite3-dev", ["trace/formats"]),
    "xxHash": ("xxhash.h", "libxxhash-dev", ["base"]),
    "zlib": ("zlib.h", "zlib1g-dev", ["base"]),
    "zstd": ("zstd.h", "libzstd-dev", ["base"]),
}

# The C++ library has no dot in its names; these are the C headers of the system.
SYSTEM = re.compile(
    r"[a-z_0-9]+|(sys|linux|asm|arpa|netinet)/\w+\.h"
    r"|(arm_neon|cpuid|dirent|dlfcn|elf|emmintrin|errno|fcntl|link|malloc|poll|pthread|sched|signal|spawn|stdlib|string|termios|time|unistd)\.h"
)
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Public headers: what the folder below them may see of them.
PUBLIC_OF = {"document": "document", "document.h": "document", "requests.h": "app"}


def known_by(folder):
    known = {folder}
    for other in MAY_KNOW[folder]:
        known |= known_by(other)
    return known


def folder_of(parts):
    """The folder that a path below src/ belongs to: formats are one of their own."""
    if len(parts) > 2 and parts[1] == "formats":
        return "/".join(parts[:2])
    return parts[0]


def check_quoted(path, own, name):
    parts = name.split("/")
    if parts[0] == "opscope":
        target = PUBLIC_OF.get(parts[1])  # the others stand below everything
    elif own == "public":
        return "a public header may include public headers only"
    elif (path.parent / name).is_file() or re.fullmatch(r"\w+\.inc", name):  # of the build
        return None
    else:
        target = folder_of(parts)
    if target is None or own == "public" or target in known_by(own):
        return None
    if target not in MAY_KNOW:
        return f"{target} is no folder of the table in {Path(__file__).name}"
    return f"{own} may not know {target}"


def check_angled(own, name):
    for library, (prefix, _, owners) in OWNERS.items():
        if name.startswith(prefix):
            return None if own in owners else f"{library} is private to {', '.join(owners)}"
    return None if SYSTEM.fullmatch(name) else f"no library of the table in {Path(__file__).name}"


def check_file(root, path, own):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        bracket, name = include.groups()
        wrong = check_angled(own, name) if bracket == "<" else check_quoted(path, own, name)
        if wrong:
            yield f"{path.relative_to(root)}:{number}: {name}: {wrong}"


def files_with_folder(root):
    for top in ("src", "include", "cli", "engines", "python"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                parts = path.relative_to(root / top).parts
                own = {"src": None, "include": "public"}.get(top, top)
                yield path, own or folder_of(parts)


def check_documents(root):
    """A library of the table is installed by the set-up and explained to people."""
    for file in ("tools/packages.txt", "docs/dependencies.md"):
        text = (root / file).read_text(encoding="utf-8")
        for library, (_, package, _) in OWNERS.items():
            if package not in text:
                yield f"{file}: {library} ({package}) is missing"


def main(root):
    found = list(check_documents(root))
    files = list(files_with_folder(root))
    for path, own in files:
        if own != "public" and own not in MAY_KNOW:
            found.append(f"{path.relative_to(root)}: {own} is no folder of the table")
        else:
            found += check_file(root, path, own)
    print("\n".join(found) or f"{len(files)} files include only what they may know")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
