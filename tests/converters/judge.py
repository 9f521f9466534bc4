"""What the judges share: asking opscope, and collecting what is wrong."""

import json
import subprocess
import sys
from pathlib import Path


class Judge:
    def __init__(self, opscope, folder, models):
        self.opscope, self.folder, self.models = opscope, Path(folder), Path(models)
        self.faults = []
        self.checked = 0

    def run(self, *arguments):
        done = subprocess.run([self.opscope, *map(str, arguments), "--format", "json"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            self.faults.append(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
            return None
        return json.loads(done.stdout)

    def expect(self, what, got, want):
        self.checked += 1
        if got != want:
            self.faults.append(f"{what}: {got}, not {want}")

    def same_layers(self, a, b, but_parts=0):
        """MACs are equal, and every layer with MACs has its partner or is part of one."""
        report = self.run("compare", a, b)
        if report is None:
            return
        comparison = report["comparison"]
        name = f"{Path(a).name} and {Path(b).name}"
        macs = next(total for total in comparison["totals"] if total["name"] == "macs")
        self.expect(f"{name}: MACs {macs}: difference", macs["delta"], 0)
        alone = [one for one in comparison["removed"] + comparison["added"]
                 if one["macs"] != 0 and not (one["became"] or "").startswith("part of ")]
        self.expect(f"{name}: layers with MACs alone", [one["name"] for one in alone], [])
        differ = [one["name"] for one in comparison["changed"] if "macs" in one["what"]]
        self.expect(f"{name}: layers whose MACs differ", differ, [])
        print(f"{name}: {comparison['matched']} layers matched")

    def finish(self):
        print("\n".join(self.faults) or f"all as it should be: {self.checked} checks")
        return 1 if self.faults else 0


def start():
    return Judge(*sys.argv[1:])
