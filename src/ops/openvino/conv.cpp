// Convolutions: with groups the weight has an axis for them, and all paddings are stated.
#include <algorithm>
#include <string>

#include "ops/openvino/common.h"
#include "ops/openvino/families.h"
#include "ops/openvino/windows.h"

namespace opscope::openvino {

namespace {

// While it lives, a weight [groups, out / groups, in / groups, k …] looks as ai.onnx has it:
// groups and the axis behind them are one.
class MergedGroups {
 public:
  explicit MergedGroups(const OpContext& op) : op_(op) {
    if (!op.has(1)) return;
    TensorFact& weight = op.FactOf(op.node().inputs[1]);
    if (!weight.shape.known_rank() || weight.shape.rank() < 4) return;
    before_ = weight.shape;
    Dims& dims = *weight.shape.dims;
    groups_ = dims[0];
    dims[1] = op.dims().Mul(dims[0], dims[1]);
    dims.erase(dims.begin());
  }
  ~MergedGroups() {
    if (before_.has_value()) op_.FactOf(op_.node().inputs[1]).shape = std::move(*before_);
  }
  MergedGroups(const MergedGroups&) = delete;
  MergedGroups& operator=(const MergedGroups&) = delete;

  // 0 when it is not known.
  std::int64_t groups() const { return groups_.is_number() ? groups_.number() : 0; }

 private:
  const OpContext& op_;
  std::optional<Shape> before_;
  Dim groups_;
};

AsOnnx Convolution(const OpContext& op, std::int64_t groups) {
  AsOnnx as(op, "Conv", {0, 1});
  SetWindow(op, as);
  as.Set("group", groups);
  return as;
}

// A third input, or the attribute of that name, states the spatial dims of the output.
AsOnnx Transposed(const OpContext& op, std::int64_t groups) {
  AsOnnx as(op, "ConvTranspose", {0, 1});
  SetWindow(op, as);
  as.Set("group", groups).RenameList("output_padding", "output_padding");
  if (const auto size = KnownIntegers(op.in(2)); op.has(2) && size.has_value())
    as.Set("output_shape", *size);
  return as;
}

using View = AsOnnx (*)(const OpContext& op, std::int64_t groups);

template <View kView>
Result<void> InferPlain(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  if (op.has(2) && !KnownIntegers(op.in(2)).has_value()) return {};  // as declared
  return kView(op, 1).Infer();
}

template <View kView>
Work PlainWork(const OpContext& op) {
  return kView(op, 1).Work();
}

template <View kView>
Result<void> InferGrouped(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  if (op.has(2) && !KnownIntegers(op.in(2)).has_value()) return {};
  const MergedGroups merged(op);
  if (merged.groups() < 1) return {};
  return kView(op, merged.groups()).Infer();
}

template <View kView>
Work GroupedWork(const OpContext& op) {
  const MergedGroups merged(op);
  return kView(op, std::max<std::int64_t>(merged.groups(), 1)).Work();
}

// data, offsets, filters, mask; ai.onnx: data, filters, offsets, bias, mask.
AsOnnx Deformable(const OpContext& op) {
  AsOnnx as(op, "DeformConv", {0, 2, 1, AsOnnx::kLeftOut, 3});
  SetWindow(op, as);
  return as;
}

constexpr OpEntry Conv(std::string_view op, InferFn infer, WorkFn work) {
  return {.op = op, .infer = infer, .work = work, .rule = "conv", .roles = "xwc", .like = "Conv"};
}

constexpr OpEntry Transpose(std::string_view op, InferFn infer, WorkFn work) {
  return {.op = op,
          .infer = infer,
          .work = work,
          .rule = "conv-transpose",
          .roles = "xwc",
          .like = "ConvTranspose"};
}

constexpr OpEntry kOps[] = {
    Conv("BinaryConvolution", InferPlain<Convolution>, PlainWork<Convolution>),
    Conv("Convolution", InferPlain<Convolution>, PlainWork<Convolution>),
    Conv("GroupConvolution", InferGrouped<Convolution>, GroupedWork<Convolution>),
    Transpose("ConvolutionBackpropData", InferPlain<Transposed>, PlainWork<Transposed>),
    Transpose("GroupConvolutionBackpropData", InferGrouped<Transposed>, GroupedWork<Transposed>),
    {.op = "DeformableConvolution",
     .infer = [](OpContext& op) { return Deformable(op).Infer(); },
     .work = [](const OpContext& op) { return Deformable(op).Work(); },
     .rule = "conv",
     .roles = "xxwx",
     .like = "DeformConv"},
};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }

}  // namespace opscope::openvino
