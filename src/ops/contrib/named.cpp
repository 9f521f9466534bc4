// Operators that are known by name: what they compute lies in a blob, in the data or in a kernel of
// one device, so that they are named with the reason instead of counted.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// Outputs keep what the file declares of them.
Result<void> InferDeclared(OpContext&) { return {}; }

Work Blob(const OpContext&) {
  return work::Unknown{"a compiled part of a network, which only its device can read"};
}

Work OfTheData(const OpContext&) { return work::Unknown{"its work depends on the data"}; }

Work OfADevice(const OpContext&) {
  return work::Unknown{"a fused kernel of one device without a formula here"};
}

// [batch, length, heads]: hashes of the last n tokens.
Result<void> InferNGramHash(OpContext& op) {
  const Shape& ids = op.in(0).shape;
  const std::int64_t kept = op.IntOr("max_ngram_size", 1) - 1;
  const Dim heads = op.dims().Mul(kept, op.IntOr("n_head_per_ngram", 1));
  const DType dtype = op.in(0).dtype;
  Shape hashes = ids;
  if (hashes.known_rank()) hashes.dims->push_back(heads);
  SetOutput(op, 0, dtype, std::move(hashes));
  if (op.op() == "NGramHashMapping") SetOutput(op, 1, dtype, ShapeOf({DimAt(ids, 0), kept}));
  return {};
}

// [batch, heads, length, length].
Result<void> InferGatedBias(OpContext& op) {
  const Shape& query = op.in(0).shape;
  const Shape& bias = op.in(2).shape;
  const bool padded = query.known_rank() && query.rank() == 3;
  const Dim batch = padded ? DimAt(query, 0) : DimAt(op.in(6).shape, 0);
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({batch, op.IntOr("num_heads", 0), DimAt(bias, 2), DimAt(bias, 3)}));
  return {};
}

// Each query head times a matrix [head, D] whose halves gate the bias.
Work GatedBiasWork(const OpContext& op) {
  const Shape& weight = op.in(3).shape;
  return work::MatrixProduct{
      .batch = 1,
      .m = op.dims().FloorDiv(ElementsOf(op, op.in(0).shape), DimAt(weight, 0)),
      .n = DimAt(weight, 1),
      .k = DimAt(weight, 0),
      .bias = op.has(4),
      .operands = {0, 3}};
}

// Words as character ids [length, characters]; one row of filters a word.
Result<void> InferWordConv(OpContext& op) {
  SetOutput(op, 0, op.in(1).dtype, ShapeOf({DimAt(op.in(0).shape, 0), DimAt(op.in(1).shape, 0)}));
  return {};
}

// Filters [out, 1, window, characters' embedding] over every place of a word.
Work WordConvWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& weight = op.in(1).shape;
  const Dim places = dims.Add(dims.Sub(DimAt(op.in(0).shape, 1), DimAt(weight, 2)), 1);
  return work::Convolution{.batch = DimAt(op.in(0).shape, 0),
                           .out_channels = DimAt(weight, 0),
                           .out_points = places,
                           .in_per_group = DimAt(weight, 1),
                           .kernel_points = PointsOf(op, weight),
                           .bias = true};
}

constexpr OpEntry Named(std::string_view op, WorkFn why, InferFn infer = InferDeclared) {
  return {.op = op, .infer = infer, .work = why, .rule = "named"};
}

constexpr OpEntry kOps[] = {
    Named("BifurcationDetector", OfTheData),
    Named("ConvStateReplay", OfADevice),
    Named("DynamicTimeWarping", OfTheData),
    Named("EPContext", Blob),
    Named("EngramGate", OfADevice),
    Named("GatedDeltaNetStateReplay", OfADevice),
    Named("HyperConnectionLowRankMix", OfADevice),
    Named("HyperConnectionPostMix", OfADevice),
    Named("HyperConnectionPreMix", OfADevice),
    Named("Mamba2Verify", OfADevice),
    Named("NGramHashMapping", OfADevice, InferNGramHash),
    Named("PackedSparseAttentionIndexer", OfTheData),
    Named("PackedSparseAttentionIndexerMerge", OfTheData),
    Named("Snpe", Blob),
    Named("SparseAttentionIndexer", OfTheData),
    Named("SpeculativePrefixCommit", OfTheData),
    Named("VarlenNGramHashMapping", OfADevice, InferNGramHash),
    {.op = "GatedRelativePositionBias",
     .infer = InferGatedBias,
     .work = GatedBiasWork,
     .rule = "matmul",
     .roles = "xwxwwwc"},
    {.op = "WordConvEmbedding",
     .infer = InferWordConv,
     .work = WordConvWork,
     .rule = "conv",
     .roles = "cwww"},
};

}  // namespace

std::span<const OpEntry> NamedOps() { return kOps; }

}  // namespace opscope::contrib
