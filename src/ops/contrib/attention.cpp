// Attention that makes queries, keys and values itself: one product of the input with their
// weights, side by side, before the attention proper. Past and present keys and values are one
// tensor [2, batch, heads, length, head].
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

constexpr std::size_t kNone = 99;

// Where the inputs of an op stand.
struct Slots {
  std::size_t weights = 1;
  std::size_t bias = 2;
  std::size_t past = kNone;
  std::size_t past_length = kNone;  // given when past and present share a buffer
  bool causal = false;              // whatever the attribute says
};
constexpr Slots kAttention = {1, 2, 4, 6};
constexpr Slots kQAttention = {1, 2, 8, kNone};
constexpr Slots kDecoderSelf = {1, 2, 4, 6, true};

struct Sizes {
  Dim batch, length, heads, head, value_head, columns;
  Dim past = 0;
  Dim total;
};

Dim Attribute(const OpContext& op, std::string_view name) {
  const std::int64_t value = op.IntOr(name, 0);
  return value > 0 ? Dim(value) : Dim();
}

// Queries, keys and values of a hidden size each: three equal parts, unless qkv_hidden_sizes says
// otherwise.
void ReadHeads(const OpContext& op, Dim columns, Sizes& sizes) {
  DimTable& dims = op.dims();
  sizes.columns = columns;
  sizes.heads = Attribute(op, "num_heads");
  Dim hidden = dims.FloorDiv(columns, 3);
  Dim value_hidden = hidden;
  if (const auto stated = op.Ints("qkv_hidden_sizes"); stated && stated->size() == 3) {
    hidden = (*stated)[0];
    value_hidden = (*stated)[2];
  }
  sizes.head = dims.FloorDiv(hidden, sizes.heads);
  sizes.value_head = dims.FloorDiv(value_hidden, sizes.heads);
}

Sizes ReadSizes(const OpContext& op, const Slots& slots) {
  DimTable& dims = op.dims();
  Sizes sizes;
  sizes.batch = DimAt(op.in(0).shape, 0);
  sizes.length = DimAt(op.in(0).shape, 1);
  ReadHeads(op, DimAt(op.in(slots.weights).shape, 1), sizes);
  if (op.has(slots.past_length)) {
    sizes.past = SingleDim(op.in(slots.past_length));
  } else if (op.has(slots.past)) {
    sizes.past = DimAt(op.in(slots.past).shape, 3);
  }
  sizes.total = dims.Add(sizes.past, sizes.length);
  return sizes;
}

// Multiply-accumulates of the projection: every token times all columns of the weights.
//   1 x 128 tokens of 768: 128 * 768 * 2304 = 226,492,416.
Dim Projection(const OpContext& op, Dim tokens, Dim columns) {
  return op.dims().Mul(op.dims().Mul(tokens, LastOf(op.in(0).shape)), columns);
}

Result<void> InferWith(OpContext& op, const Slots& slots, DType dtype) {
  const Sizes sizes = ReadSizes(op, slots);
  const Dim hidden = op.dims().Mul(sizes.heads, sizes.value_head);
  SetOutput(op, 0, dtype, ShapeOf({sizes.batch, sizes.length, hidden}));
  if (op.has(slots.past_length) && op.has(slots.past)) {
    Alias(op, 1, slots.past);
  } else {
    SetOutput(op, 1, dtype, ShapeOf({2, sizes.batch, sizes.heads, sizes.total, sizes.head}));
  }
  return {};
}

template <const Slots& kSlots>
Result<void> Infer(OpContext& op) {
  return InferWith(op, kSlots, op.in(0).dtype);
}

// Dequantised: the dtype of the bias.
Result<void> InferQuantised(OpContext& op) { return InferWith(op, kQAttention, op.in(2).dtype); }

template <const Slots& kSlots>
Work AttentionWork(const OpContext& op) {
  const Sizes sizes = ReadSizes(op, kSlots);
  const Dim tokens = op.dims().Mul(sizes.batch, sizes.length);
  return work::Attention{
      .batch = sizes.batch,
      .query_heads = sizes.heads,
      .q_length = sizes.length,
      .kv_length = sizes.total,
      .head = sizes.head,
      .value_head = sizes.value_head,
      .kv_heads = sizes.heads,
      .past = sizes.past,
      .causal = kSlots.causal || op.IntOr("unidirectional", 0) != 0,
      .projection = Projection(op, tokens, sizes.columns),
      .projection_bias = op.has(kSlots.bias) ? op.dims().Mul(tokens, sizes.columns) : Dim(0),
      .operands = {0, static_cast<int>(kSlots.weights)}};
}

// --- PackedAttention: the tokens of all sequences without padding, [tokens, hidden] ---

constexpr std::size_t kTokenOffset = 3;  // [batch, length]

Result<void> InferPacked(OpContext& op) {
  Sizes sizes;
  ReadHeads(op, DimAt(op.in(1).shape, 1), sizes);
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({DimAt(op.in(0).shape, 0), op.dims().Mul(sizes.heads, sizes.value_head)}));
  return {};
}

// A token sees its own sequence, which is not longer than the longest: an upper bound.
Work PackedWork(const OpContext& op) {
  Sizes sizes;
  ReadHeads(op, DimAt(op.in(1).shape, 1), sizes);
  const Dim tokens = DimAt(op.in(0).shape, 0);
  return work::Attention{.batch = 1,
                         .query_heads = sizes.heads,
                         .q_length = tokens,
                         .kv_length = DimAt(op.in(kTokenOffset).shape, 1),
                         .head = sizes.head,
                         .value_head = sizes.value_head,
                         .kv_heads = sizes.heads,
                         .projection = Projection(op, tokens, sizes.columns),
                         .projection_bias = op.dims().Mul(tokens, sizes.columns)};
}

// --- Longformer: a token sees a window on both sides of itself; a few see everything ---

Result<void> InferLongformer(OpContext& op) {
  TRY(SameAsInput(op));
  op.Note("tokens that attend globally are in the data and not counted");
  return {};
}

// Local projections for all tokens, and global keys and values for all tokens.
template <std::size_t kWeights>
Work LongformerWork(const OpContext& op) {
  DimTable& dims = op.dims();
  Sizes sizes;
  ReadHeads(op, DimAt(op.in(kWeights).shape, 1), sizes);
  const Dim window = dims.Add(dims.Mul(Attribute(op, "window"), 2), 1);
  const Dim tokens = dims.Mul(DimAt(op.in(0).shape, 0), DimAt(op.in(0).shape, 1));
  const Dim columns = dims.Add(sizes.columns, dims.FloorDiv(dims.Mul(sizes.columns, 2), 3));
  return work::Attention{.batch = DimAt(op.in(0).shape, 0),
                         .query_heads = sizes.heads,
                         .q_length = DimAt(op.in(0).shape, 1),
                         .kv_length = window,
                         .head = sizes.head,
                         .value_head = sizes.value_head,
                         .kv_heads = sizes.heads,
                         .window = window,
                         .projection = Projection(op, tokens, columns),
                         .projection_bias = dims.Mul(tokens, columns),
                         .operands = {0, static_cast<int>(kWeights)}};
}

// --- QOrderedAttention: three weights [hidden, columns] of their own ---

constexpr std::size_t kQueryWeight = 5;
constexpr std::size_t kQueryBias = 11;

Sizes ReadOrdered(const OpContext& op) {
  DimTable& dims = op.dims();
  Sizes sizes;
  sizes.batch = DimAt(op.in(0).shape, 0);
  sizes.length = DimAt(op.in(0).shape, 1);
  sizes.heads = Attribute(op, "num_heads");
  const Dim q = DimAt(op.in(kQueryWeight).shape, 1);
  const Dim k = DimAt(op.in(kQueryWeight + 1).shape, 1);
  const Dim v = DimAt(op.in(kQueryWeight + 2).shape, 1);
  sizes.columns = dims.Add(dims.Add(q, k), v);
  sizes.head = dims.FloorDiv(q, sizes.heads);
  sizes.value_head = dims.FloorDiv(v, sizes.heads);
  sizes.total = sizes.length;
  return sizes;
}

Result<void> InferOrdered(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype,
            WithLast(op.in(0).shape, DimAt(op.in(kQueryWeight + 2).shape, 1)));
  return {};
}

Work OrderedWork(const OpContext& op) {
  const Sizes sizes = ReadOrdered(op);
  const Dim tokens = op.dims().Mul(sizes.batch, sizes.length);
  const Dim added = op.dims().Mul(tokens, sizes.columns);
  return work::Attention{.batch = sizes.batch,
                         .query_heads = sizes.heads,
                         .q_length = sizes.length,
                         .kv_length = sizes.total,
                         .head = sizes.head,
                         .value_head = sizes.value_head,
                         .kv_heads = sizes.heads,
                         .causal = op.IntOr("unidirectional", 0) != 0,
                         .projection = Projection(op, tokens, sizes.columns),
                         .projection_bias = op.has(kQueryBias) ? added : Dim(0),
                         .operands = {0, static_cast<int>(kQueryWeight)}};
}

// --- DecoderAttention: [length, batch, hidden]; keys and values are made from `key` ---

Result<void> InferDecoder(OpContext& op) {
  TRY(SameAsInput(op));
  DimTable& dims = op.dims();
  const Shape& query = op.in(0).shape;
  const Dim heads = Attribute(op, "num_heads");
  const Dim head = dims.FloorDiv(DimAt(query, 2), heads);
  // Whether the cache grows is the value of use_past, a tensor.
  const bool cached = SingleInteger(op.in(9)) != 0;
  const Dim length = cached ? Dim() : DimAt(op.in(1).shape, 0);
  for (const std::size_t output : {std::size_t{1}, std::size_t{2}}) {
    SetOutput(op, output, op.in(0).dtype, ShapeOf({DimAt(query, 1), heads, length, head}));
  }
  return {};
}

Work DecoderWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& query = op.in(0).shape;
  const Shape& key = op.in(1).shape;
  const Dim hidden = DimAt(query, 2);
  const Dim heads = Attribute(op, "num_heads");
  const Dim head = dims.FloorDiv(hidden, heads);
  const Dim rows = dims.Add(DimAt(query, 0), dims.Mul(DimAt(key, 0), 2));
  const Dim columns = dims.Mul(dims.Mul(rows, DimAt(query, 1)), hidden);
  return work::Attention{.batch = DimAt(query, 1),
                         .query_heads = heads,
                         .q_length = DimAt(query, 0),
                         .kv_length = DimAt(key, 0),
                         .head = head,
                         .value_head = head,
                         .kv_heads = heads,
                         .projection = dims.Mul(columns, hidden),
                         .projection_bias = columns,
                         .operands = {0, 2}};
}

constexpr OpEntry Attention(std::string_view op, InferFn infer, WorkFn work,
                            std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "attention", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Attention("Attention", Infer<kAttention>, AttentionWork<kAttention>, "xwwcxxc"),
    Attention("DecoderAttention", InferDecoder, DecoderWork, "xxwwwcxxc"),
    Attention("DecoderMaskedSelfAttention", Infer<kDecoderSelf>, AttentionWork<kDecoderSelf>,
              "xwwcxxc"),
    Attention("LongformerAttention", InferLongformer, LongformerWork<1>, "xwwcwwc"),
    Attention("PackedAttention", InferPacked, PackedWork, "xwwccx"),
    Attention("QAttention", InferQuantised, AttentionWork<kQAttention>, "xwwwwcwwx"),
    Attention("QOrderedAttention", InferOrdered, OrderedWork, "xwwwwwwwwwwwwwwwwcxx"),
    Attention("QOrderedLongformerAttention", InferLongformer, LongformerWork<2>, "xwwwwwwcwwwwcw"),
};

}  // namespace

std::span<const OpEntry> AttentionOps() { return kOps; }

}  // namespace opscope::contrib
