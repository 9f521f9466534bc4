// Layers that move elements: joined, cut, turned, padded.
#include <algorithm>
#include <array>

#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"
#include "ops/onnx/entry.h"

namespace opscope::ncnn {

namespace {

Result<void> InferConcat(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  const Shape& first = op.in(0).shape;
  if (!first.known_rank()) return {};
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Param(op, "0"), first.rank()));
  Shape out = first;
  for (std::size_t i = 1; i < Bottoms(op); ++i) {
    const Shape& next = op.in(i).shape;
    if (!next.known_rank()) return {};
    if (next.rank() != first.rank())
      return op.Problem("inputs of ranks " + std::to_string(first.rank()) + " and " +
                        std::to_string(next.rank()));
    for (std::size_t j = 0; j < first.rank(); ++j) {
      Dim& own = (*out.dims)[j];
      if (j == axis) {
        own = op.dims().Add(own, (*next.dims)[j]);
      } else {
        TRY_ASSIGN(own, SameDim(op, own, (*next.dims)[j], "size"));
      }
    }
  }
  op.out(0).shape = std::move(out);
  return {};
}

// Sizes; -233 takes an equal part of what is left. Or the places to cut at (2).
Result<void> InferSlice(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank()) return {};
  DimTable& dims = op.dims();
  TRY_ASSIGN(const std::size_t axis, AxisOf(op, Param(op, "1"), in.rank()));
  const Dim all = (*in.dims)[axis];
  const std::vector<std::int64_t> sizes = List(op, "0");
  const std::vector<std::int64_t> places = List(op, "2");
  Dim at = 0;
  for (std::size_t i = 0; i < op.outputs(); ++i) {
    const Dim left = dims.Sub(all, at);
    Dim size = left;
    if (!places.empty()) {
      if (i < places.size()) {
        const Dim place = places[i] < 0 ? dims.Add(all, places[i]) : Dim(places[i]);
        size = dims.Sub(place, at);
      }
    } else if (i < sizes.size()) {
      size = sizes[i] == kAbsent ? dims.FloorDiv(left, static_cast<std::int64_t>(sizes.size() - i))
                                 : Dim(sizes[i]);
    }
    at = dims.Add(at, size);
    op.out(i).shape = With(in, axis, size);
  }
  return {};
}

// starts, ends and axes; else an offset and a size a dim, or what is cut off at its end.
Result<void> InferCrop(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  op.out(0).shape = Shape{};
  if (!in.known_rank() || in.rank() < 1 || in.rank() > 4) return {};
  DimTable& dims = op.dims();
  Shape out = in;
  const std::vector<std::int64_t> starts = List(op, "9");
  const std::vector<std::int64_t> ends = List(op, "10");
  if (!starts.empty() && starts.size() == ends.size()) {
    std::vector<std::int64_t> axes = List(op, "11");
    if (axes.empty())
      for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < std::min(axes.size(), starts.size()); ++i) {
      TRY_ASSIGN(const std::size_t axis, AxisOf(op, axes[i], in.rank()));
      const Dim size = (*in.dims)[axis];
      const Dim begin = starts[i] < 0 && starts[i] != kAbsent
                            ? dims.Add(size, starts[i])
                            : Dim(std::max<std::int64_t>(starts[i], 0));
      // An end beyond any size means all; one from the back counts from there, exclusive.
      const Dim end = ends[i] == kAbsent ? size
                      : ends[i] < 0      ? dims.Add(size, ends[i])
                                         : dims.Min(size, ends[i]);
      (*out.dims)[axis] = dims.Sub(end, begin);
    }
    op.out(0).shape = std::move(out);
    return {};
  }
  if (Bottoms(op) >
      1) {  // as large as the second blob, whose channels count only when it has as many dims
    const Shape& like = op.in(1).shape;
    op.out(0).shape = like.known_rank() && like.rank() == in.rank() ? like : Shape{};
    return {};
  }
  constexpr Ids kOffset{"2", "13", "1", "0"}, kSize{"5", "14", "4", "3"}, kEnd{"8", "15", "7", "6"};
  for (std::size_t letter = 0; letter < 4; ++letter) {
    const int axis = kPlaces[in.rank() - 1][letter];
    if (axis < 0) continue;
    Dim& size = (*out.dims)[static_cast<std::size_t>(axis)];
    const std::int64_t stated = Param(op, kSize[letter]);
    size = stated > 0 ? Dim(stated)
                      : dims.Sub(size, Param(op, kOffset[letter]) + Param(op, kEnd[letter]));
  }
  op.out(0).shape = std::move(out);
  return {};
}

// Orders by number; letters from the innermost dim on.
constexpr std::string_view kOrders2[] = {"wh", "hw"};
constexpr std::string_view kOrders3[] = {"whc", "hwc", "wch", "cwh", "hcw", "chw"};
constexpr std::string_view kOrders4[] = {
    "whdc", "hwdc", "wdhc", "dwhc", "hdwc", "dhwc", "whcd", "hwcd", "wchd", "cwhd", "hcwd", "chwd",
    "wdch", "dwch", "wcdh", "cwdh", "dcwh", "cdwh", "hdcw", "dhcw", "hcdw", "chdw", "dchw", "cdhw"};

Result<void> InferPermute(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank() || in.rank() < 2 || in.rank() > 4) return {};
  const std::span<const std::string_view> orders =
      in.rank() == 2   ? std::span<const std::string_view>(kOrders2)
      : in.rank() == 3 ? std::span<const std::string_view>(kOrders3)
                       : std::span<const std::string_view>(kOrders4);
  const std::int64_t order = Param(op, "0");
  if (order < 0 || order >= std::ssize(orders))
    return op.Problem("order " + std::to_string(order) + " of a blob of " +
                      std::to_string(in.rank()) + " dims");
  const std::string_view letters = orders[static_cast<std::size_t>(order)];
  constexpr std::string_view kLetters = "cdhw";
  Dims out;
  for (std::size_t i = letters.size(); i-- > 0;) {
    const int axis = kPlaces[in.rank() - 1][kLetters.find(letters[i])];
    out.push_back((*in.dims)[static_cast<std::size_t>(axis)]);
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Behind and in front of w, h and of the outermost dim (d, where there are four).
Result<void> InferPadding(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank() || in.rank() == 0) return {};
  DimTable& dims = op.dims();
  if (Bottoms(op) > 1 || Param(op, "0") <= kAbsent) {
    op.out(0).shape = UnknownDims(in.rank());
    return {};
  }
  Dims out = *in.dims;
  const std::size_t n = out.size();
  out[n - 1] = dims.Add(out[n - 1], Param(op, "2") + Param(op, "3"));
  if (n > 1) out[n - 2] = dims.Add(out[n - 2], Param(op, "0") + Param(op, "1"));
  if (n > 2) out[n - 3] = dims.Add(out[n - 3], Param(op, "7") + Param(op, "8"));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferTile(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank()) return {};
  const std::vector<std::int64_t> repeats = List(op, "2");
  Dims out = *in.dims;
  if (repeats.empty()) {
    TRY_ASSIGN(const std::size_t axis, AxisOf(op, Param(op, "0"), in.rank()));
    out[axis] = op.dims().Mul(out[axis], Param(op, "1", 1));
  } else {
    if (repeats.size() > 4) return op.Problem("more than 4 repeats");
    while (out.size() < repeats.size()) out.insert(out.begin(), Dim(1));
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      Dim& size = out[out.size() - repeats.size() + i];
      size = op.dims().Mul(size, repeats[i]);
    }
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// Channels into space, and space into channels.
template <bool kToSpace>
Result<void> InferBlocks(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank()) return {};
  if (in.rank() != 3) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 3");
  DimTable& dims = op.dims();
  const std::int64_t n = Param(op, "0", 1);
  if (n < 1 || n > 1 << 15) return op.Problem("factor " + std::to_string(n));
  Dims out;
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim factor = i == 0 ? n * n : n;
    const bool grows = (i != 0) == kToSpace;
    out.push_back(grows ? dims.Mul((*in.dims)[i], factor) : dims.FloorDiv((*in.dims)[i], factor));
  }
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferData(OpContext& op) {
  const TensorFact data = WeightOf(op, 0);
  SetOutput(op, 0, data.dtype, data.shape);
  op.out(0).storage = data.storage;
  return {};
}

// The diagonal of a matrix, or a matrix of a vector.
Result<void> InferDiag(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(Same(op));
  if (!in.known_rank()) return {};
  DimTable& dims = op.dims();
  const std::int64_t offset = Param(op, "0");
  if (in.rank() == 1) {
    const Dim side = dims.Add(DimAt(in, 0), offset < 0 ? -offset : offset);
    op.out(0).shape = ShapeOf({side, side});
  } else if (in.rank() == 2) {
    const Dim h = dims.Add(DimAt(in, 0), std::min<std::int64_t>(offset, 0));
    const Dim w = dims.Sub(DimAt(in, 1), std::max<std::int64_t>(offset, 0));
    op.out(0).shape = ShapeOf({dims.Min(h, w)});
  }
  return {};
}

// Unfold: the windows side by side, [c * kernel, places]. Fold: back again.
Dim WindowPlaces(const OpContext& op, Dim h, Dim w) {
  DimTable& dims = op.dims();
  const auto places = [&](Dim in, std::int64_t k, std::int64_t d, std::int64_t s, std::int64_t p) {
    return s < 1 ? Dim()
                 : dims.Add(dims.FloorDiv(dims.Sub(dims.Add(in, p), d * (k - 1) + 1), s), 1);
  };
  const std::int64_t left = Param(op, "4");
  const std::int64_t top = Param(op, "14", left);
  const Dim across =
      places(w, Param(op, "1"), Param(op, "2", 1), Param(op, "3", 1), left + Param(op, "15", left));
  const Dim down = places(h, Param(op, "11", Param(op, "1")), Param(op, "12", Param(op, "2", 1)),
                          Param(op, "13", Param(op, "3", 1)), top + Param(op, "16", top));
  return dims.Mul(across, down);
}

Dim WindowPoints(const OpContext& op) {
  return op.dims().Mul(Param(op, "1"), Param(op, "11", Param(op, "1")));
}

Result<void> InferUnfold(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (!in.known_rank() || in.rank() != 3) return {};
  op.out(0).shape = ShapeOf({op.dims().Mul(DimAt(in, 0), WindowPoints(op)),
                             WindowPlaces(op, DimAt(in, 1), DimAt(in, 2))});
  return {};
}

Result<void> InferFold(OpContext& op) {
  const Shape& in = op.in(0).shape;
  const std::int64_t w = Param(op, "20");
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({op.dims().FloorDiv(DimAt(in, 0), WindowPoints(op)), Param(op, "21", w), w}));
  return {};
}

constexpr OpEntry Move(std::string_view op, InferFn infer, std::string_view like) {
  return entry::Move(op, like, infer, "x");
}

constexpr OpEntry kOps[] = {Move("Concat", InferConcat, "Concat"),
                            Move("CopyTo", Same, "ScatterND"),
                            Move("Diag", InferDiag, ""),
                            Move("Flip", Same, "Slice"),
                            Move("Fold", InferFold, ""),
                            Move("Padding", InferPadding, "Pad"),
                            Move("Permute", InferPermute, "Transpose"),
                            Move("PixelShuffle", InferBlocks<true>, "DepthToSpace"),
                            Move("Reorg", InferBlocks<false>, "SpaceToDepth"),
                            Move("ShuffleChannel", Same, "Transpose"),
                            Move("Slice", InferSlice, "Split"),
                            Move("Tile", InferTile, "Tile"),
                            Move("Unfold", InferUnfold, ""),
                            {.op = "Crop",
                             .infer = InferCrop,
                             .work = onnx::ReadOutputWork,
                             .rule = "movement",
                             .roles = "xc",
                             .like = "Slice"},
                            {.op = "MemoryData",
                             .infer = InferData,
                             .work = onnx::NoWork,
                             .rule = "constant",
                             .roles = "x",
                             .like = "Constant"}};

}  // namespace

std::span<const OpEntry> ShapeOps() { return kOps; }

}  // namespace opscope::ncnn
