import json
import subprocess
import sys
import textwrap

import pytest
from conftest import BUILD

import opscope

PROGRAM = BUILD / "opscope"


def test_inspect_gives_typed_results(model):
    report = opscope.inspect(model, bind={"N": 2})
    totals = report.static.totals
    assert totals.macs == 2 * 8 * 4
    assert totals.flops == 2 * totals.macs
    assert totals.parameters == 8 * 4 + 4
    assert [layer.op for layer in report.static.layers] == ["MatMul", "Add", "Relu"]
    assert report.static.layers[0].outputs[0].shape == [2, 4]
    assert report.conditions is None and report.runs == []


def test_free_dims_are_unknown_with_a_formula(model):
    totals = opscope.inspect(model).static.totals
    assert totals.macs is None
    assert totals.formula["macs"] == "N*32"


def test_json_is_that_of_the_program(model):
    report = opscope.inspect(model, bind={"N": 1})
    ran = subprocess.run(
        [PROGRAM, "inspect", model, "--bind", "N=1", "--format", "json"], capture_output=True
    )
    assert report.to_json().encode() == ran.stdout
    assert report.to_dict() == json.loads(ran.stdout)


def test_every_field_of_the_schema_is_an_attribute(model):
    report = opscope.inspect(model, bind={"N": 1})

    def walk(view):
        for name in view._fields:
            value = getattr(view, name)
            for item in value if isinstance(value, list) else [value]:
                if hasattr(item, "_fields"):
                    walk(item)
        assert set(view.to_dict()) <= {key for key, _, _ in view._fields.values()}

    walk(report)


def test_exact_beyond_two_to_the_53(model):
    report = opscope.inspect(model, bind={"N": 2**60})
    assert report.static.totals.macs == 32 * 2**60
    assert isinstance(report.to_dict()["static"]["totals"]["macs"], str)


def test_shapes_and_bindings_are_values(model):
    assert opscope.inspect(model, shapes={"x": (3, 8)}).static.totals.macs == 96


def test_errors_have_code_place_and_message(tmp_path):
    with pytest.raises(opscope.Error) as caught:
        opscope.inspect(tmp_path / "none.onnx")
    assert caught.value.code == "input.missing"
    assert caught.value.place.endswith("none.onnx")
    assert str(caught.value) == f"{caught.value.place}: {caught.value.message}"


@pytest.mark.parametrize(
    "options, code",
    [
        ({"stric": True}, "usage.arguments"),
        ({"strict": "yes"}, "usage.value"),
        ({"bind": {"M": "x"}}, "usage.value"),
    ],
)
def test_wrong_options(model, options, code):
    with pytest.raises(opscope.Error) as caught:
        opscope.inspect(model, **options)
    assert caught.value.code == code


def test_analyze_without_a_run(model):
    report = opscope.analyze(model, run=False, bind={"N": 1})
    assert report.static.totals.macs == 32
    with pytest.raises(opscope.Error) as caught:
        opscope.analyze(model, threads=0)
    assert caught.value.code == "usage.value"


def test_a_failed_engine_leaves_the_static_part(model):
    with pytest.raises(opscope.Error) as caught:
        opscope.analyze(model, library=str(model), bind={"N": 1})
    assert caught.value.code.startswith("engine.")
    if caught.value.report is not None:
        assert caught.value.report.static.totals.macs == 32


@pytest.fixture
def engine():
    library = next(BUILD.glob("engines/ort/libonnxruntime.so*"), BUILD / "none")
    if not library.is_file():
        pytest.skip("no engine below build/engines: ./dev build fetches it")
    return str(library)


def test_analyze_runs_the_model(model, engine):
    report = opscope.analyze(model, bind={"N": 3}, library=engine, runs=5)
    profiled = report.runs[-1]
    sums = profiled.reconciliation
    assert sums.wall_ns == sums.layers_ns + sums.runtime_ns + sums.unmatched_ns + sums.gap_ns > 0
    assert report.runs[0].latency_ns.median > 0
    assert report.conditions.engine.name == "onnxruntime"
    assert any(joined.median_ns for joined in report.joined)


def test_threads_run_at_once(model):
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda n: opscope.inspect(model, bind={"N": n}), range(1, 33)))
    assert [r.static.totals.macs for r in reports] == [32 * n for n in range(1, 33)]


INTERRUPTED = """
    import os, signal, sys, threading, time
    import opscope
    begun = []
    def interrupt():
        while not begun: time.sleep(0.001)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        begun.append(time.perf_counter())
        opscope.%s
        print("ended")
    except KeyboardInterrupt:
        print("interrupted", time.perf_counter() - begun[0])
"""


def test_an_interrupt_comes_through_while_the_core_works(tmp_path):
    node = (
        '{"target": "torch.ops.aten.relu.default", "name": "r%d", "inputs": [{"name": "self", "arg":'
        ' {"as_tensor": {"name": "v%d"}}}], "outputs": [{"as_tensor": {"name": "v%d"}}]}'
    )
    nodes = ",".join(node % (i, i, i + 1) for i in range(200_000))
    path = tmp_path / "long.json"
    path.write_text(
        '{"opscope": "aten", "version": 1, "graph": {"inputs": [{"as_tensor": {"name": "v0"}}],'
        ' "outputs": [{"as_tensor": {"name": "v200000"}}], "nodes": [' + nodes + "],"
        ' "tensor_values": {"v0": {"dtype": "float32", "sizes": [4]}}, "sym_int_values": {}}}'
    )
    done = run_python(INTERRUPTED % f"inspect({str(path)!r})")
    assert done.stdout.startswith("interrupted"), (done.stdout, done.stderr)


def test_an_interrupt_ends_a_run(model, engine):
    done = run_python(
        INTERRUPTED % f"analyze({str(model)!r}, bind={{'N': 1}}, library={engine!r}, seconds=60, runs=1_000_000)"
    )
    assert done.stdout.startswith("interrupted"), (done.stdout, done.stderr)
    assert float(done.stdout.split()[1]) < 20


def test_compare(model):
    report = opscope.compare(model, model, bind={"N": 1})
    assert report.comparison.added == [] and report.comparison.matched == 3


def test_explain(model):
    lines = opscope.explain(model, "matmul", bind={"N": 1})
    assert any("8" in line.text for line in lines if line.what.startswith("macs"))
    assert opscope.explain("macs")
    assert opscope.explain("convention:thop")
    with pytest.raises(opscope.Error) as caught:
        opscope.explain("no-such-word")
    assert caught.value.code == "usage.topic"


def test_lists():
    assert "onnx" in [row.id for row in opscope.formats()]
    assert "ort" in [row.id for row in opscope.engines()]


@pytest.mark.parametrize("ending", [".json", ".csv", ".md", ".html", ".netron.json"])
def test_save(model, tmp_path, ending):
    report = opscope.inspect(model, bind={"N": 1})
    path = tmp_path / ("report" + ending)
    report.save(path)
    assert path.stat().st_size > 0
    with pytest.raises(opscope.Error) as caught:
        report.save(tmp_path / "report.docx")
    assert caught.value.code == "usage.output"


def test_rows_and_frames(model):
    report = opscope.inspect(model, bind={"N": 1})
    assert [row["macs"] for row in report.rows()] == [32, 0, 0]
    assert {row["op"]: row["layers"] for row in report.rows("ops")}["Relu"] == 1
    pandas = pytest.importorskip("pandas")
    frame = report.to_dataframe()
    assert list(frame["output"]) == ["1x4"] * 3
    assert frame["macs"].sum() == 32
    unknown = opscope.inspect(model).to_dataframe()["macs"]
    assert pandas.isna(unknown[0])


def test_notebooks_get_a_page_that_needs_nothing(model):
    page = opscope.inspect(model, bind={"N": 1})._repr_html_()
    assert "MatMul" in page and "http" not in page


def test_progress_is_told_on_the_calling_thread(model):
    import threading

    seen = []
    opscope.inspect(model, progress=lambda at: seen.append((at.phase, threading.get_ident())))
    assert {ident for _, ident in seen} == {threading.get_ident()}
    with pytest.raises(ZeroDivisionError):
        opscope.inspect(model, progress=lambda at: 1 / 0)


def run_python(code, **options):
    return subprocess.run(
        [sys.executable, "-B", "-c", textwrap.dedent(code)], capture_output=True, text=True, **options
    )


def test_import_takes_nothing_along_and_under_50_ms():
    done = run_python(
        """
        import sys, time
        best = 1e9
        begun = time.perf_counter()
        import opscope
        took = time.perf_counter() - begun
        assert not {"torch", "numpy", "pandas"} & set(sys.modules)
        opscope.inspect
        assert not {"torch", "numpy", "pandas"} & set(sys.modules)
        print(took)
        """
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.05


@pytest.mark.parametrize(
    "arguments", [["--version"], ["inspect", "MODEL"], ["inspect", "none"], ["formats"], ["--bad"]]
)
def test_the_module_is_the_program(model, arguments):
    arguments = [str(model) if word == "MODEL" else word for word in arguments]
    ours = subprocess.run([sys.executable, "-m", "opscope", *arguments], capture_output=True)
    theirs = subprocess.run([PROGRAM, *arguments], capture_output=True)
    assert (ours.returncode, ours.stdout, ours.stderr) == (
        theirs.returncode,
        theirs.stdout,
        theirs.stderr,
    )


def test_types_are_checked(tmp_path):
    pytest.importorskip("mypy")
    sample = tmp_path / "sample.py"
    sample.write_text(
        textwrap.dedent(
            """
            import opscope

            def macs(path: str) -> int:
                report: opscope.Report = opscope.inspect(path, bind={"N": 1})
                assert report.static is not None
                names: list[str] = [layer.name for layer in report.static.layers]
                return (report.static.totals.macs or 0) + len(names)
            """
        )
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    environment = {"MYPYPATH": str(BUILD / "python"), "PATH": ""}
    done = subprocess.run(
        [*command, str(sample)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout
