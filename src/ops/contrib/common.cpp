#include "ops/contrib/common.h"

#include <algorithm>
#include <utility>

namespace opscope::contrib {

namespace {

// Moves the channels of a tensor to axis 1, or back to the end.
void MoveChannels(TensorFact& fact, bool to_first) {
  if (!fact.shape.known_rank() || fact.shape.rank() < 3) return;
  Dims& dims = *fact.shape.dims;
  if (to_first) {
    std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  } else {
    std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  }
}

void MoveChannels(const OpContext& op, bool to_first) {
  const Node& node = op.node();
  if (op.has(0)) MoveChannels(op.FactOf(node.inputs[0]), to_first);
  if (op.has_output(0)) MoveChannels(op.FactOf(node.outputs[0]), to_first);
}

}  // namespace

ChannelsFirst::ChannelsFirst(const OpContext& op, bool last) : op_(op), last_(last) {
  if (last_) MoveChannels(op_, true);
}

ChannelsFirst::~ChannelsFirst() {
  if (last_) MoveChannels(op_, false);
}

std::string ActivationNamed(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"relu", "Relu"},        {"RELU", "Relu"},  {"relu2", "Relu"}, {"gelu", "Gelu"},
      {"GELU", "Gelu"},        {"geglu", "Gelu"}, {"silu", "Swish"}, {"swish", "Swish"},
      {"swiglu", "Swish"},     {"none", ""},      {"NONE", ""},      {"identity", ""},
      {"relu_squared", "Relu"}};
  for (const auto& [from, to] : kNames) {
    if (from == name) return std::string(to);
  }
  return std::string(name);
}

DType PackedType(std::int64_t bits) {
  switch (bits) {
    case 2:
      return DType::kUInt2;
    case 4:
      return DType::kUInt4;
    case 8:
      return DType::kUInt8;
    default:
      return DType::kUnknown;
  }
}

Shape WithLast(const Shape& shape, Dim last) {
  if (!shape.known_rank() || shape.rank() == 0) return {};
  Shape out = shape;
  out.dims->back() = last;
  return out;
}

Dim RowsOf(const OpContext& op, const Shape& shape) {
  if (!shape.known_rank() || shape.rank() == 0) return {};
  return ProductOf(op, shape, 0, shape.rank() - 1);
}

Dim LastOf(const Shape& shape) {
  return shape.known_rank() && shape.rank() > 0 ? shape.dims->back() : Dim();
}

void Alias(OpContext& op, std::size_t output, std::size_t input) {
  if (!op.has(input)) return;
  SetOutput(op, output, op.in(input).dtype, op.in(input).shape);
  op.out(output).storage = op.in(input).storage;
}

}  // namespace opscope::contrib
