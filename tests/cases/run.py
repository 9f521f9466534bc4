#!/usr/bin/env python3
"""Runs one case of tests/cases (README.md beside this file says what a case is).

usage: run.py CASE-FOLDER BUILD-FOLDER      exit 0 as expected, 1 not, 77 cannot run here
"""

import difflib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import document

ROOT = Path(__file__).resolve().parents[2]
OWN = {"cmd", "stdin", "needs", "expected"}  # files of a case that are no input; expected.* too
MODEL_TEXTS = (".onnx.txt", ".tflite.txt")
SKIPPED = 77
TIME_LIMIT = 120


class Skip(Exception):
    pass


class Case:
    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        self.place = build / "tests/cases" / folder.parent.name / folder.name
        self.work = self.place / "work"
        lines = (folder / "cmd").read_text(encoding="utf-8").splitlines()
        lines = [line for line in lines if line.strip() and not line.startswith("#")]
        assert len(lines) == 1, f"{folder}/cmd: one line of arguments, and comments"
        self.arguments = shlex.split(lines[0])
        needs = folder / "needs"
        self.needs = needs.read_text().split() if needs.exists() else []
        self.differences = []

    def prepare(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.work.mkdir(parents=True)
        for path in sorted(self.folder.iterdir()):
            if path.name in OWN or path.name.startswith("expected."):
                continue
            if path.name.endswith(MODEL_TEXTS):
                self.write_model(path, self.work / path.name)
            elif path.is_dir():
                shutil.copytree(path, self.work / path.name)
                for text in sorted((self.work / path.name).rglob("*.txt")):
                    if text.name.endswith(MODEL_TEXTS):
                        self.write_model(text, text)
                        text.unlink()
            else:
                shutil.copy(path, self.work / path.name)
        # Names, not absolute paths, so that messages are the same on every machine.
        (self.work / "samples").symlink_to(ROOT.parent / "shared/samples")
        (self.work / "models").symlink_to(ROOT / "build/models")
        (self.work / "support").symlink_to(self.build / "tests/support")

    def write_model(self, text, target):
        tool = self.build / "tests/support/opscope-model-text"
        subprocess.run([tool, text, target.with_suffix("")], check=True)

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        libraries = sorted((ROOT / "build/engines/ort").glob("libonnxruntime.so.*"))
        if libraries:
            kept["OPSCOPE_ORT_LIBRARY"] = str(libraries[-1])
        elif "engine" in self.needs:
            raise Skip("needs the engine: ./dev test fetches it into build/engines")
        return kept | {"LC_ALL": "C.UTF-8"}

    def check_files(self):
        for argument in self.arguments:
            place = argument.split("=")[-1]
            if place.split("/")[0] in ("samples", "models") and not (self.work / place).exists():
                raise Skip(f"needs {place}, which is not on this machine")

    def run(self):
        self.prepare()
        environment = self.environment()
        self.check_files()
        stdin = self.folder / "stdin"
        return subprocess.run(
            [self.build / "opscope", *self.arguments],
            cwd=self.work,
            env=environment,
            input=stdin.read_bytes() if stdin.exists() else b"",
            capture_output=True,
            timeout=TIME_LIMIT,
        )

    def compare(self, expected, name, actual):
        """Text against the file `expected`; an absent file stands for empty text."""
        before = expected.read_bytes() if expected.exists() else b""
        if actual == before:
            return
        if os.environ.get("UPDATE_EXPECTED"):
            expected.write_bytes(actual) if actual else expected.unlink()
            print(f"updated {expected}")
            return
        kept = self.place / f"{name}.actual"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(actual)
        old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, actual))
        diff = difflib.unified_diff(old, new, str(expected), str(kept), lineterm="")
        self.differences.append("\n".join(diff))

    def match(self, expected, text):
        """Lines of regular expressions, found in this order: for what is measured."""
        for problem in document.unmatched(expected.read_text(encoding="utf-8"), text):
            self.differences.append(f"{expected}: not found in the output: {problem}")

    def check(self, done):
        for name, actual in (("stdout", done.stdout), ("stderr", done.stderr)):
            pattern = self.folder / f"expected.{name}.match"
            (self.place / f"{name}.actual").write_bytes(actual)
            if pattern.exists():
                self.match(pattern, actual.decode("utf-8", "replace"))
            elif name == "stderr" or not (self.folder / "expected.facts").exists():
                self.compare(self.folder / f"expected.{name}", name, actual)
        code = b"" if done.returncode == 0 else b"%d\n" % done.returncode
        self.compare(self.folder / "expected.exit", "exit", code)
        for expected in sorted((self.folder / "expected").rglob("*")):
            written = self.work / expected.relative_to(self.folder / "expected")
            if expected.is_file():
                self.compare(expected, written.name, written.read_bytes() if written.exists() else b"")

    def check_documents(self, done):
        texts = {"stdout": done.stdout}
        texts |= {path.name: path.read_bytes() for path in sorted(self.work.glob("*.json"))}
        for name, text in texts.items():
            for problem in document.problems(text, ROOT / "schema"):
                self.differences.append(f"{name}: {problem}")
        facts = self.folder / "expected.facts"
        if facts.exists():
            self.differences += document.wrong_facts(facts.read_text(encoding="utf-8"), texts)


def main(case):
    done = case.run()
    case.check(done)
    case.check_documents(done)
    print(f"opscope {shlex.join(case.arguments)}    (in {case.work})")
    print("\n".join(case.differences) or "as expected")
    return 1 if case.differences else 0


if __name__ == "__main__":
    try:
        sys.exit(main(Case(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())))
    except Skip as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
