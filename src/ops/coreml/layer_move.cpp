// Neural networks: layers that move elements or show them in another shape.
#include <algorithm>

#include "ops/coreml/args.h"
#include "ops/coreml/families.h"
#include "ops/onnx/entry.h"

namespace opscope::coreml {

namespace {

Result<void> Joined(OpContext& op, std::int64_t at) {
  const Shape& first = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  if (!first.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, at, first.rank()));
  Dims out = *first.dims;
  for (std::size_t i = 1; i < Blobs(op); ++i) {
    const Shape& next = op.in(i).shape;
    if (!next.known_rank() || next.rank() != out.size()) return {};
    out[axis] = op.dims().Add(out[axis], (*next.dims)[axis]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Channels, or the sequence.
Result<void> InferConcat(OpContext& op) {
  const Shape& first = op.in(0).shape;
  return Joined(op, Number(op, "100") != 0 && first.known_rank() && first.rank() == 5 ? 0 : -3);
}
Result<void> InferConcatAxis(OpContext& op) { return Joined(op, Number(op, "1")); }

Result<void> Parts(OpContext& op, std::int64_t at, const std::vector<std::int64_t>& sizes) {
  const Shape& in = op.in(0).shape;
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).dtype = op.in(0).dtype;
  if (!in.known_rank() || op.outputs() == 0) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, at, in.rank()));
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    Shape out = in;
    (*out.dims)[axis] =
        i < sizes.size()
            ? Dim(sizes[i])
            : op.dims().FloorDiv((*in.dims)[axis], static_cast<std::int64_t>(op.outputs()));
    op.out(i).shape = std::move(out);
    if (op.has_output(i)) op.out(i).storage = op.in(0).storage;
  }
  return {};
}

Result<void> InferSplit(OpContext& op) { return Parts(op, -3, {}); }
Result<void> InferSplitAxis(OpContext& op) { return Parts(op, Number(op, "1"), Numbers(op, "3")); }

Result<void> InferTranspose(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  std::vector<std::int64_t> axes = Numbers(op, "1");
  // permute has four axes with the sequence in front; what is read has three.
  if (op.op() == "permute" && in.known_rank() && in.rank() == 3 && axes.size() == 4 &&
      axes[0] == 0) {
    axes.erase(axes.begin());
    for (std::int64_t& axis : axes) --axis;
  }
  if (!in.known_rank() || axes.size() != in.rank()) return {};
  Dims out;
  for (const std::int64_t axis : axes) {
    TRY_ASSIGN(const std::size_t from, AxisOf(op, axis, in.rank()));
    out.push_back((*in.dims)[from]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

void Share(OpContext& op) {
  op.out(0).dtype = op.in(0).dtype;
  onnx::ShareInput(op);
}

// 1: sizes; -1 takes the rest, 0 keeps what is there.
Result<void> InferReshape(OpContext& op) {
  const Shape& in = op.in(0).shape;
  Share(op);
  std::vector<std::int64_t> sizes = Numbers(op, "1");
  if (op.op() == "reshape" && sizes.size() == 4 && sizes[0] == 1 && in.known_rank() &&
      in.rank() == 3)
    sizes.erase(sizes.begin());
  if (sizes.empty() || sizes.size() > 64) return {};
  Dims out;
  Dim known = 1;
  std::optional<std::size_t> rest;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Dim size =
        sizes[i] == 0 && in.known_rank() && i < in.rank() ? (*in.dims)[i] : Dim(sizes[i]);
    if (sizes[i] == -1) rest = i;
    if (sizes[i] != -1) known = op.dims().Mul(known, size);
    out.push_back(sizes[i] == -1 ? Dim() : size);
  }
  if (rest) out[*rest] = op.dims().FloorDiv(ElementsOf(op, in), known);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Channels take everything.
Result<void> InferFlatten(OpContext& op) {
  const Shape& in = op.in(0).shape;
  Share(op);
  if (!in.known_rank() || in.rank() < 3) return {};
  Dims out(in.dims->begin(), in.dims->end() - 3);
  out.push_back(ProductOf(op, in, in.rank() - 3, in.rank()));
  out.push_back(1);
  out.push_back(1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferFlatten2d(OpContext& op) {
  const Shape& in = op.in(0).shape;
  Share(op);
  if (!in.known_rank()) return {};
  std::int64_t axis = Number(op, "1");
  if (axis < 0) axis += static_cast<std::int64_t>(in.rank());
  const auto at = static_cast<std::size_t>(
      std::clamp<std::int64_t>(axis, 0, static_cast<std::int64_t>(in.rank())));
  op.out(0).shape = ShapeOf({ProductOf(op, in, 0, at), ProductOf(op, in, at, in.rank())});
  return {};
}

Result<void> InferExpand(OpContext& op) {
  const Shape& in = op.in(0).shape;
  Share(op);
  const std::vector<std::int64_t> listed = Numbers(op, "1");
  if (!in.known_rank() || in.rank() + listed.size() > 64) return {};
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, listed, in.rank() + listed.size()));
  Dims out = *in.dims;
  for (const std::size_t axis : axes)
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(std::min(axis, out.size())), Dim(1));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferSqueeze(OpContext& op) {
  const Shape& in = op.in(0).shape;
  Share(op);
  if (!in.known_rank()) return {};
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, Numbers(op, "1"), in.rank()));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    const bool named = std::binary_search(axes.begin(), axes.end(), i);
    if (!named && !(Number(op, "2") != 0 && (*in.dims)[i] == Dim(1))) out.push_back((*in.dims)[i]);
  }
  if (out.empty()) out.push_back(1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// 10: amounts of rows, then of columns.
template <bool kAdds>
Result<void> InferBorder(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::vector<std::int64_t> amounts = Numbers(op, kAdds ? "10" : "1");
  if (!in.known_rank() || in.rank() < 2 || amounts.size() != 4) return {};
  Shape out = in;
  for (std::size_t i = 0; i < 2; ++i) {
    Dim& size = (*out.dims)[out.rank() - 2 + i];
    const std::int64_t amount = amounts[2 * i] + amounts[2 * i + 1];
    size = op.dims().Add(size, kAdds ? amount : -amount);
  }
  op.out(0).shape = std::move(out);
  return {};
}

Result<void> InferReorganize(OpContext& op) {
  const Shape& in = op.in(0).shape;
  op.out(0).dtype = op.in(0).dtype;
  const std::int64_t n = Number(op, "2", 1);
  if (!in.known_rank() || in.rank() < 3 || n < 1 || n > 1 << 15) return {};
  const bool grows = Number(op, "1") != 0;
  Shape out = in;
  for (std::size_t back = 1; back <= 3; ++back) {
    Dim& size = (*out.dims)[out.rank() - back];
    const std::int64_t factor = back == 3 ? n * n : n;
    size = (back < 3) == grows ? op.dims().Mul(size, factor) : op.dims().FloorDiv(size, factor);
  }
  op.out(0).shape = std::move(out);
  return {};
}

constexpr OpEntry Move(std::string_view op, std::string_view like, InferFn infer = InferOpen) {
  return entry::Part(op, like, infer);
}
using entry::View;

constexpr OpEntry kOps[] = {
    Move("broadcastToDynamic", "Expand"),
    Move("broadcastToLike", "Expand"),
    Move("broadcastToStatic", "Expand", InferConstant),
    Move("concat", "Concat", InferConcat),
    Move("concatND", "Concat", InferConcatAxis),
    Move("crop", "Slice", InferBorder<false>),
    Move("oneHot", ""),
    Move("padding", "Pad", InferBorder<true>),
    Move("permute", "Transpose", InferTranspose),
    Move("reorganizeData", "DepthToSpace", InferReorganize),
    Move("reverse", "ReverseSequence", Like),
    Move("reverseSeq", "ReverseSequence", Like),
    Move("sequenceRepeat", "Tile"),
    Move("sliceDynamic", "Slice"),
    Move("slidingWindows", ""),
    Move("transpose", "Transpose", InferTranspose),
    View("copy", "Identity", Like),
    View("expandDims", "Unsqueeze", InferExpand),
    View("flatten", "Flatten", InferFlatten),
    View("flattenTo2D", "Flatten", InferFlatten2d),
    View("rankPreservingReshape", "Reshape", InferReshape),
    View("reshape", "Reshape", InferReshape),
    View("reshapeDynamic", "Reshape", InferOpen),
    View("reshapeLike", "Reshape", InferOpen),
    View("reshapeStatic", "Reshape", InferReshape),
    View("split", "Split", InferSplit),
    View("splitND", "Split", InferSplitAxis),
    View("squeeze", "Squeeze", InferSqueeze),
};

}  // namespace

std::span<const OpEntry> LayerMoveOps() { return kOps; }

}  // namespace opscope::coreml
