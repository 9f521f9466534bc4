// Workloads of Arm NN, which carry no name of a layer: by the op and by order, which is topological
// after Arm NN's own optimiser.
#include "trace/formats/armnn/origin.h"

#include <array>

namespace opscope::armnn {

namespace {

struct WorkloadOp {
  std::string_view workload;
  std::array<std::string_view, 10> ops;  // of TFLite and of ONNX
};

constexpr std::array kWorkloads = {
    // Both in one list, since ONNX has one op for the two.
    WorkloadOp{"Convolution2d", {"CONV_2D", "DEPTHWISE_CONV_2D", "Conv"}},
    WorkloadOp{"DepthwiseConvolution", {"CONV_2D", "DEPTHWISE_CONV_2D", "Conv"}},
    WorkloadOp{"DepthwiseConvolution2d", {"CONV_2D", "DEPTHWISE_CONV_2D", "Conv"}},
    WorkloadOp{"TransposeConvolution2d", {"TRANSPOSE_CONV", "ConvTranspose"}},
    WorkloadOp{"FullyConnected", {"FULLY_CONNECTED", "Gemm", "MatMul"}},
    WorkloadOp{"BatchMatMul", {"BATCH_MATMUL", "MatMul"}},
    WorkloadOp{"Pooling2d",
               {"MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D", "MaxPool", "AveragePool",
                "GlobalAveragePool", "GlobalMaxPool"}},
    WorkloadOp{"Activation",
               {"RELU", "RELU6", "LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "Relu", "Clip",
                "Sigmoid", "Tanh"}},
    WorkloadOp{"Softmax", {"SOFTMAX", "Softmax"}},
    WorkloadOp{"LogSoftmax", {"LOG_SOFTMAX", "LogSoftmax"}},
    WorkloadOp{"Addition", {"ADD", "Add"}},
    WorkloadOp{"Subtraction", {"SUB", "Sub"}},
    WorkloadOp{"Multiplication", {"MUL", "Mul"}},
    WorkloadOp{"Division", {"DIV", "Div"}},
    WorkloadOp{"Maximum", {"MAXIMUM", "Max"}},
    WorkloadOp{"Minimum", {"MINIMUM", "Min"}},
    WorkloadOp{"Concat", {"CONCATENATION", "Concat"}},
    WorkloadOp{"Splitter", {"SPLIT", "SPLIT_V", "Split"}},
    WorkloadOp{"Reshape", {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "Reshape", "Flatten"}},
    WorkloadOp{"Permute", {"TRANSPOSE", "Transpose"}},
    WorkloadOp{"Transpose", {"TRANSPOSE", "Transpose"}},
    WorkloadOp{"Pad", {"PAD", "PADV2", "Pad"}},
    WorkloadOp{"Mean", {"MEAN", "ReduceMean"}},
    WorkloadOp{"Resize", {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "Resize", "Upsample"}},
    WorkloadOp{"Slice", {"SLICE", "Slice"}},
    WorkloadOp{"StridedSlice", {"STRIDED_SLICE", "Slice"}},
    WorkloadOp{"Gather", {"GATHER", "Gather"}},
    WorkloadOp{"Quantize", {"QUANTIZE", "QuantizeLinear"}},
    WorkloadOp{"Dequantize", {"DEQUANTIZE", "DequantizeLinear"}},
    WorkloadOp{"BatchNormalization", {"BatchNormalization"}},
    WorkloadOp{"DepthToSpace", {"DEPTH_TO_SPACE", "DepthToSpace"}},
    WorkloadOp{"SpaceToDepth", {"SPACE_TO_DEPTH", "SpaceToDepth"}},
    WorkloadOp{"Prelu", {"PRELU", "PRelu"}},
    WorkloadOp{"ArgMinMax", {"ARG_MAX", "ARG_MIN", "ArgMax", "ArgMin"}},
};

// "Convolution2d" of "Convolution2dFloat", "Convolution2dUint8": older releases name the type too.
std::string_view WithoutType(std::string_view op) {
  for (const std::string_view type : {"Float32", "Float16", "Float", "Uint8", "Int8", "Int32"})
    if (op.ends_with(type) && op.size() > type.size()) return op.substr(0, op.size() - type.size());
  return op;
}

}  // namespace

RowOrigin OriginOf(std::string_view workload) {
  RowOrigin origin;
  if (workload.empty()) {
    origin.made = "copies and preparations around the workloads";
    return origin;
  }
  const std::string_view name = WithoutType(workload);
  for (const WorkloadOp& known : kWorkloads)
    if (known.workload == name)
      for (const std::string_view op : known.ops)
        if (!op.empty()) origin.ops.push_back(op);
  return origin;
}

}  // namespace opscope::armnn
