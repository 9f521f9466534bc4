"""ONNX models converted by OpenVINO: MACs, layers, and the shapes that OpenVINO itself computes."""

import sys

import openvino

from judge import start

# What is computed anew from free sizes: input shapes to ask both for.
SHAPES = {
    "openwakeword/embedding_model": {"input_1": [2, 76, 32, 1]},
    "openwakeword/melspectrogram": {"input": [1, 16000]},
    "basic-pitch/nmp": {},
    "magika/model": {"bytes": [3, 2048]},
    "ocr-models/ch_PP-OCRv4_det_infer": {"x": [1, 3, 64, 96]},
    "ocr-models/ch_PP-OCRv4_rec_infer": {"x": [1, 3, 48, 320]},
    "rapidocr/PP-OCRv6_det_small": {"x": [1, 3, 64, 96]},
    "rapidocr/PP-OCRv6_rec_small": {"x": [1, 3, 48, 320]},
    "rapidocr/ch_ppocr_mobile_v2.0_cls_mobile": {"x": [2, 3, 48, 192]},
    "silero-vad/silero_vad_16k_sequence": {},
    "silero-vad/silero_vad_op18_ifless": {},
    "silero-vad/silero_vad_openvino_16k": {},
    "vad-web/silero_vad_legacy": {},
}


def shapes_of(network, shapes):
    """By layer: what OpenVINO makes of its outputs; None where it does not know."""
    network.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})
    known = {}
    for op in network.get_ordered_ops():
        outputs = [output.get_partial_shape() for output in op.outputs()]
        known[op.get_friendly_name()] = [
            [dim.get_length() for dim in shape] if shape.is_static else None for shape in outputs]
    return known


def compare_shapes(judge, name, file, shapes):
    options = [f"--shape={input}={'x'.join(map(str, shape))}" for input, shape in shapes.items()]
    report = judge.run("inspect", file, *options)
    if report is None:
        return
    known = shapes_of(openvino.Core().read_model(file), shapes)
    compared = 0
    for layer in report["static"]["layers"]:
        for output, shape in zip(layer["outputs"], known.get(layer["name"], [])):
            if shape is None or output is None:
                continue
            compared += 1
            judge.expect(f"{name}: {layer['name']}", output["shape"], shape)
    print(f"{name}: {compared} shapes compared")


def main():
    judge = start()
    for name, shapes in SHAPES.items():
        onnx = judge.models / f"{name}.onnx"
        if not onnx.exists():
            print(f"skipped: no {onnx}")
            continue
        file = judge.folder / f"{onnx.stem}.xml"
        openvino.save_model(openvino.convert_model(onnx), file, compress_to_fp16=False)
        judge.same_layers(onnx, file)
        if shapes:
            compare_shapes(judge, name, file, shapes)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
