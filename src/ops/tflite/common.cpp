#include "ops/tflite/common.h"

#include <limits>

#include "ops/onnx/read_as.h"

namespace opscope::tflite {

namespace {

constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();

void TakeStoredDTypes(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    if (!op.has_output(i)) continue;
    const DType stored = op.model().tensor(op.node().outputs[i]).declared.dtype;
    if (stored != DType::kUnknown) op.out(i).dtype = stored;
  }
}

Result<std::int64_t> Extent(const OpContext& op, const std::string& name, std::int64_t otherwise) {
  const std::int64_t value = op.IntOr(name, otherwise);
  if (value < 1 || value > kMaxExtent)
    return op.Problem("attribute \"" + name + "\" holds " + std::to_string(value));
  return value;
}

}  // namespace

Result<void> InferAs(OpContext& op, std::string_view name) {
  Result<void> result = onnx::InferAs(op, name);
  TakeStoredDTypes(op);
  return result;
}

DType StoredDType(const OpContext& op, std::size_t output, std::size_t input) {
  const DType stored = op.has_output(output)
                           ? op.model().tensor(op.node().outputs[output]).declared.dtype
                           : DType::kUnknown;
  return stored == DType::kUnknown ? op.in(input).dtype : stored;
}

Result<void> InferStored(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, StoredDType(op, i), {});
  return {};
}

Result<void> InferSame(OpContext& op) {
  SetOutput(op, 0, StoredDType(op, 0), op.in(0).shape);
  op.out(0).elements = op.in(0).elements;
  return {};
}

work::Epilogue FusedActivation(const OpContext& op) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"RELU", "Relu"},
                                                                      {"RELU_N1_TO_1", "Clip"},
                                                                      {"RELU6", "Clip"},
                                                                      {"TANH", "Tanh"},
                                                                      {"SIGN_BIT", "Sign"}};
  const std::string_view name = op.String("fused_activation_function").value_or("");
  for (const auto& [from, to] : kNames)
    if (from == name) return {std::string(to)};
  return {};
}

Result<onnx::Window> ReadWindow(const OpContext& op, Dims kernel, std::string_view names) {
  onnx::Window window;
  window.kernel = std::move(kernel);
  for (const char name : names) {
    const std::string letter(1, name);
    TRY_ASSIGN(const std::int64_t stride, Extent(op, "stride_" + letter, 1));
    TRY_ASSIGN(const std::int64_t dilation, Extent(op, "dilation_" + letter + "_factor", 1));
    window.strides.push_back(stride);
    window.dilations.push_back(dilation);
    window.pads_begin.push_back(0);
    window.pads_end.push_back(0);
  }
  const std::string_view padding = op.String("padding").value_or("SAME");
  if (padding == "SAME") {
    window.auto_pad = onnx::AutoPad::kSameUpper;
  } else if (padding != "VALID") {
    return op.Problem("attribute \"padding\" is " + std::string(padding));
  }
  return window;
}

std::optional<std::vector<std::int64_t>> IntegersOf(const OpContext& op, std::size_t input) {
  return op.has(input) ? KnownIntegers(op.in(input)) : std::nullopt;
}

}  // namespace opscope::tflite
