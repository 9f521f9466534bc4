// Neural networks: layers that cut, repeat, stack and pick, by the numbers of their parameters.
#include <algorithm>
#include <string>

#include "ops/coreml/args.h"
#include "ops/coreml/families.h"
#include "ops/onnx/entry.h"

namespace opscope::coreml {

namespace {

bool Flag(const std::vector<std::int64_t>& masks, std::size_t i) {
  return i < masks.size() && masks[i] != 0;
}

// Elements between two places with a step; negative places count from the end.
Dim Between(DimTable& dims, Dim size, Dim begin, Dim end, std::int64_t step) {
  const auto inside = [&](Dim place) { return dims.Max(0, dims.Min(place, size)); };
  return dims.Max(0, dims.CeilDiv(dims.Sub(inside(end), inside(begin)), step));
}
Dim Place(DimTable& dims, Dim size, std::int64_t place) {
  return place < 0 ? dims.Add(size, place) : Dim(place);
}

// sliceStatic: 1 begins, 3 ends, 2 and 4 masks that ignore them, 5 strides, 6 dims that go.
Result<void> InferSliceStatic(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> begins = Numbers(op, "1"), ends = Numbers(op, "3");
  const std::vector<std::int64_t> strides = Numbers(op, "5"), gone = Numbers(op, "6");
  if (!in.known_rank() || begins.size() != in.rank() || ends.size() != in.rank()) return {};
  DimTable& dims = op.dims();
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    if (Flag(gone, i)) continue;
    const Dim size = (*in.dims)[i];
    const std::int64_t step = i < strides.size() ? strides[i] : 1;
    if (step == 0) return op.Problem("a stride of 0 along axis " + std::to_string(i));
    if (step < 0) {  // backwards through all of it is the same size; else it is left open
      const bool whole = Flag(Numbers(op, "2"), i) && Flag(Numbers(op, "4"), i);
      out.push_back(whole ? dims.CeilDiv(size, -step) : Dim());
      continue;
    }
    const Dim begin = Flag(Numbers(op, "2"), i) ? Dim(0) : Place(dims, size, begins[i]);
    const Dim end = Flag(Numbers(op, "4"), i) ? size : Place(dims, size, ends[i]);
    out.push_back(Between(dims, size, begin, end, step));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// slice: 1 begin, 2 end (not counted in where negative: from behind), 3 stride, 4 axis: 0 channels,
// 1 rows, 2 columns.
Result<void> InferSlice(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::int64_t axis = Number(op, "4"), step = std::max<std::int64_t>(Number(op, "3", 1), 1);
  if (!in.known_rank() || in.rank() < 3 || axis < 0 || axis > 2) return {};
  DimTable& dims = op.dims();
  Shape out = in;
  Dim& size = (*out.dims)[in.rank() - 3 + static_cast<std::size_t>(axis)];
  const Dim begin = Place(dims, size, Number(op, "1"));
  size = Between(dims, size, begin, Place(dims, size, Number(op, "2")), step);
  op.out(0).shape = std::move(out);
  return {};
}

// sliceBySize: 2 size, 3 axis.
Result<void> InferSliceBySize(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Number(op, "3"), in.rank()));
  Shape out = in;
  (*out.dims)[axis] = Number(op, "2");
  op.out(0).shape = std::move(out);
  return {};
}

// tile: 1 how often, a dim each.
Result<void> InferTile(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> times = Numbers(op, "1");
  if (!in.known_rank() || times.size() != in.rank()) return {};
  Shape out = in;
  for (std::size_t i = 0; i < times.size(); ++i)
    (*out.dims)[i] = op.dims().Mul((*out.dims)[i], std::max<std::int64_t>(times[i], 0));
  op.out(0).shape = std::move(out);
  return {};
}

// stack: 1 axis, a new dim.
Result<void> InferStack(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Number(op, "1"), in.rank() + 1));
  Dims out = *in.dims;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis),
             Dim(static_cast<std::int64_t>(Blobs(op))));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// constantPad: 2 amounts before and behind every dim; with 3 they are the sizes that come out.
Result<void> InferConstantPad(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> amounts = Numbers(op, "2");
  if (!in.known_rank() || amounts.size() != 2 * in.rank() || Blobs(op) > 1) return {};
  Shape out = in;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const std::int64_t both = amounts[2 * i] + amounts[2 * i + 1];
    Dim& size = (*out.dims)[i];
    if (Number(op, "3") == 0)
      size = op.dims().Add(size, both);
    else if (both > 0)
      size = both;
  }
  op.out(0).shape = std::move(out);
  return {};
}

// topK: 1 axis, 2 how many; values, then their places.
Result<void> InferTopK(OpContext& op) {
  const Shape& in = op.in(0).shape;
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).dtype = op.in(0).dtype;
  if (!in.known_rank() || Blobs(op) > 1) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Number(op, "1"), in.rank()));
  Shape out = in;
  (*out.dims)[axis] = Number(op, "2");
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).shape = out;
  return {};
}

// argMax, argMin: 1 axis, 2 the dim goes.
Result<void> InferArg(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Number(op, "1"), in.rank()));
  Dims out = *in.dims;
  out[axis] = 1;
  if (Number(op, "2") != 0 && out.size() > 1)
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Work ArgWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

constexpr OpEntry Arg(std::string_view op, std::string_view like) {
  return {.op = op, .infer = InferArg, .work = ArgWork, .rule = "reduction", .like = like};
}

using entry::Part;
constexpr OpEntry kOps[] = {
    Part("constantPad", "Pad", InferConstantPad),
    Part("slice", "Slice", InferSlice),
    Part("sliceBySize", "Slice", InferSliceBySize),
    Part("sliceStatic", "Slice", InferSliceStatic),
    Part("stack", "Concat", InferStack),
    Part("tile", "Tile", InferTile),
    Arg("argMax", "ArgMax"),
    Arg("argMin", "ArgMin"),
    {.op = "topK",
     .infer = InferTopK,
     .work = onnx::ElementwiseWork,
     .rule = "elementwise",
     .like = "TopK"},
};

}  // namespace

std::span<const OpEntry> LayerSliceOps() { return kOps; }

}  // namespace opscope::coreml
