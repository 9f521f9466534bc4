"""Real .tflite files: the arena that LiteRT's interpreter allocates, against the one planned.

The interpreter does not say how large its arena is, but where each tensor lies in it.
"""

import sys

from ai_edge_litert.interpreter import Interpreter, OpResolverType

from judge import start

DECODING = ("DEQUANTIZE", "DENSIFY")  # of weights, once: kept in an arena of their own


def arena_of(path, shapes):
    """From the first byte of an activation to the end of the last one; how many lie elsewhere."""
    interpreter = Interpreter(str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    for detail in interpreter.get_input_details():
        if detail["name"] in shapes:
            interpreter.resize_tensor_input(detail["index"], shapes[detail["name"]])
    interpreter.allocate_tensors()
    activations = {detail["index"] for detail in interpreter.get_input_details()}
    for op in interpreter._get_ops_details():
        if op["op_name"] not in DECODING:
            activations.update(int(output) for output in op["outputs"])
    places = []
    for index in sorted(activations):
        try:
            view = interpreter.tensor(index)()
        except ValueError:  # not in use
            continue
        begin = view.__array_interface__["data"][0]
        places.append((begin, begin + view.nbytes))
    return around(places, interpreter.tensor(interpreter.get_input_details()[0]["index"])())


def around(places, first):
    """Of the block that holds `first`: tensors sized while the model runs, and constants, lie elsewhere."""
    slack = 4096
    low = first.__array_interface__["data"][0]
    high = low + first.nbytes
    places.sort()
    for begin, end in places:
        if low <= begin <= high + slack:
            high = max(high, end)
    for begin, end in reversed(places):
        if begin < low <= end + slack:
            low = begin
    outside = sum(not low <= begin < high for begin, end in places)
    return high - low, outside


def main():
    judge = start()
    for path in sorted(judge.models.glob("*/*.tflite")):
        plain = judge.run("inspect", path)
        if plain is None:
            continue
        inputs = plain["model"]["inputs"]
        shapes = {port["name"]: [size if isinstance(size, int) else 1 for size in port["shape"]]
                  for port in inputs}
        if path.stem == "melspectrogram":
            shapes = {name: [1, 16000] for name in shapes}
        options = [f"--shape={name}={'x'.join(map(str, shape))}" for name, shape in shapes.items()]
        report = judge.run("inspect", path, *options)
        if report is None:
            continue
        planned = report["static"]["totals"]["memory"]["interpreter_arena"]
        try:
            seen, outside = arena_of(path, shapes)
        except (RuntimeError, ValueError) as error:  # operators that this build does not have
            print(f"{path.name}: LiteRT cannot be asked: {str(error).splitlines()[0]}")
            continue
        if outside:
            print(f"{path.name}: {outside} tensors are sized while it runs and lie outside of the arena")
            continue
        ratio = planned["bytes"] / seen
        print(f"{path.name}: planned {planned['bytes']}, seen {seen}: {ratio:.3f}")
        judge.expect(f"{path.name}: within 5 %", 0.95 <= ratio <= 1.05, True)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
