// Layers that show their input in another shape.
#include <algorithm>
#include <optional>

#include "ops/ncnn/expression.h"
#include "ops/ncnn/families.h"
#include "ops/ncnn/params.h"
#include "ops/onnx/entry.h"

namespace opscope::ncnn {

namespace {

// Reshape to sizes computed from those of the inputs. With a batch among them (axis 13) they have
// one dim more than the blob.
Result<void> InferComputed(OpContext& op, std::string_view list) {
  std::optional<Dims> sizes = SizesOf(op, list);
  if (!sizes) return op.Problem("shape expression '" + std::string(list) + "' is not understood");
  constexpr std::int64_t kNoBatch = 233;
  std::int64_t batch = Param(op, "13", kNoBatch);
  if (batch < 0) batch += static_cast<std::int64_t>(sizes->size());
  if (batch >= 0 && batch < static_cast<std::int64_t>(sizes->size()))
    sizes->erase(sizes->begin() + static_cast<std::ptrdiff_t>(batch));
  op.out(0).shape = ShapeOf(std::move(*sizes));
  return {};
}

// -233 = no such dim, 0 = as in the input, -1 = what is left.
Result<void> InferReshape(OpContext& op) {
  const Shape& in = op.in(0).shape;
  SetOutput(op, 0, op.in(0).dtype, {});
  if (Param(op, "3") == 0) onnx::ShareInput(op);
  if (const auto list = op.String("6")) return InferComputed(op, *list);
  if (Bottoms(op) > 1) {
    op.out(0).shape = op.in(1).shape;
    return {};
  }
  constexpr Ids kSize{"2", "11", "1", "0"};
  Dims out;
  std::optional<std::size_t> rest;
  Dim known = 1;
  for (std::size_t letter = 0; letter < 4; ++letter) {
    const std::int64_t size = Param(op, kSize[letter], kAbsent);
    if (size == kAbsent) continue;
    Dim dim = size;
    if (size == -1) {
      rest = out.size();
    } else if (size == 0) {
      const int axis =
          in.known_rank() && in.rank() > 0 && in.rank() <= 4 ? kPlaces[in.rank() - 1][letter] : -1;
      dim = axis < 0 ? Dim() : (*in.dims)[static_cast<std::size_t>(axis)];
    }
    if (size != -1) known = op.dims().Mul(known, dim);
    out.push_back(size == -1 ? Dim() : dim);
  }
  if (rest) {
    const Dim all = ElementsOf(op, in);
    out[*rest] = op.dims().ExactQuotient(all, known).value_or(op.dims().FloorDiv(all, known));
  } else if (in.known_rank()) {
    TRY(SameDim(op, ElementsOf(op, in), known, "elements before and behind"));
  }
  if (out.empty()) out.push_back(ElementsOf(op, in));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferFlatten(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, {});
  if (op.in(0).shape.known_rank()) op.out(0).shape = ShapeOf({ElementsOf(op, op.in(0).shape)});
  onnx::ShareInput(op);
  return {};
}

// A flag a dim, or a list of axes.
Result<void> InferSqueeze(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(SameView(op));
  if (!in.known_rank() || in.rank() == 0 || in.rank() > 4) return {};
  std::vector<std::int64_t> listed = List(op, "3");
  constexpr Ids kFlag{"2", "11", "1", "0"};
  if (listed.empty())
    for (std::size_t letter = 0; letter < 4; ++letter)
      if (const int axis = kPlaces[in.rank() - 1][letter]; axis >= 0 && Param(op, kFlag[letter]))
        if ((*in.dims)[static_cast<std::size_t>(axis)] == Dim(1)) listed.push_back(axis);
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, listed, in.rank()));
  Dims out;
  for (std::size_t i = 0; i < in.rank(); ++i)
    if (!std::binary_search(axes.begin(), axes.end(), i) || (*in.dims)[i] != Dim(1))
      out.push_back((*in.dims)[i]);
  if (out.empty()) out.push_back(1);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

Result<void> InferExpand(OpContext& op) {
  const Shape& in = op.in(0).shape;
  TRY(SameView(op));
  if (!in.known_rank() || in.rank() == 0 || in.rank() > 4) return {};
  std::vector<std::int64_t> listed = List(op, "3");
  const std::size_t rank = std::min<std::size_t>(
      4, in.rank() + (listed.empty()
                          ? static_cast<std::size_t>((Param(op, "0") != 0) + (Param(op, "1") != 0) +
                                                     (Param(op, "11") != 0) + (Param(op, "2") != 0))
                          : listed.size()));
  constexpr Ids kFlag{"2", "11", "1", "0"};
  if (listed.empty())
    for (std::size_t letter = 0; letter < 4; ++letter)
      if (const int axis = kPlaces[rank - 1][letter]; axis >= 0 && Param(op, kFlag[letter]))
        listed.push_back(axis);
  TRY_ASSIGN(const std::vector<std::size_t> axes, AxesOf(op, listed, rank));
  Dims out = *in.dims;
  for (const std::size_t axis : axes)
    if (axis <= out.size() && out.size() < 4)
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

constexpr OpEntry View(std::string_view op, InferFn infer, std::string_view like) {
  return entry::View(op, like, infer, "x");
}

constexpr OpEntry kOps[] = {
    View("ExpandDims", InferExpand, "Unsqueeze"),
    View("Flatten", InferFlatten, "Flatten"),
    View("Reshape", InferReshape, "Reshape"),
    View("Squeeze", InferSqueeze, "Squeeze"),
};

}  // namespace

std::span<const OpEntry> ReshapeOps() { return kOps; }

}  // namespace opscope::ncnn
