"""document.py accepts a report that adds up and names what does not."""

import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import document

NUMBERS = dict.fromkeys(document.ARITHMETIC + document.TRAFFIC + ["parameters"], 0)
LAYER = NUMBERS | {"id": 0, "times": 2, "macs": 5, "flops": 10, "operations": 10, "parameters": 7}
REPORT = {
    "schema": "opscope.report/1",
    "static": {
        "totals": NUMBERS | {"macs": 10, "flops": 20, "operations": 20, "parameters": 7},
        "layers": [LAYER],
    },
    "runs": [
        {
            "id": 0,
            "reconciliation": {
                "wall_ns": 100, "layers_ns": 60, "runtime_ns": 20, "unmatched_ns": 0, "gap_ns": 20,
            },
            "events": [{"kind": "layer", "wall_ns": 60}, {"kind": "runtime", "wall_ns": 20}],
        }
    ],
    "joined": [{"run": 0, "layer": 0, "wall_ns": 60}],
}
SCHEMA = {"type": "object", "properties": {"runs": {"type": "array"}}, "required": ["static"]}


def changed(**changes):
    """A copy of REPORT with the values at a/b/0/c replaced."""
    report = copy.deepcopy(REPORT)
    for path, value in changes.items():
        *parents, last = [int(p) if p.isdigit() else p for p in path.split("__")]
        place = report
        for parent in parents:
            place = place[parent]
        place[last] = value
    return report


class DocumentTest(unittest.TestCase):
    def problems(self, report):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "opscope.report-1.schema.json").write_text(json.dumps(SCHEMA))
            return list(document.problems(json.dumps(report).encode(), Path(folder)))

    def test_right_ones_pass(self):
        self.assertEqual(self.problems(REPORT), [])
        self.assertEqual(self.problems(changed(static__totals__macs=None)), [])
        self.assertEqual(self.problems({"schema": "something else"}), [])

    def test_wrong_ones_are_named(self):
        for report, part in (
            (changed(schema="opscope.report/9"), "is not there"),
            (changed(runs="none"), "at $.runs"),
            (changed(static__totals__macs=11), "macs of the layers is 10"),
            (changed(static__layers__0__flops=9), "layer 0: flops 9"),
            (changed(static__layers__0__operations=11), "layer 0: operations"),
            (changed(runs__0__reconciliation__gap_ns=21), "are not the wall"),
            (changed(runs__0__reconciliation__runtime_ns=-20), "negative time"),
            (changed(runs__0__events__0__wall_ns=61), "rows give layers_ns 61"),
            (changed(joined__0__wall_ns=59), "joined layers take 59"),
        ):
            self.assertIn(part, "\n".join(self.problems(report)))

    def test_patterns_come_in_order(self):
        self.assertEqual(list(document.unmatched("a.c\n\nx$", "abc\nyx\n")), [])
        self.assertEqual(list(document.unmatched("x\nabc", "abc\nx")), ["abc"])

    def test_facts(self):
        texts = {"stdout": json.dumps(REPORT)}
        right = "stdout runs.0.reconciliation.wall_ns 100\nstdout joined.0.layer 0\n"
        self.assertEqual(list(document.wrong_facts(right, texts)), [])
        for wrong in ("stdout runs.0.id 1", "stdout runs.1.id 0", "stdout joined.x 0", "b.json id 0"):
            self.assertEqual(len(list(document.wrong_facts(wrong, texts))), 1, wrong)


if __name__ == "__main__":
    unittest.main()
