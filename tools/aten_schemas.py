#!/usr/bin/env python3
"""Writes data/aten_schemas.txt: the names and kinds of the arguments of PyTorch's ops.

    python3 tools/aten_schemas.py > data/aten_schemas.txt

Asks the installed torch for what is registered. Left out: what writes into given outputs or in place
(read as its namesake), gradients, kernels of one back end, ops on Python's texts, lists and dicts.
"""
import re
import sys

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  (registers quantized_decomposed)

KINDS = {"Tensor": "T", "Optional[Tensor]": "T",
         "List[Tensor]": "L", "List[Optional[Tensor]]": "L", "Optional[List[Tensor]]": "L",
         "int": "i", "Optional[int]": "i", "SymInt": "i", "Optional[SymInt]": "i",
         "bool": "b", "Optional[bool]": "b", "float": "f", "Optional[float]": "f",
         "List[float]": "F", "Optional[List[float]]": "F", "str": "S", "Optional[str]": "S"}
SHAPELESS = {"device", "layout", "pin_memory", "memory_format", "generator", "non_blocking"}
SKIPPED = re.compile(
    r"backward|^_?(foreach|fused|sparse|cudnn|mkldnn|mkl|miopen|mps|nested|test|amp|thnn|cslt|jagged|"
    r"fbgemm|linalg|debug|validate|transform|resize|pdist|ctc|dirichlet|sample|wrapped|use|make|"
    r"convert|csr|compressed|autocast|record|special|cufft|nnpack|segment|fw|fake_quant|slow|aminmax_|"
    r"efficient|flash|masked_scale|coalesce|spdiags|crow|ccol|is_|q_|set_|choose|to_sparse|triton)"
    r"|_sparse|batch_norm_(elemt|gather|stats|reduce|update)|_copy$|^_(scaled_dot_product_fused|has|"
    r"remove|new_z|local_scalar_dense_)|mps$")
KEPT = {"linalg_vector_norm", "linalg_norm", "linalg_inv", "linalg_cross", "_fused_rms_norm",
        "linalg_matmul", "linalg_multi_dot", "linalg_inv_ex", "_flash_attention_forward",
        "_efficient_attention_forward", "special_expit", "special_erf", "is_floating_point",
        "masked_fill", "masked_select", "masked_scatter", "resize", "set_item", "fake_quantize_per_tensor_affine",
        "fake_quantize_per_channel_affine", "special_logsumexp", "special_softmax", "__is__", "__isnot__"}
SCALARS = {"add", "sub", "mul", "div", "floordiv", "remainder", "neg", "eq", "ne", "lt", "le", "gt", "ge",
           "pow", "ceil", "floor", "sqrt", "Int", "Float", "Bool", "IntImplicit", "FloatImplicit",
           "ScalarImplicit", "len", "size", "dim", "__getitem__", "__not__", "truediv", "round", "abs"}


def kind_of(argument):
    text = str(argument.type)
    if argument.name in SHAPELESS:
        return "-"
    if argument.name in ("dtype", "out_dtype") and text in ("int", "Optional[int]"):
        return "d"
    if "List[int]" in text or "List[SymInt]" in text:
        return "I"
    return KINDS.get(text) or ("s" if "number" in text or "Scalar" in text else "?")


def wanted(namespace, name, schema):
    text = str(schema)
    if namespace not in ("aten", "quantized_decomposed") or "imname" in text or "out" in schema.overload_name.split("_"):
        return False
    if name.endswith("_") and not name.endswith("__"):
        return False
    if any("str" in str(a.type) and "dict" in str(a.type).lower() for a in schema.arguments):
        return False
    if name in SCALARS or name in KEPT or namespace != "aten":
        return True
    return not SKIPPED.search(name) and "Tensor" in text


rows = set()
for schema in torch._C._jit_get_all_schemas():
    namespace, name = schema.name.split("::")
    if not wanted(namespace, name, schema):
        continue
    arguments = [f"{a.name}:{kind_of(a)}{'*' if a.kwarg_only else ''}" for a in schema.arguments]
    if any(a.endswith((":?", ":?*")) for a in arguments) and name not in ("__getitem__", "len"):
        continue
    title = ("" if namespace == "aten" else namespace + "::") + name
    rows.add(" ".join([title + ("." + schema.overload_name if schema.overload_name else "")] + arguments))
print("# Arguments of PyTorch's ops, by tools/aten_schemas.py; kinds: src/model/aten/schema.h.")
print("\n".join(sorted(rows)))
sys.stdout.flush()
