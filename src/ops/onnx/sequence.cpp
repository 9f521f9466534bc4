// Sequences and optionals. Of a sequence the dtype, the shape that all its tensors share and the
// length are followed, and each tensor's own shape while they are few.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// A sequence of tensors that share dtype and shape.
void SetSequence(OpContext& op, std::size_t output, DType dtype, Shape shape, Dim length) {
  SetOutput(op, output, dtype, std::move(shape));
  op.out(output).kind = ValueKind::kSequence;
  op.out(output).sequence = std::make_shared<SequenceFact>(SequenceFact{length, std::nullopt});
}

// One whose tensors are known one by one.
void SetItems(OpContext& op, std::vector<TensorFact> items, DType dtype) {
  Shape shape = items.empty() ? Shape{} : items.front().shape;
  for (TensorFact& item : items) {
    shape = Common(shape, item.shape);
    item.storage = TensorId();
    if (dtype == DType::kUnknown) dtype = item.dtype;
  }
  SetSequence(op, 0, dtype, std::move(shape), static_cast<std::int64_t>(items.size()));
  if (items.size() <= kMaxItems) {
    op.out(0).sequence = std::make_shared<SequenceFact>(
        SequenceFact{static_cast<std::int64_t>(items.size()), std::move(items)});
  }
}

const std::optional<std::vector<TensorFact>>& ItemsOf(const TensorFact& sequence) {
  static const std::optional<std::vector<TensorFact>> kNone;
  return sequence.sequence ? sequence.sequence->items : kNone;
}

Result<void> InferConstruct(OpContext& op) {
  std::vector<TensorFact> items;
  for (std::size_t i = 0; i < op.inputs(); ++i) items.push_back(op.in(i));
  SetItems(op, std::move(items), DType::kUnknown);
  return {};
}

// Nothing is known of the elements until one is inserted.
Result<void> InferEmpty(OpContext& op) {
  SetItems(op, {}, DTypeAttribute(op, "dtype", DType::kFloat32));
  return {};
}

// A place in a sequence of `size`, counted from the back when it is below 0; nullopt = known only
// at run time. `size` itself is a place to insert at.
Result<std::optional<std::size_t>> PlaceOf(const OpContext& op, std::size_t input, std::size_t size,
                                           std::size_t places) {
  std::optional<std::int64_t> at = SingleInteger(op.in(input));
  if (!at.has_value()) return std::optional<std::size_t>();
  if (*at < 0) *at += static_cast<std::int64_t>(size);
  if (*at < 0 || *at >= static_cast<std::int64_t>(places)) {
    return op.Problem("place " + std::to_string(*at) + " of a sequence of " + std::to_string(size));
  }
  return std::optional(static_cast<std::size_t>(*at));
}

Result<void> InferInsert(OpContext& op) {
  const TensorFact& sequence = op.in(0);
  const DType dtype = CommonDType(op);
  const bool empty = LengthOf(sequence) == Dim(0);
  SetSequence(op, 0, dtype, empty ? op.in(1).shape : Common(sequence.shape, op.in(1).shape),
              op.dims().Add(LengthOf(sequence), 1));
  if (!ItemsOf(sequence) || ItemsOf(sequence)->size() >= kMaxItems) return {};
  std::vector<TensorFact> items = *ItemsOf(sequence);
  std::optional<std::size_t> at = items.size();
  if (op.has(2)) {
    TRY_ASSIGN(at, PlaceOf(op, 2, items.size(), items.size() + 1));
  }
  if (!at.has_value()) return {};
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(*at), op.in(1));
  SetItems(op, std::move(items), dtype);
  return {};
}

Result<void> InferErase(OpContext& op) {
  const TensorFact& sequence = op.in(0);
  SetSequence(op, 0, sequence.dtype, sequence.shape, op.dims().Sub(LengthOf(sequence), 1));
  if (!ItemsOf(sequence) || ItemsOf(sequence)->empty()) return {};
  std::vector<TensorFact> items = *ItemsOf(sequence);
  std::optional<std::size_t> at = items.size() - 1;
  if (op.has(1)) {
    TRY_ASSIGN(at, PlaceOf(op, 1, items.size(), items.size()));
  }
  if (!at.has_value()) return {};
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
  SetItems(op, std::move(items), sequence.dtype);
  return {};
}

Result<void> InferAt(OpContext& op) {
  const TensorFact& sequence = op.in(0);
  SetOutput(op, 0, sequence.dtype, sequence.shape);
  if (!ItemsOf(sequence)) return {};
  TRY_ASSIGN(const std::optional<std::size_t> at,
             PlaceOf(op, 1, ItemsOf(sequence)->size(), ItemsOf(sequence)->size()));
  if (!at.has_value()) return {};
  const bool runtime = op.out(0).runtime;
  TensorFact item = (*ItemsOf(sequence))[*at];
  item.runtime = runtime;
  op.out(0) = std::move(item);
  return {};
}

Result<void> InferLength(OpContext& op) {
  SetOutput(op, 0, DType::kInt64, ShapeOf({}));
  op.out(0).ints = {LengthOf(op.in(0))};
  return {};
}

// The size of all tensors along an axis: the sum where they are known, else their number times the
// size they share.
Dim JoinedSize(OpContext& op, const TensorFact& sequence, std::size_t axis) {
  DimTable& dims = op.dims();
  Dim size = dims.Mul(LengthOf(sequence), (*sequence.shape.dims)[axis]);
  if (const auto& items = ItemsOf(sequence)) {
    size = 0;
    for (const TensorFact& item : *items) size = dims.Add(size, DimAt(item.shape, axis));
  }
  return size.is_unknown() ? op.DataDependent("length") : size;
}

// Joined along `axis`; `new_axis` adds it.
Result<void> InferConcat(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank()) return {};
  Dims out = *in.shape.dims;
  const bool added = op.IntOr("new_axis", 0) != 0;
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), out.size() + (added ? 1 : 0)));
  if (added) {
    const Dim length = LengthOf(in).is_unknown() ? op.DataDependent("length") : LengthOf(in);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), length);
  } else {
    out[axis] = JoinedSize(op, in, axis);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// The sizes of the parts: those of a list; of a scalar as often as it fits, then what is left.
std::optional<std::vector<Dim>> PartSizes(OpContext& op, Dim size) {
  const auto& stated = op.in(1).ints;
  if (op.has(1) && !stated) return std::nullopt;
  if (op.has(1) && op.in(1).shape.rank() == 1) return stated;
  const Dim part = op.has(1) ? stated->front() : Dim(1);
  if (!size.is_number() || !part.is_number() || part.number() <= 0) return std::nullopt;
  const std::int64_t full = size.number() / part.number();
  if (full >= static_cast<std::int64_t>(kMaxItems)) return std::nullopt;
  std::vector<Dim> parts(static_cast<std::size_t>(full), part);
  if (size.number() % part.number() != 0) parts.emplace_back(size.number() % part.number());
  return parts;
}

// Without sizes the parts have size 1, and the axis goes unless keepdims; a scalar gives the size
// of all parts (the last may be smaller), a list each one's.
Result<void> InferSplit(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetSequence(op, 0, in.dtype, {}, Dim());
  if (!in.shape.known_rank()) return {};
  Dims dims = *in.shape.dims;
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, op.IntOr("axis", 0), dims.size()));
  const Dim size = dims[axis];
  const bool keeps = op.has(1) || op.IntOr("keepdims", 1) != 0;
  if (const auto parts = PartSizes(op, size); parts && parts->size() <= kMaxItems) {
    std::vector<TensorFact> items(parts->size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].dtype = in.dtype;
      dims[axis] = (*parts)[i];
      items[i].shape = ShapeOf(dims);
      if (!keeps)
        items[i].shape.dims->erase(items[i].shape.dims->begin() +
                                   static_cast<std::ptrdiff_t>(axis));
    }
    SetItems(op, std::move(items), in.dtype);
    return {};
  }
  // So many that they share a size, where the number of parts divides the whole.
  const auto& stated = op.in(1).ints;
  const bool listed = op.has(1) && op.in(1).shape.known_rank() && op.in(1).shape.rank() == 1;
  const Dim part = !op.has(1) ? Dim(1) : stated && !stated->empty() ? stated->front() : Dim();
  const bool equal = !stated || std::all_of(stated->begin(), stated->end(),
                                            [&](Dim each) { return each == part; });
  const bool divides = equal && op.dims().ExactQuotient(size, part).has_value();
  Dim length = op.dims().CeilDiv(size, part);
  if (listed) length = DimAt(op.in(1).shape, 0);
  dims[axis] = divides ? part : Dim();
  if (!keeps) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  SetSequence(op, 0, in.dtype, ShapeOf(std::move(dims)), length);
  return {};
}

// The body runs once for each tensor of the first sequence; what it makes of them are sequences
// of the same length.
Result<void> InferMap(OpContext& op) {
  const std::optional<GraphId> body = op.GraphAttribute("body");
  if (!body.has_value()) return op.Problem("attribute \"body\" is missing");
  const Graph& graph = op.model().graph(*body);
  if (graph.inputs.size() != op.inputs() || graph.outputs.size() < op.outputs()) {
    return op.Problem("the body does not fit the inputs and outputs");
  }
  const std::vector<TensorId> inputs = graph.inputs;
  const std::vector<TensorId> outputs = graph.outputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].valid()) continue;
    TensorFact fact = op.in(i);
    fact.kind = ValueKind::kTensor;
    fact.sequence = nullptr;
    fact.storage = inputs[i];
    op.FactOf(inputs[i]) = std::move(fact);
  }
  op.RunBody(*body);
  Dim length = LengthOf(op.in(0));
  if (length.is_unknown()) length = op.DataDependent("length");
  op.SetTrips(*body, length);
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const TensorFact made = outputs[i].valid() ? op.FactOf(outputs[i]) : TensorFact();
    SetSequence(op, i, made.dtype, made.shape, length);
  }
  return {};
}

Result<void> InferOptional(OpContext& op) {
  op.out(0) = op.in(0);
  op.out(0).storage = TensorId();
  op.out(0).kind = ValueKind::kOptional;
  return {};
}

// Also of what is no optional: then it is the value itself.
Result<void> InferGetElement(OpContext& op) {
  const bool sequence = op.in(0).sequence != nullptr;
  op.out(0) = op.in(0);
  op.out(0).storage = TensorId();
  op.out(0).kind = sequence ? ValueKind::kSequence : ValueKind::kTensor;
  return {};
}

// True of a value that is there, false without one; of an optional only the data know.
Result<void> InferHasElement(OpContext& op) {
  SetOutput(op, 0, DType::kBool, ShapeOf({}));
  if (!op.has(0)) op.out(0).ints = {Dim(0)};
  if (op.has(0) && op.in(0).kind == ValueKind::kTensor) op.out(0).ints = {Dim(1)};
  return {};
}

Work MapWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry Sequence(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement"};
}

constexpr OpEntry kOps[] = {
    Sequence("ConcatFromSequence", InferConcat),
    Sequence("Optional", InferOptional),
    Sequence("OptionalGetElement", InferGetElement),
    Sequence("SequenceAt", InferAt),
    Sequence("SequenceConstruct", InferConstruct),
    Sequence("SequenceEmpty", InferEmpty),
    Sequence("SequenceErase", InferErase),
    Sequence("SequenceInsert", InferInsert),
    Sequence("SplitToSequence", InferSplit),
    {.op = "SequenceMap", .infer = InferMap, .work = MapWork, .rule = "control-flow"},
    {.op = "OptionalHasElement", .infer = InferHasElement, .work = NoWork, .rule = "nothing"},
    {.op = "SequenceLength", .infer = InferLength, .work = NoWork, .rule = "nothing"},
};

}  // namespace

std::span<const OpEntry> SequenceOps() { return kOps; }

}  // namespace opscope::onnx
