"""ONNX models converted by pnnx, to its own form and to ncnn's: MACs in total and layer by layer."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from judge import start

SHAPES = {
    "openwakeword/embedding_model": {"input_1": [1, 76, 32, 1]},
    "magika/model": {"bytes": [1, 2048]},
    "rapidocr/ch_ppocr_mobile_v2.0_cls_mobile": {"x": [1, 3, 48, 192]},
    "ocr-models/ch_PP-OCRv4_det_infer": {"x": [1, 3, 64, 96]},
    "rapidocr/PP-OCRv6_det_small": {"x": [1, 3, 64, 96]},
}


def converter():
    return Path(importlib.util.find_spec("pnnx").submodule_search_locations[0]) / "pnnx"


def macs_of(report):
    layers = sorted(layer["macs"] for layer in report["static"]["layers"] if layer["macs"])
    return report["static"]["totals"]["macs"], layers


def main():
    judge = start()
    for name, shapes in SHAPES.items():
        onnx = judge.models / f"{name}.onnx"
        if not onnx.exists():
            print(f"skipped: no {onnx}")
            continue
        work = judge.folder / onnx.stem
        work.mkdir()
        shutil.copy(onnx, work / "net.onnx")
        sizes = ",".join(str(shape).replace(" ", "") for shape in shapes.values())
        done = subprocess.run([converter(), "net.onnx", f"inputshape={sizes}"], cwd=work,
                              capture_output=True, text=True)
        options = [f"--shape={input}={'x'.join(map(str, shape))}" for input, shape in shapes.items()]
        original = judge.run("inspect", onnx, *options)
        for form in ("pnnx", "ncnn"):
            file = work / f"net.{form}.param"
            if not file.exists():
                print(f"{name}: pnnx wrote no {file.name} (exit {done.returncode})")
                continue
            # Inputs of ncnn have no batch, and mostly no sizes.
            sized = [] if form == "pnnx" else [
                f"--shape=in{i}={'x'.join(map(str, shape[1:]))}"
                for i, shape in enumerate(shapes.values())]
            report = judge.run("inspect", file, *sized)
            if report is None or original is None:
                continue
            judge.expect(f"{name}, {form}: MACs", macs_of(report), macs_of(original))
            print(f"{name}, {form}: {report['static']['totals']['macs']} MACs")
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
