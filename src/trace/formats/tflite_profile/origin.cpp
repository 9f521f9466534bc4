// Rows of TFLite's profiler. Ops of the interpreter carry the index of their node; a delegate's row
// carries the tensors it hands out; what runs inside a delegate has a name of the delegate's own:
//   Delegate/Convolution (NHWC, QC8) DWConv   (XNNPACK)
#include "trace/formats/tflite_profile/origin.h"

#include <array>

namespace opscope::tflite_profile {

namespace {

struct DelegateOp {
  std::string_view starts;  // behind "Delegate/"
  std::string_view has;     // and anywhere in the name; empty = anything
  std::array<std::string_view, 4> ops;
  std::string_view own = {};  // what it does where the model has no such op
};

constexpr std::string_view kLayout = "layout, padding or type change that the delegate put in";

// XNNPACK names an operator, its layout and types, and the kind of its kernel. The first that fits.
constexpr std::array kDelegateOps = {
    DelegateOp{"Convolution (", "DWConv", {"DEPTHWISE_CONV_2D", "CONV_2D"}},
    DelegateOp{"Convolution (", "", {"CONV_2D", "FULLY_CONNECTED", "DEPTHWISE_CONV_2D"}},
    DelegateOp{"Deconvolution", "", {"TRANSPOSE_CONV"}},
    DelegateOp{"Fully Connected", "", {"FULLY_CONNECTED", "CONV_2D"}},
    DelegateOp{"Dynamic Fully Connected", "", {"FULLY_CONNECTED", "BATCH_MATMUL"}},
    DelegateOp{"Batch Matrix Multiply", "", {"BATCH_MATMUL"}},
    DelegateOp{"Add", "", {"ADD"}},
    DelegateOp{"Subtract", "", {"SUB"}},
    DelegateOp{"Multiply", "", {"MUL"}},
    DelegateOp{"Divide", "", {"DIV"}},
    DelegateOp{"Maximum", "", {"MAXIMUM"}},
    DelegateOp{"Minimum", "", {"MINIMUM"}},
    DelegateOp{"Squared Difference", "", {"SQUARED_DIFFERENCE"}},
    DelegateOp{"Average Pooling", "", {"AVERAGE_POOL_2D"}},
    DelegateOp{"Global Average Pooling", "", {"MEAN", "AVERAGE_POOL_2D"}},
    DelegateOp{"Max Pooling", "", {"MAX_POOL_2D"}},
    DelegateOp{"Mean", "", {"MEAN"}},
    DelegateOp{"Sum", "", {"SUM"}},
    DelegateOp{"Resize Bilinear", "", {"RESIZE_BILINEAR"}},
    DelegateOp{"Softmax", "", {"SOFTMAX"}},
    DelegateOp{"Sigmoid", "", {"LOGISTIC"}},
    DelegateOp{"HardSwish", "", {"HARD_SWISH"}},
    DelegateOp{"PReLU", "", {"PRELU"}},
    DelegateOp{"Leaky ReLU", "", {"LEAKY_RELU"}},
    DelegateOp{"ELU", "", {"ELU"}},
    DelegateOp{"Clamp", "", {"RELU", "RELU6", "RELU_N1_TO_1", "MINIMUM"}},
    DelegateOp{"Tanh", "", {"TANH"}},
    DelegateOp{"GELU", "", {"GELU"}},
    DelegateOp{"Abs", "", {"ABS"}},
    DelegateOp{"Negate", "", {"NEG"}},
    DelegateOp{"Square Root", "", {"SQRT"}},
    DelegateOp{"Reciprocal Square Root", "", {"RSQRT"}},
    DelegateOp{"Square", "", {"SQUARE"}},
    DelegateOp{"Exp", "", {"EXP"}},
    DelegateOp{"Floor", "", {"FLOOR"}},
    DelegateOp{"Concatenate", "", {"CONCATENATION"}},
    DelegateOp{"Even Split", "", {"SPLIT"}},
    DelegateOp{"Slice", "", {"SLICE", "STRIDED_SLICE"}},
    DelegateOp{"Depth To Space", "", {"DEPTH_TO_SPACE"}},
    DelegateOp{"Space To Depth", "", {"SPACE_TO_DEPTH"}},
    DelegateOp{"Constant Pad", "", {"PAD", "PADV2"}, kLayout},
    DelegateOp{"Transpose", "", {"TRANSPOSE"}, kLayout},
    DelegateOp{"Convert", "", {"QUANTIZE", "DEQUANTIZE"}, kLayout},
    DelegateOp{"Copy", "", {"RESHAPE", "EXPAND_DIMS", "SQUEEZE"}, kLayout},
};

// "a, b;c:0": a name may hold a comma itself, so that the whole is asked for as well.
std::vector<std::string> Tensors(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  names.emplace_back(text);
  for (std::size_t end = text.find(", "); end != std::string_view::npos; end = text.find(", ")) {
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 2);
  }
  if (names.size() > 1) names.emplace_back(text);
  return names;
}

}  // namespace

RowOrigin InnerOrigin(std::string_view name) {
  constexpr std::string_view kStart = "Delegate/";
  RowOrigin origin;
  if (name.starts_with(kStart)) name.remove_prefix(kStart.size());
  for (const DelegateOp& op : kDelegateOps) {
    if (!name.starts_with(op.starts) || name.find(op.has) == std::string_view::npos) continue;
    for (const std::string_view candidate : op.ops)
      if (!candidate.empty()) origin.ops.push_back(candidate);
    origin.otherwise = op.own;
    break;
  }
  return origin;
}

RowOrigin OriginOf(const OpRow& row) {
  RowOrigin origin;
  origin.outputs = Tensors(row.tensors);
  origin.outputs_all = row.is_delegate();  // all that its tensors hang on
  if (!origin.outputs_all) origin.node_index = row.index;
  return origin;
}

}  // namespace opscope::tflite_profile
