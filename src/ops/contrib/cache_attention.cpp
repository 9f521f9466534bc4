// Attention over queries, keys and values that come in, with a cache of past keys and values.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

struct Sizes {
  Dim batch, length, heads, kv_heads, head, value_head;
  Dim added;     // new keys and values
  Dim past = 0;  // in the cache before
  Dim total;
};

Dim Attribute(const OpContext& op, std::string_view name) {
  const std::int64_t value = op.IntOr(name, 0);
  return value > 0 ? Dim(value) : Dim();
}

work::Attention WorkOf(const Sizes& sizes) {
  return {.batch = sizes.batch,
          .query_heads = sizes.heads,
          .q_length = sizes.length,
          .kv_length = sizes.total,
          .head = sizes.head,
          .value_head = sizes.value_head,
          .kv_heads = sizes.kv_heads,
          .past = sizes.past};
}

// A window of the `local_window_size` keys before a query.
std::optional<Dim> WindowOf(const OpContext& op) {
  const std::int64_t window = op.IntOr("local_window_size", -1);
  return window > 0 ? std::optional<Dim>(window) : std::nullopt;
}

// --- MultiHeadAttention and its kin of one token, DecoderMaskedMultiHeadAttention ---

struct Slots {
  std::size_t past_key, past_length, bias;
};
constexpr Slots kMultiHead = {6, 8, 3};
constexpr Slots kDecoder = {5, 7, 10};

// Packed: queries, keys and values [batch, length, heads, 3, head], or keys and values with 2.
// Flat: [batch, length, heads * head]. Keys of rank 4 are those of a cross attention, in the
// layout of a cache: [batch, heads, length, head].
Sizes ReadMultiHead(const OpContext& op, const Slots& slots) {
  DimTable& dims = op.dims();
  const Shape& query = op.in(0).shape;
  const Shape& key = op.in(1).shape;
  const Shape& value = op.in(2).shape;
  Sizes sizes;
  sizes.batch = DimAt(query, 0);
  sizes.length = DimAt(query, 1);
  sizes.heads = sizes.kv_heads = Attribute(op, "num_heads");
  if (!query.known_rank()) return sizes;
  if (query.rank() == 5) {
    sizes.head = sizes.value_head = DimAt(query, 4);
    sizes.added = sizes.length;
  } else if (!op.has(1)) {  // [batch, 1, 3 * hidden]
    sizes.head = sizes.value_head = dims.FloorDiv(dims.FloorDiv(DimAt(query, 2), 3), sizes.heads);
    sizes.added = sizes.length;
  } else {
    sizes.head = dims.FloorDiv(DimAt(query, 2), sizes.heads);
    const bool cross = key.known_rank() && key.rank() == 4;
    sizes.added = DimAt(key, cross ? 2 : 1);
    sizes.value_head = !value.known_rank() && op.has(2) ? Dim()
                       : cross && op.has(2)             ? DimAt(value, 3)
                       : op.has(2) ? dims.FloorDiv(DimAt(value, 2), sizes.heads)
                                   : sizes.head;
  }
  if (op.has(slots.past_length)) {
    sizes.past = SingleDim(op.in(slots.past_length));
  } else if (op.has(slots.past_key)) {
    sizes.past = DimAt(op.in(slots.past_key).shape, 2);
  }
  sizes.total = dims.Add(sizes.past, sizes.added);
  return sizes;
}

Result<void> InferMultiHead(OpContext& op, const Slots& slots) {
  const Sizes s = ReadMultiHead(op, slots);
  const DType dtype = op.in(0).dtype;
  SetOutput(op, 0, dtype, ShapeOf({s.batch, s.length, op.dims().Mul(s.heads, s.value_head)}));
  if (op.has(slots.past_length) && op.has(slots.past_key)) {
    Alias(op, 1, slots.past_key);
    Alias(op, 2, slots.past_key + 1);
  } else {
    SetOutput(op, 1, dtype, ShapeOf({s.batch, s.kv_heads, s.total, s.head}));
    SetOutput(op, 2, dtype, ShapeOf({s.batch, s.kv_heads, s.total, s.value_head}));
  }
  SetOutput(op, 3, dtype, ShapeOf({s.batch, s.heads, s.length, s.total}));
  return {};
}

template <const Slots& kSlots>
Result<void> InferHeads(OpContext& op) {
  return InferMultiHead(op, kSlots);
}

// A bias of the projections before is added to queries, keys and values.
template <const Slots& kSlots>
Work HeadsWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Sizes sizes = ReadMultiHead(op, kSlots);
  work::Attention work = WorkOf(sizes);
  work.causal = op.IntOr("unidirectional", 0) != 0;
  if (op.has(kSlots.bias)) {
    const Dim queries = dims.Mul(sizes.length, sizes.head);
    const Dim others = dims.Mul(sizes.added, dims.Add(sizes.head, sizes.value_head));
    work.projection_bias = dims.Mul(dims.Mul(sizes.batch, sizes.heads), dims.Add(queries, others));
  }
  return work;
}

// --- GroupQueryAttention and others with fewer key heads than query heads ---

// Without a key, queries, keys and values lie side by side: (heads + 2 * kv_heads) * head columns.
void ReadGrouped(const OpContext& op, Dim columns, Sizes& sizes) {
  DimTable& dims = op.dims();
  sizes.heads = Attribute(op, "num_heads");
  sizes.kv_heads = Attribute(op, "kv_num_heads");
  const Dim packed = dims.Add(sizes.heads, dims.Mul(sizes.kv_heads, 2));
  sizes.head = dims.FloorDiv(columns, op.has(1) ? sizes.heads : packed);
  sizes.value_head = sizes.head;
}

constexpr std::size_t kPastKey = 3;

// The number of keys, past and new, is a scalar input; where its value is not known it is what
// the cache holds and what is new, an upper bound when the cache is a buffer for more.
Sizes ReadGroupQuery(const OpContext& op, std::size_t total_input) {
  DimTable& dims = op.dims();
  Sizes sizes;
  sizes.batch = DimAt(op.in(0).shape, 0);
  sizes.length = DimAt(op.in(0).shape, 1);
  ReadGrouped(op, DimAt(op.in(0).shape, 2), sizes);
  sizes.added = op.has(1) ? DimAt(op.in(1).shape, 1) : sizes.length;
  sizes.total = SingleDim(op.in(total_input));
  if (sizes.total.is_unknown()) {
    sizes.past = op.has(kPastKey) ? DimAt(op.in(kPastKey).shape, 2) : Dim(0);
    sizes.total = dims.Add(sizes.past, sizes.added);
  } else {
    sizes.past = dims.Sub(sizes.total, sizes.added);
  }
  return sizes;
}

// The present cache is the past one when that is a buffer with room for all, else as long as all
// keys. Which of the two it is stands in the declared output when nothing else says it.
Dim PresentLength(const OpContext& op, const Sizes& sizes) {
  if (!op.has(kPastKey)) return sizes.total;
  const Dim room = DimAt(op.in(kPastKey).shape, 2);
  const bool known = !SingleDim(op.in(6)).is_unknown();
  return known ? op.dims().Max(room, sizes.total) : Dim();
}

Result<void> InferGroupQuery(OpContext& op) {
  const Sizes s = ReadGroupQuery(op, 6);
  const DType dtype = op.in(0).dtype;
  SetOutput(op, 0, dtype, ShapeOf({s.batch, s.length, op.dims().Mul(s.heads, s.head)}));
  const Shape& past = op.in(kPastKey).shape;
  const DType cache = op.has(kPastKey) ? op.in(kPastKey).dtype : dtype;
  const Dim head = past.known_rank() && past.rank() == 4 ? DimAt(past, 3) : s.head;
  const Shape present = ShapeOf({s.batch, s.kv_heads, PresentLength(op, s), head});
  SetOutput(op, 1, cache, present);
  SetOutput(op, 2, cache, present);
  SetOutput(op, 3, dtype, ShapeOf({s.batch, s.heads, s.length, s.total}));
  return {};
}

// 12 query heads, 3 key heads of 32, 96 tokens: 12 * 96*96 * (32 + 32) = 7,077,888.
Work GroupQueryWork(const OpContext& op) {
  work::Attention work = WorkOf(ReadGroupQuery(op, 6));
  work.causal = op.IntOr("causal", 1) != 0;
  work.window = WindowOf(op);
  return work;
}

// Which blocks are attended is in the data: counted as if all were, an upper bound.
Result<void> InferSparse(OpContext& op) {
  const Sizes s = ReadGroupQuery(op, 7);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({s.batch, s.length, op.dims().Mul(s.heads, s.head)}));
  Alias(op, 1, kPastKey);
  Alias(op, 2, kPastKey + 1);
  op.Note("blocks that are left out are in the data; counted as dense attention");
  return {};
}

Work SparseWork(const OpContext& op) {
  work::Attention work = WorkOf(ReadGroupQuery(op, 7));
  work.causal = true;
  return work;
}

// A query sees the selected positions, and in one mode a window before it.
Dim SelectedLength(const OpContext& op, std::size_t selected) {
  const Dim most = DimAt(op.in(selected).shape, 1);
  const bool local = op.String("attention_mode").value_or("") == "local_plus_selected";
  return local ? op.dims().Add(most, WindowOf(op).value_or(Dim())) : most;
}

Result<void> InferDynamic(OpContext& op) {
  const Sizes s = ReadGroupQuery(op, 10);
  const DType dtype = op.IntOr("output_bf16", 0) != 0 ? DType::kBFloat16 : op.in(0).dtype;
  SetOutput(op, 0, dtype, ShapeOf({s.batch, s.length, op.dims().Mul(s.heads, s.head)}));
  Alias(op, 1, 3);
  Alias(op, 2, 4);
  SetOutput(op, 3, DType::kInt32, {});
  return {};
}

Work DynamicWork(const OpContext& op) {
  work::Attention work = WorkOf(ReadGroupQuery(op, 10));
  work.kv_length = SelectedLength(op, 7);
  work.causal = true;
  work.window = WindowOf(op);
  return work;
}

// --- packed tokens: [tokens, hidden] of all sequences without padding ---

Result<void> InferPackedHeads(OpContext& op) {
  const Shape& query = op.in(0).shape;
  const bool packed = query.known_rank() && query.rank() == 4;
  const Dim columns = packed ? op.dims().Mul(DimAt(query, 1), DimAt(query, 3))
                             : LastOf(op.in(op.has(2) ? 2 : 0).shape);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(query, 0), columns}));
  return {};
}

// A token sees its own sequence, which is not longer than the longest: an upper bound.
Work PackedHeadsWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Shape& query = op.in(0).shape;
  const bool packed = query.known_rank() && query.rank() == 4;
  Sizes sizes;
  sizes.batch = 1;
  sizes.length = DimAt(query, 0);
  sizes.heads = sizes.kv_heads = Attribute(op, "num_heads");
  sizes.head = packed ? DimAt(query, 3) : dims.FloorDiv(DimAt(query, 1), sizes.heads);
  sizes.value_head = op.has(2) ? dims.FloorDiv(LastOf(op.in(2).shape), sizes.heads) : sizes.head;
  sizes.total = DimAt(op.in(4).shape, 1);
  return WorkOf(sizes);
}

// Keys and values lie in blocks [blocks, block_size, kv_heads, head]; block_table says which
// belong to a sequence, so that its width times the block size bounds the length.
constexpr std::size_t kKeyCache = 3;

Sizes ReadPaged(const OpContext& op, std::size_t block_table) {
  Sizes sizes;
  sizes.batch = 1;
  sizes.length = DimAt(op.in(0).shape, 0);
  ReadGrouped(op, DimAt(op.in(0).shape, 1), sizes);
  if (const std::int64_t value_head = op.IntOr("v_head_size", 0); value_head > 0) {
    sizes.value_head = value_head;
  }
  sizes.total = op.dims().Mul(DimAt(op.in(block_table).shape, 1), DimAt(op.in(kKeyCache).shape, 1));
  return sizes;
}

template <std::size_t kTable>
Result<void> InferPaged(OpContext& op) {
  const Sizes s = ReadPaged(op, kTable);
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({s.length, op.dims().Mul(s.heads, s.value_head)}));
  Alias(op, 1, kKeyCache);
  Alias(op, 2, kKeyCache + 1);
  return {};
}

template <std::size_t kTable, std::size_t kSelected>
Work PagedWork(const OpContext& op) {
  work::Attention work = WorkOf(ReadPaged(op, kTable));
  if (kSelected > 0) work.kv_length = SelectedLength(op, kSelected);
  work.causal = op.IntOr("is_causal", 1) != 0;
  work.window = WindowOf(op);
  return work;
}

constexpr OpEntry Attention(std::string_view op, InferFn infer, WorkFn work,
                            std::string_view roles) {
  return {.op = op, .infer = infer, .work = work, .rule = "attention", .roles = roles};
}

constexpr OpEntry kOps[] = {
    Attention("DecoderMaskedMultiHeadAttention", InferHeads<kDecoder>, HeadsWork<kDecoder>,
              "xxxcxxxcccw"),
    Attention("DynamicSparseAttention", InferDynamic, DynamicWork, "xxxxxxxccccccccwwwcww"),
    Attention("GroupQueryAttention", InferGroupQuery, GroupQueryWork, "xxxxxccccccxwwwwc"),
    Attention("MultiHeadAttention", InferHeads<kMultiHead>, HeadsWork<kMultiHead>, "xxxwcxxxcc"),
    Attention("PackedMultiHeadAttention", InferPackedHeads, PackedHeadsWork, "xxxwccx"),
    Attention("PagedAttention", InferPaged<7>, PagedWork<7, 0>, "xxxxxccccccwwwwwc"),
    Attention("SparseAttention", InferSparse, SparseWork, "xxxxxc"),
    Attention("SparsePagedAttention", InferPaged<7>, PagedWork<7, 9>, "xxxxxccccccxxccc"),
};

}  // namespace

std::span<const OpEntry> CacheAttentionOps() { return kOps; }

}  // namespace opscope::contrib
