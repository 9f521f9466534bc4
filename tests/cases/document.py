"""What every report must hold, whatever it is about: its schema, and sums that add up.

Kept apart from the program on purpose: this is a second reading of docs, not a call of ours.
"""

import json
import re

COLUMNS = ["macs", "bias_adds", "elementwise", "transcendental", "comparisons"]
ARITHMETIC = COLUMNS + ["flops", "operations"]
TRAFFIC = ["read_bytes", "write_bytes", "weight_bytes"]


def problems(text, schemas):
    """The faults of a report as sentences; none for text that is no report."""
    try:
        document = json.loads(text)
    except ValueError:
        return
    if not isinstance(document, dict) or not str(document.get("schema")).startswith("opscope."):
        return
    faults = list(against_schema(document, schemas))
    yield from faults
    if not faults:
        for report in document.get("reports", [document]):
            yield from adds_up(report)


def against_schema(document, schemas):
    import jsonschema  # late: most cases write no JSON

    file = schemas / (document["schema"].replace("/", "-") + ".schema.json")
    if not file.is_file():
        yield f"schema/{file.name} is not there"
        return
    schema = json.loads(file.read_text(encoding="utf-8"))
    schema.pop("$id", None)  # a name, not an address to resolve references against
    validator = jsonschema.Draft202012Validator(schema)
    for error in list(validator.iter_errors(document))[:10]:
        yield f"schema: at {error.json_path}: {error.message[:200]}"


def adds_up(report):
    if report.get("static"):
        yield from static_adds_up(report["static"])
    for run in report.get("runs", []):
        yield from run_adds_up(run, [row for row in report["joined"] if row["run"] == run["id"]])


def integer(value):
    """Integers past 2^53 are written as decimal strings."""
    return value if value is None else int(value)


def static_adds_up(static):
    totals, layers = static["totals"], static["layers"]
    for columns, by_times in ((ARITHMETIC + TRAFFIC, True), (["parameters"], False)):
        for column in columns:
            total = integer(totals[column])
            known = [layer for layer in layers if layer[column] is not None]
            if total is None or any(layer["times"] is None for layer in known):
                continue
            rows = sum(integer(row[column]) * (row["times"] if by_times else 1) for row in known)
            if rows != total:
                yield f"static: {column} of the layers is {rows}, of the totals {total}"
    for name, tool in totals.get("by_convention", {}).items():
        yield from convention_adds_up(name, tool, totals)
    for row in [totals, *layers]:
        counts = {column: integer(row[column]) for column in ARITHMETIC}
        if None in counts.values():
            continue
        name = f"layer {row['id']}" if "id" in row else "totals"
        if counts["flops"] != 2 * counts["macs"]:
            yield f"static: {name}: flops {counts['flops']} is not twice macs {counts['macs']}"
        if counts["operations"] != counts["flops"] + sum(counts[name] for name in COLUMNS[1:]):
            yield f"static: {name}: operations is not flops and the other four columns"


def convention_adds_up(name, tool, totals):
    unit = {"MAC": "macs", "FLOP": "flops"}[tool["unit"]]
    for exact, printed, column in ((unit, unit, "amount"), ("parameters", "params", "params")):
        differences = [integer(row[column]) for row in tool["differences"]]
        if None in [totals[exact], tool[printed], *differences]:
            continue
        if integer(totals[exact]) + sum(differences) != integer(tool[printed]):
            yield f"static: {name}: {exact} and the differences are not {tool[printed]}"


def run_adds_up(run, joined):
    sums = run.get("reconciliation")
    if not sums:
        return
    name = f"run {run['id']}"
    parts = [sums[part] for part in ("layers_ns", "runtime_ns", "unmatched_ns")]
    if sums["wall_ns"] is not None and sum(parts) + (sums["gap_ns"] or 0) != sums["wall_ns"]:
        yield f"{name}: {parts} and gap {sums['gap_ns']} are not the wall {sums['wall_ns']}"
    if min(parts) < 0 or (sums["gap_ns"] or 0) < 0:
        yield f"{name}: negative time in {sums}"
    kinds = {"container": "layers_ns", "layer": "layers_ns"}
    rows = dict.fromkeys(("layers_ns", "runtime_ns", "unmatched_ns"), 0)
    for event in run["events"]:
        rows[kinds.get(event["kind"], event["kind"] + "_ns")] += event["wall_ns"] or 0
    for part, total in rows.items():
        if total != sums[part] and any(event["wall_ns"] is not None for event in run["events"]):
            yield f"{name}: rows give {part} {total}, the sums say {sums[part]}"
    placed = [row["wall_ns"] for row in joined if row["wall_ns"] is not None]
    if placed and sum(placed) != sums["layers_ns"]:
        yield f"{name}: joined layers take {sum(placed)} ns, layers_ns is {sums['layers_ns']}"


def unmatched(patterns, text):
    """The lines of `patterns` (regular expressions) that do not follow each other in `text`."""
    place = 0
    for pattern in filter(None, patterns.splitlines()):
        found = re.compile(pattern, re.MULTILINE).search(text, place)
        if found:
            place = found.end()
        else:
            yield pattern


def wrong_facts(lines, texts):
    """Lines "FILE PATH VALUE": the value at a dotted path of a report, e.g. "stdout runs.0.id 0"."""
    for line in filter(None, lines.splitlines()):
        file, path, value = line.split(" ", 2)
        try:
            found = json.loads(texts[file])
            for key in path.split("."):
                found = found[int(key) if isinstance(found, list) else key]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            yield f"{file}: nothing at {path} ({type(error).__name__}: {error})"
            continue
        if found != json.loads(value):
            yield f"{file}: {path} is {json.dumps(found)}, expected {value}"
