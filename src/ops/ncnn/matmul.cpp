// Products, tables, recurrences, attention.
#include <algorithm>
#include <string>

#include "ops/contrib/common.h"
#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"

namespace opscope::ncnn {

namespace {

using contrib::LastOf;
using contrib::RowsOf;

int FirstWeight(const OpContext& op) { return static_cast<int>(Bottoms(op)); }

// --- InnerProduct: a matrix whose rows have as many elements as the weight takes row by row,
// anything else as one vector ---

bool ByRows(const OpContext& op) {
  const Shape& in = op.in(0).shape;
  return in.known_rank() && in.rank() == 2 && DimAt(in, 1) == DimAt(WeightOf(op, 0).shape, 1);
}

Result<void> InferInner(OpContext& op) {
  SetOutput(op, 0, Floating(op), {});
  const Shape& in = op.in(0).shape;
  const Dim outputs = Param(op, "0");
  if (ByRows(op)) {
    op.out(0).shape = ShapeOf({DimAt(in, 0), outputs});
    return {};
  }
  if (in.known_rank()) {
    TRY(SameDim(op, ElementsOf(op, in), DimAt(WeightOf(op, 0).shape, 1),
                "elements of the input against those of the weight"));
  }
  op.out(0).shape = ShapeOf({outputs});
  return {};
}

std::string Activation(const OpContext& op) {
  constexpr std::string_view kNames[] = {"",        "Relu", "LeakyRelu", "Clip",
                                         "Sigmoid", "Mish", "HardSwish"};
  const std::int64_t type = Param(op, "9");
  return type >= 0 && type <= 6 ? std::string(kNames[type]) : std::string();
}

Work InnerWork(const OpContext& op) {
  return work::MatrixProduct{.batch = 1,
                             .m = ByRows(op) ? DimAt(op.in(0).shape, 0) : Dim(1),
                             .n = Param(op, "0"),
                             .k = DimAt(WeightOf(op, 0).shape, 1),
                             .bias = Param(op, "1") != 0,
                             .operands = {0, FirstWeight(op)},
                             .then = {.activation = Activation(op)}};
}

// --- Embed: a row of the table for each word ---

Result<void> InferEmbed(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, {});
  const Shape& in = op.in(0).shape;
  if (in.known_rank()) op.out(0).shape = ShapeOf({ElementsOf(op, in), Param(op, "0")});
  return {};
}

Work EmbedWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

// --- Gemm: either operand may be a constant ---

struct Sizes {
  Dim m, n, k;
};

TensorFact Operand(const OpContext& op, bool second) {
  const bool a_constant = Param(op, "4") == 1;
  if (second && Param(op, "5") == 1) return WeightOf(op, a_constant ? 1 : 0);
  if (second) return op.in(a_constant ? 0 : 1);
  return a_constant ? WeightOf(op, 0) : op.in(0);
}

// A blob of three dims is a matrix as well: [M, 1, K].
Dim RowsOfMatrix(const Shape& shape) { return DimAt(shape, 0); }

Sizes GemmSizes(const OpContext& op) {
  const Shape a = Operand(op, false).shape;
  const Shape b = Operand(op, true).shape;
  Sizes s;
  const bool turned_a = Param(op, "2") != 0;
  const bool turned_b = Param(op, "3") != 0;
  s.m = turned_a ? LastOf(a) : RowsOfMatrix(a);
  s.k = turned_a ? RowsOfMatrix(a) : LastOf(a);
  s.n = turned_b ? RowsOfMatrix(b) : LastOf(b);
  if (s.k.is_unknown()) s.k = turned_b ? LastOf(b) : RowsOfMatrix(b);
  return s;
}

Result<void> InferGemm(OpContext& op) {
  const Sizes s = GemmSizes(op);
  const bool turned = Param(op, "14") != 0;
  const Dim rows = turned ? s.n : s.m;
  const Dim columns = turned ? s.m : s.n;
  SetOutput(op, 0, DType::kFloat32,
            Param(op, "11") != 0 ? ShapeOf({rows, 1, columns}) : ShapeOf({rows, columns}));
  return {};
}

Work GemmWork(const OpContext& op) {
  const Sizes s = GemmSizes(op);
  const std::size_t blobs = Bottoms(op);
  const std::int64_t products = 2 - (Param(op, "4") == 1) - (Param(op, "5") == 1);
  const bool bias =
      (Param(op, "6") == 1 && Param(op, "10") != -1) || static_cast<std::int64_t>(blobs) > products;
  work::Operands operands = {0, 1};
  if (products == 1) operands = {0, FirstWeight(op)};
  return work::MatrixProduct{
      .batch = 1, .m = s.m, .n = s.n, .k = s.k, .bias = bias, .operands = operands};
}

// --- MatMul: the leading dims are broadcast ---

Result<Shape> Leading(const OpContext& op, const Shape& a, const Shape& b) {
  const auto leading = [](const Shape& s) {
    return ShapeOf(
        Dims(s.dims->begin(), s.dims->end() - std::min<std::ptrdiff_t>(2, std::ssize(*s.dims))));
  };
  return Broadcast(op, leading(a), leading(b));
}

Sizes MatMulSizes(const OpContext& op) {
  const Shape& a = op.in(0).shape;
  const Shape& b = op.in(1).shape;
  const auto before = [](const Shape& s) {
    return s.rank() > 1 ? (*s.dims)[s.rank() - 2] : Dim(1);
  };
  const bool turned = Param(op, "0") != 0;
  if (b.rank() == 1) return {before(a), 1, LastOf(a)};
  return {before(a), turned ? before(b) : LastOf(b), LastOf(a)};
}

bool RanksKnown(const OpContext& op) {
  const Shape& a = op.in(0).shape;
  const Shape& b = op.in(1).shape;
  return a.known_rank() && b.known_rank() && a.rank() > 0 && b.rank() > 0;
}

Result<void> InferMatMul(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!RanksKnown(op)) return {};
  const Sizes s = MatMulSizes(op);
  TRY_ASSIGN(Shape out, Leading(op, op.in(0).shape, op.in(1).shape));
  if (op.in(0).shape.rank() > 1) out.dims->push_back(s.m);
  if (op.in(1).shape.rank() > 1) out.dims->push_back(s.n);
  if (out.dims->empty()) out.dims->push_back(1);
  op.out(0).shape = std::move(out);
  return {};
}

Work MatMulWork(const OpContext& op) {
  if (!RanksKnown(op)) return work::MatrixProduct{};
  const Sizes s = MatMulSizes(op);
  const auto leading = Leading(op, op.in(0).shape, op.in(1).shape);
  const Dim batch = leading.has_value() ? ElementsOf(op, *leading) : Dim();
  return work::MatrixProduct{.batch = batch, .m = s.m, .n = s.n, .k = s.k};
}

Result<void> InferEinsum(OpContext& op) { return contrib::InferAs(op, "Einsum"); }
Work EinsumWork(const OpContext& op) { return contrib::WorkAs(op, "Einsum"); }

// --- RNN, LSTM, GRU: rows are steps ---

Dim Directions(const OpContext& op) { return Param(op, "2") == 2 ? 2 : 1; }

Result<void> InferRecurrence(OpContext& op) {
  const Dim outputs = Param(op, "0");
  const Dim directions = Directions(op);
  const DType dtype = Floating(op);
  SetOutput(op, 0, dtype, ShapeOf({DimAt(op.in(0).shape, 0), op.dims().Mul(directions, outputs)}));
  SetOutput(op, 1, dtype, ShapeOf({directions, outputs}));
  SetOutput(op, 2, dtype, ShapeOf({directions, Param(op, "3", Param(op, "0"))}));
  return {};
}

// Where the outputs are projected (LSTM), the state has their size: one product more.
template <int kGates>
Work RecurrenceWork(const OpContext& op) {
  const std::int64_t outputs = Param(op, "0");
  const std::int64_t hidden = kGates == 4 ? Param(op, "3", outputs) : outputs;
  if (hidden != outputs) {
    DimTable& dims = op.dims();
    const Dim inputs = LastOf(WeightOf(op, 0).shape);
    const Dim gates = dims.Mul(dims.Mul(hidden, kGates), dims.Add(inputs, outputs));
    const Dim step = dims.Add(gates, dims.Mul(hidden, outputs));
    const Dim rows = dims.Mul(DimAt(op.in(0).shape, 0), Directions(op));
    return work::Contraction{dims.Mul(rows, step), "lstm with projection", 0};
  }
  return work::Recurrence{.steps = DimAt(op.in(0).shape, 0),
                          .batch = 1,
                          .directions = Directions(op),
                          .hidden = hidden,
                          .input = LastOf(WeightOf(op, 0).shape),
                          .gates = kGates,
                          .bias = true,
                          .operands = {0, FirstWeight(op)}};
}

// --- attention ---

// Blobs: q, or q and kv, or q, k, v; then a mask where parameter 5 says so.
std::size_t Sources(const OpContext& op) {
  const std::size_t blobs = Bottoms(op);
  const std::size_t mask = Param(op, "5") != 0 ? 1 : 0;
  return std::clamp<std::size_t>(blobs > mask ? blobs - mask : 1, 1, 3);
}

Result<void> InferMultiHead(OpContext& op) {
  const Shape& q = op.in(0).shape;
  const Shape weight = WeightOf(op, 0).shape;
  SetOutput(op, 0, Floating(op), ShapeOf({DimAt(q, 0), DimAt(weight, 1)}));
  return {};
}

Work MultiHeadWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Dim width = Param(op, "0");
  const Dim heads = std::max<std::int64_t>(Param(op, "1", 1), 1);
  const std::size_t sources = Sources(op);
  const Dim q_length = DimAt(op.in(0).shape, 0);
  const Dim kv_length = DimAt(op.in(sources > 1 ? 1 : 0).shape, 0);
  const auto columns = [&](std::size_t index) { return DimAt(WeightOf(op, index).shape, 1); };
  const Dim turned = dims.Mul(q_length, dims.Mul(dims.Mul(width, columns(0)), 2));
  const Dim made = dims.Mul(kv_length, dims.Mul(width, dims.Add(columns(2), columns(4))));
  return work::Attention{
      .batch = 1,
      .query_heads = heads,
      .q_length = q_length,
      .kv_length = kv_length,
      .head = dims.FloorDiv(width, heads),
      .value_head = dims.FloorDiv(width, heads),
      .kv_heads = heads,
      .projection = dims.Add(turned, made),
      .projection_bias = dims.Add(dims.Mul(q_length, dims.Add(width, columns(0))),
                                  dims.Mul(kv_length, dims.Mul(width, 2))),
      .operands = {0, FirstWeight(op)}};
}

// q [heads, length, head], k, v; with a cache (7) the past stands behind them.
Result<void> InferSdpa(OpContext& op) {
  const Shape& q = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({DimAt(q, 0), DimAt(q, 1), LastOf(op.in(2).shape)}));
  return {};
}

Work SdpaWork(const OpContext& op) {
  const Shape& q = op.in(0).shape;
  return work::Attention{.batch = 1,
                         .query_heads = DimAt(q, 0),
                         .q_length = DimAt(q, 1),
                         .kv_length = DimAt(op.in(1).shape, 1),
                         .head = LastOf(q),
                         .value_head = LastOf(op.in(2).shape),
                         .kv_heads = DimAt(op.in(1).shape, 0)};
}

template <int kGates>
constexpr OpEntry Recurrence(std::string_view op) {
  return {.op = op,
          .infer = InferRecurrence,
          .work = RecurrenceWork<kGates>,
          .rule = "recurrence",
          .roles = "xw",
          .like = op};
}

constexpr OpEntry kOps[] = {
    {.op = "Einsum", .infer = InferEinsum, .work = EinsumWork, .rule = "einsum", .like = "Einsum"},
    {.op = "Embed",
     .infer = InferEmbed,
     .work = EmbedWork,
     .rule = "gather",
     .roles = "xw",
     .like = "Gather"},
    {.op = "Gemm",
     .infer = InferGemm,
     .work = GemmWork,
     .rule = "matmul",
     .roles = "xw",
     .like = "Gemm"},
    {.op = "InnerProduct",
     .infer = InferInner,
     .work = InnerWork,
     .rule = "matmul",
     .roles = "xw",
     .like = "Gemm"},
    {.op = "MatMul", .infer = InferMatMul, .work = MatMulWork, .rule = "matmul", .like = "MatMul"},
    {.op = "MultiHeadAttention",
     .infer = InferMultiHead,
     .work = MultiHeadWork,
     .rule = "attention",
     .roles = "xw",
     .like = "Attention"},
    {.op = "SDPA",
     .infer = InferSdpa,
     .work = SdpaWork,
     .rule = "attention",
     .roles = "xxxc",
     .like = "Attention"},
    Recurrence<3>("GRU"),
    Recurrence<4>("LSTM"),
    Recurrence<1>("RNN")};

}  // namespace

std::span<const OpEntry> MatMulOps() { return kOps; }

}  // namespace opscope::ncnn
