"""Programs and networks that coremltools writes: known MACs, and the shapes that it states."""

import sys

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes, neural_network

from judge import start


def weights(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 32, 32))])
def vision(x):
    y = mb.conv(x=x, weight=weights(16, 3, 3, 3), bias=weights(16), pad_type="same", strides=[2, 2])
    y = mb.batch_norm(x=y, mean=weights(16), variance=np.abs(weights(16)), gamma=weights(16),
                      beta=weights(16))
    y = mb.relu(x=y)
    y = mb.conv(x=y, weight=weights(16, 1, 3, 3), groups=16, pad_type="custom", pad=[1, 1, 1, 1])
    y = mb.conv_transpose(x=y, weight=weights(16, 8, 2, 2), strides=[2, 2])
    y = mb.upsample_bilinear(x=y, scale_factor_height=2.0, scale_factor_width=2.0)
    y = mb.max_pool(x=y, kernel_sizes=[2, 2], strides=[2, 2], pad_type="valid")
    y = mb.reduce_mean(x=y, axes=[2, 3])
    return mb.linear(x=y, weight=weights(10, 8), bias=weights(10))


VISION = (16 * 16 * 16 * 27) + (16 * 16 * 16 * 9) + (16 * 16 * 16 * 8 * 4) + 80


@mb.program(input_specs=[mb.TensorSpec(shape=(1, 12, 64))])
def language(x):
    y = mb.layer_norm(x=x, axes=[-1], gamma=weights(64), beta=weights(64))
    qkv = mb.linear(x=y, weight=weights(192, 64))
    qkv = mb.transpose(x=mb.reshape(x=qkv, shape=[1, 12, 3, 4, 16]), perm=[2, 0, 3, 1, 4])
    q, k, v = (mb.squeeze(x=part, axes=[0]) for part in mb.split(x=qkv, num_splits=3, axis=0))
    scores = mb.softmax(x=mb.matmul(x=q, y=k, transpose_y=True), axis=-1)
    y = mb.matmul(x=scores, y=v)
    y = mb.reshape(x=mb.transpose(x=y, perm=[0, 2, 1, 3]), shape=[1, 12, 64])
    y = mb.add(x=x, y=mb.linear(x=y, weight=weights(64, 64)))
    y = mb.gather(x=y, indices=[0, 3], axis=1)
    return mb.gelu(x=mb.concat(values=[y, y], axis=1))


LANGUAGE = 12 * 64 * 192 + 2 * 4 * 12 * 12 * 16 + 12 * 64 * 64


@mb.program(input_specs=[mb.TensorSpec(shape=(7, 3, 10))])
def recurrent(x):
    h = np.zeros((3, 20), np.float32)
    y, _, _ = mb.lstm(x=x, initial_h=h, initial_c=h, weight_ih=weights(80, 10),
                      weight_hh=weights(80, 20), bias=weights(80), output_sequence=True)
    y, _ = mb.gru(x=y, initial_h=h, weight_ih=weights(60, 20), weight_hh=weights(60, 20))
    return y


RECURRENT = 7 * 3 * 80 * 30 + 7 * 3 * 60 * 40

WHILE_TRIPS = 5


@mb.program(input_specs=[mb.TensorSpec(shape=(1, 8)), mb.TensorSpec(shape=(1,))])
def control(x, flag):
    def body(i, y):
        return mb.add(x=i, y=1), mb.linear(x=y, weight=weights(8, 8))

    _, y = mb.while_loop(_cond=lambda i, y: mb.less(x=i, y=WHILE_TRIPS), _body=body,
                         loop_vars=(np.int32(0), x))
    positive = mb.squeeze(x=mb.greater(x=flag, y=0.0))
    return mb.cond(pred=positive, _true_fn=lambda: mb.linear(x=y, weight=weights(16, 8)),
                   _false_fn=lambda: mb.concat(values=[y, y], axis=1))


CONTROL = WHILE_TRIPS * 64 + 128

PROGRAMS = {"vision": (vision, VISION), "language": (language, LANGUAGE),
            "recurrent": (recurrent, RECURRENT), "control": (control, CONTROL)}


def network():
    """A neural network, the older kind of model."""
    builder = neural_network.NeuralNetworkBuilder(
        [("x", datatypes.Array(3, 32, 32))], [("y", datatypes.Array(10))])
    builder.add_convolution("conv", 3, 16, 3, 3, 2, 2, "same", 1, weights(3, 3, 3, 16), weights(16),
                            True, input_name="x", output_name="c")
    builder.add_activation("relu", "RELU", "c", "r")
    builder.add_pooling("pool", 2, 2, 2, 2, "MAX", "VALID", "r", "p")
    builder.add_flatten("flat", 0, "p", "f")
    builder.add_inner_product("fc", weights(10, 1024), weights(10), 1024, 10, True, "f", "y")
    return ct.models.MLModel(builder.spec, skip_model_load=True)


def check(judge, name, file, macs):
    report = judge.run("inspect", file)
    if report is None:
        return
    totals = report["static"]["totals"]
    judge.expect(f"{name}: MACs", totals["macs"], macs)
    judge.expect(f"{name}: complete", totals["complete"], True)
    judge.expect(f"{name}: shapes other than stated",
                 [issue["message"] for issue in report["data_quality"]
                  if issue["code"] == "ops.shape-differs"], [])
    unknown = [layer["name"] for layer in report["static"]["layers"]
               if any(output["shape"] is None for output in layer["outputs"])]
    judge.expect(f"{name}: layers without a shape", unknown, [])
    print(f"{name}: {totals['macs']} MACs, {totals['parameters']} parameters")


def packed(model):
    """The same program with weights of eight bits and a scale a channel."""
    config = ct.optimize.coreml.OptimizationConfig(
        global_config=ct.optimize.coreml.OpLinearQuantizerConfig(mode="linear_symmetric",
                                                                 weight_threshold=0))
    return ct.optimize.coreml.linear_quantize_weights(model, config)


def main():
    judge = start()
    for name, (program, macs) in PROGRAMS.items():
        model = ct.convert(program, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32,
                           minimum_deployment_target=ct.target.iOS17, skip_model_load=True)
        file = judge.folder / f"{name}.mlpackage"
        model.save(str(file))
        check(judge, name, file, macs)
        file = judge.folder / f"{name}-packed.mlpackage"
        packed(model).save(str(file))
        check(judge, f"{name}, packed", file, macs)
    file = judge.folder / "network.mlmodel"
    network().save(str(file))
    check(judge, "network", file, 16 * 16 * 16 * 27 + 10240)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
