#include "ops/coreml/args.h"

#include <algorithm>
#include <string>

namespace opscope::coreml {

namespace {

constexpr std::int64_t kMaxExtent = 1 << 30;

}  // namespace

std::optional<std::size_t> Position(const OpContext& op, std::string_view name) {
  const auto names = op.Strings("inputs");
  if (!names) return std::nullopt;
  for (std::size_t i = 0; i < std::min(names->size(), op.inputs()); ++i)
    if ((*names)[i] == name) return i;
  return std::nullopt;
}

TensorFact Named(const OpContext& op, std::string_view name) {
  const auto at = Position(op, name);
  return at ? op.in(*at) : TensorFact();
}

std::int64_t Number(const OpContext& op, std::string_view name, std::int64_t otherwise) {
  const std::vector<std::int64_t> list = Numbers(op, name);
  return list.empty() ? otherwise : list[0];
}

std::vector<std::int64_t> Numbers(const OpContext& op, std::string_view name) {
  const Attribute* found = FindAttribute(op.model(), op.node(), name);
  std::vector<std::int64_t> out;
  if (found == nullptr) return out;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&found->value)) out = *list;
  if (const auto* one = std::get_if<std::int64_t>(&found->value)) out = {*one};
  for (std::int64_t& value : out) value = std::clamp(value, -kMaxExtent, kMaxExtent);
  return out;
}

std::size_t Blobs(const OpContext& op) {
  return std::min(static_cast<std::size_t>(std::max<std::int64_t>(Number(op, "bottoms", 1), 0)),
                  op.inputs());
}

Result<void> Complete(const OpContext& op, Window& window) {
  const std::size_t rank = window.kernel.size();
  if (window.strides.empty()) window.strides.assign(rank, 1);
  if (window.dilations.empty()) window.dilations.assign(rank, 1);
  if (window.pads.empty()) window.pads.assign(2 * rank, 0);
  if (window.strides.size() != rank || window.dilations.size() != rank ||
      window.pads.size() != 2 * rank)
    return op.Problem("strides, dilations or pads do not fit " + std::to_string(rank) + " dims");
  for (std::size_t i = 0; i < rank; ++i)
    if (window.strides[i] < 1 || window.dilations[i] < 1)
      return op.Problem("strides and dilations have to be at least 1");
  return {};
}

Result<Dim> Places(const OpContext& op, const Window& window, std::size_t axis, Dim in) {
  DimTable& dims = op.dims();
  const std::int64_t stride = window.strides[axis];
  if (window.same) return dims.CeilDiv(in, stride);
  const Dim reach = dims.Add(dims.Mul(dims.Sub(window.kernel[axis], 1), window.dilations[axis]), 1);
  const Dim room = dims.Sub(dims.Add(in, window.pads[2 * axis] + window.pads[2 * axis + 1]), reach);
  if (room.is_number() && room.number() < 0)
    return op.Problem("a window of " + dims.ToText(reach) + " does not fit into " +
                      dims.ToText(in));
  return dims.Add(window.ceil ? dims.CeilDiv(room, stride) : dims.FloorDiv(room, stride), 1);
}

Result<Dim> TransposedPlaces(const OpContext& op, const Window& window, std::size_t axis, Dim in) {
  DimTable& dims = op.dims();
  if (window.same) return dims.Mul(in, window.strides[axis]);
  const Dim reach = dims.Add(dims.Mul(dims.Sub(window.kernel[axis], 1), window.dilations[axis]), 1);
  const Dim whole = dims.Add(dims.Mul(dims.Sub(in, 1), window.strides[axis]), reach);
  return dims.Sub(whole, window.pads[2 * axis] + window.pads[2 * axis + 1]);
}

Result<void> AsStated(OpContext&) { return {}; }

Result<void> Like(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, op.in(0).shape);
  return {};
}

Result<void> Broadcasted(OpContext& op) {
  const std::size_t operands = op.Strings("inputs") ? op.inputs() : Blobs(op);
  if (operands == 0) return {};
  TRY_ASSIGN(Shape shape, BroadcastInputs(op, 0, operands - 1));
  SetOutput(op, 0, CommonDType(op), std::move(shape));
  return {};
}

Result<void> InferOpen(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) op.out(i).dtype = op.in(0).dtype;
  return {};
}

Result<void> InferConstant(OpContext& op) {
  const std::vector<std::int64_t> sizes = Numbers(op, "1");
  if (sizes.size() > 64) return {};
  SetOutput(op, 0, DType::kFloat32, ShapeOf(Dims(sizes.begin(), sizes.end())));
  return {};
}

Dim Back(const Shape& shape, std::size_t from_end) {
  return shape.known_rank() && shape.rank() >= from_end ? DimAt(shape, shape.rank() - from_end)
                                                        : Dim();
}

Dim Leading(const OpContext& op, const Shape& shape, std::size_t kept) {
  return shape.known_rank() && shape.rank() >= kept ? ProductOf(op, shape, 0, shape.rank() - kept)
                                                    : Dim();
}

Shape WithEnd(const Shape& shape, std::vector<Dim> end) {
  if (!shape.known_rank() || shape.rank() < end.size()) return {};
  Shape out = shape;
  std::copy(end.begin(), end.end(), out.dims->end() - std::ssize(end));
  return out;
}

}  // namespace opscope::coreml
