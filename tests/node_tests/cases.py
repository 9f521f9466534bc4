"""The cases of ONNX's backend tests for single operators, as questions with an answer.

A case is a small model with stored inputs and outputs. The question is the model without anything
that says what its outputs are: each becomes an inner tensor that a Shape node reads, and no value
info is left. The answer is the dtype and shape of the stored outputs.

Small inputs on which shapes hang (axes, sizes, a repeat count) become initializers, as exporters
write them; with `keep_inputs` they stay inputs, whose elements nobody knows.
"""

import collections
import warnings
import zipfile

import onnx
from onnx import TensorProto, helper, numpy_helper

Case = collections.namedtuple("Case", "name op opset model inputs outputs")
Question = collections.namedtuple("Question", "name op opset model answer")

# An input counts as small with so many elements, in at most one dim.
MOST_ELEMENTS = 64
# Ops whose first input is no data, but what the output's shape is read from.
FIRST_IS_SHAPE = {"ConstantOfShape", "Range", "Bernoulli"}

NAMES = {"float": "float32", "double": "float64"}


def dtype_name(number):
    name = TensorProto.DataType.Name(number).lower()
    return NAMES.get(name, name)


def opset_of(model):
    """The version of ai.onnx, else of the first other domain."""
    versions = {o.domain or "ai.onnx": o.version for o in model.opset_import}
    return versions.get("ai.onnx") or next(iter(versions.values()), 0)


def is_tensor(value):
    return value.type.HasField("tensor_type")


def make(name, model, inputs, outputs):
    """`inputs`, `outputs`: TensorProtos by position, None where it is no tensor."""
    op = model.graph.node[0].op_type if model.graph.node else ""
    return Case(name, op, opset_of(model), model, inputs, outputs)


def stored_cases(wheel):
    """From the data that older wheels of onnx carry."""
    folder = "onnx/backend/test/data/node/"
    with zipfile.ZipFile(wheel) as archive:
        members = set(archive.namelist())
        names = sorted(m[len(folder) : -len("/model.onnx")] for m in members
                       if m.startswith(folder) and m.endswith("/model.onnx"))

        def tensors(case, kind, values):
            for i, value in enumerate(values):
                path = f"{folder}{case}/test_data_set_0/{kind}_{i}.pb"
                present = path in members and is_tensor(value)
                yield TensorProto.FromString(archive.read(path)) if present else None

        for name in names:
            model = onnx.ModelProto.FromString(archive.read(f"{folder}{name}/model.onnx"))
            yield make(name, model, list(tensors(name, "input", model.graph.input)),
                       list(tensors(name, "output", model.graph.output)))


def made_cases():
    """From the definitions in the installed onnx, newest opsets included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found = collect_testcases()

    def tensors(values, infos):
        for value, info in zip(values, infos):
            if not is_tensor(info):
                yield None
            elif isinstance(value, TensorProto):
                yield value
            else:
                yield tensor_of(value, info)

    for case in sorted(found, key=lambda c: c.name):
        if not case.data_sets:
            continue
        inputs, outputs = case.data_sets[0]
        graph = case.model.graph
        yield make(case.name, case.model, list(tensors(inputs, graph.input)),
                   list(tensors(outputs, graph.output)))


def tensor_of(array, info):
    try:
        return numpy_helper.from_array(array)
    except (TypeError, ValueError, AttributeError):
        # A scalar, or a type that numpy has no name for: what the definition declares holds.
        return helper.make_tensor("", info.type.tensor_type.elem_type, getattr(array, "shape", ()),
                                  b"", raw=True)


def elements(tensor):
    count = 1
    for dim in tensor.dims:
        count *= dim
    return count


def becomes_initializer(case, position):
    tensor = case.inputs[position] if position < len(case.inputs) else None
    return (tensor is not None and tensor.data_type != TensorProto.STRING
            and len(tensor.dims) <= 1 and elements(tensor) <= MOST_ELEMENTS
            and (position >= 1 or case.op in FIRST_IS_SHAPE))


def question(case, keep_inputs):
    """None where the case has an output that is no tensor, or nothing to ask."""
    graph = case.model.graph
    if not all(is_tensor(output) for output in graph.output):
        return None
    given = {i.name for i in graph.input}
    answer = {info.name: (dtype_name(tensor.data_type), list(tensor.dims))
              for info, tensor in zip(graph.output, case.outputs)
              if tensor is not None and info.name and info.name not in given}
    if not answer:
        return None
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    asked = model.graph
    for field in ("input", "output", "value_info"):
        asked.ClearField(field)
    for position, info in enumerate(graph.input):
        if keep_inputs or not becomes_initializer(case, position):
            asked.input.append(info)
        else:
            asked.initializer.append(case.inputs[position])
            asked.initializer[-1].name = info.name
    for i, name in enumerate(answer):
        asked.node.append(helper.make_node("Shape", [name], [f"asked_{i}"]))
        asked.output.append(helper.make_tensor_value_info(f"asked_{i}", TensorProto.INT64, [None]))
    if not any(o.domain in ("", "ai.onnx") for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", 21))
    return Question(case.name, case.op, case.opset, model, answer)
