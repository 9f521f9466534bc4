// Convolutions: fused with what follows, with channels last, quantised.
#include <algorithm>

#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

constexpr std::size_t kResidual = 3;  // FusedConv's Z, nchwc.Conv's Sum

bool LastByAttribute(const OpContext& op) { return op.IntOr("channels_last", 0) != 0; }

Result<void> InferLayout(OpContext& op, std::string_view name, bool last) {
  const ChannelsFirst view(op, last);
  return InferAs(op, name);
}

Work WorkLayout(const OpContext& op, std::string_view name, bool last) {
  const ChannelsFirst view(op, last);
  return WorkAs(op, name);
}

template <bool kLast>
Result<void> InferConv(OpContext& op) {
  return InferLayout(op, "Conv", kLast);
}

template <bool kLast>
Work ConvWork(const OpContext& op) {
  Work work = WorkLayout(op, "Conv", kLast);
  auto& conv = std::get<work::Convolution>(work);
  conv.then.activation = ActivationNamed(op.String("activation").value_or(""));
  conv.then.addition = op.has(kResidual);
  return work;
}

Result<void> InferQLinear(OpContext& op) {
  return InferLayout(op, "QLinearConv", LastByAttribute(op));
}

Work QLinearWork(const OpContext& op) { return WorkLayout(op, "QLinearConv", LastByAttribute(op)); }

// Every output also reads a weight, so that a bias is input 3 and pads are input 2.
Work DynamicPadsWork(const OpContext& op) {
  Work work = WorkAs(op, "ConvTranspose");
  std::get<work::TransposedConvolution>(work).bias = op.has(3);
  return work;
}

// The pads, when they are known, take from what ConvTranspose gives without.
Result<void> InferDynamicPads(OpContext& op) {
  TRY(InferAs(op, "ConvTranspose"));
  if (!op.has(2)) return {};
  Shape& out = op.out(0).shape;
  if (!out.known_rank()) return {};
  const std::size_t spatial = out.rank() - 2;
  const auto& pads = op.in(2).ints;
  const bool known = pads.has_value() && pads->size() == 2 * spatial;
  for (std::size_t i = 0; i < spatial; ++i) {
    Dim& size = (*out.dims)[2 + i];
    size = known ? op.dims().Sub(size, op.dims().Add((*pads)[i], (*pads)[spatial + i])) : Dim();
  }
  return {};
}

constexpr OpEntry kOps[] = {
    {.op = "ConvTransposeWithDynamicPads",
     .infer = InferDynamicPads,
     .work = DynamicPadsWork,
     .rule = "conv-transpose",
     .roles = "xwcw"},
    {.op = "FusedConv",
     .infer = InferConv<false>,
     .work = ConvWork<false>,
     .rule = "conv",
     .roles = "xwwx"},
    {.op = "NhwcConv",
     .infer = InferConv<true>,
     .work = ConvWork<true>,
     .rule = "conv",
     .roles = "xww"},
    {.op = "NhwcFusedConv",
     .infer = InferConv<true>,
     .work = ConvWork<true>,
     .rule = "conv",
     .roles = "xwwx"},
    {.op = "QLinearConv",
     .infer = InferQLinear,
     .work = QLinearWork,
     .rule = "conv",
     .roles = "xwwwwwwww"},
};

// --- com.microsoft.nchwc: channels in blocks of the machine's vectors ---

// How many channels a block has depends on the machine ORT ran on; the layers after it say it by
// their weights.
Result<void> InferReorderInput(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape);
  Shape& out = op.out(0).shape;
  if (!out.known_rank() || out.rank() < 3) return {};
  if (LastByAttribute(op)) std::rotate(out.dims->begin() + 1, out.dims->end() - 1, out.dims->end());
  // Blocks have 8 or 16 channels: with whole blocks of 16 nothing is added on any machine.
  Dim& channels = (*out.dims)[1];
  if (!channels.is_number() || channels.number() % 16 != 0) channels = Dim();
  return {};
}

Result<void> InferReorderOutput(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, in.shape);
  Shape& out = op.out(0).shape;
  if (!out.known_rank() || out.rank() < 3) return {};
  (*out.dims)[1] = op.IntOr("channels", 0);
  if (LastByAttribute(op))
    std::rotate(out.dims->begin() + 1, out.dims->begin() + 2, out.dims->end());
  return {};
}

Result<void> InferUpsample(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const auto scales = op.Ints("scales");
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!in.known_rank() || !scales.has_value()) return {};
  if (scales->size() != in.rank()) return op.Problem("\"scales\" do not fit the rank");
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    out.push_back(op.dims().Mul((*in.dims)[i], (*scales)[i]));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work UpsampleWork(const OpContext& op) {
  return work::Resampling{ElementsOf(op, op.out(0).shape),
                          std::string(op.String("mode").value_or("nearest"))};
}

constexpr OpEntry kNchwc[] = {
    {.op = "AveragePool",
     .infer = [](OpContext& op) { return InferAs(op, "AveragePool"); },
     .work = [](const OpContext& op) { return WorkAs(op, "AveragePool"); },
     .rule = "pooling"},
    {.op = "Conv",
     .infer = InferConv<false>,
     .work = ConvWork<false>,
     .rule = "conv",
     .roles = "xwwx"},
    {.op = "GlobalAveragePool",
     .infer = [](OpContext& op) { return InferAs(op, "GlobalAveragePool"); },
     .work = [](const OpContext& op) { return WorkAs(op, "GlobalAveragePool"); },
     .rule = "pooling"},
    {.op = "GlobalMaxPool",
     .infer = [](OpContext& op) { return InferAs(op, "GlobalMaxPool"); },
     .work = [](const OpContext& op) { return WorkAs(op, "GlobalMaxPool"); },
     .rule = "pooling"},
    {.op = "MaxPool",
     .infer = [](OpContext& op) { return InferAs(op, "MaxPool"); },
     .work = [](const OpContext& op) { return WorkAs(op, "MaxPool"); },
     .rule = "pooling"},
    {.op = "ReorderInput", .infer = InferReorderInput, .work = MovementWork, .rule = "movement"},
    {.op = "ReorderOutput", .infer = InferReorderOutput, .work = MovementWork, .rule = "movement"},
    {.op = "Upsample", .infer = InferUpsample, .work = UpsampleWork, .rule = "resampling"},
};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }
std::span<const OpEntry> NchwcOps() { return kNchwc; }

}  // namespace opscope::contrib
