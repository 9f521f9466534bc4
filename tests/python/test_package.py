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
