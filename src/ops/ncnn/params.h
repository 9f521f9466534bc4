// Parameters of ncnn's layers by their id. Blobs have no batch; their dims stand outermost first:
// [w], [h, w], [c, h, w], [c, d, h, w].
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/onnx/common.h"

namespace opscope::ncnn {

// A size beyond this is damage; products of two stay within 64 bits.
constexpr std::int64_t kMaxExtent = 1 << 30;

std::int64_t Param(const OpContext& op, std::string_view id, std::int64_t otherwise = 0);
double Real(const OpContext& op, std::string_view id, double otherwise);
std::vector<std::int64_t> List(const OpContext& op, std::string_view id);
// How many inputs are blobs; weights follow them.
std::size_t Bottoms(const OpContext& op);
inline TensorFact WeightOf(const OpContext& op, std::size_t index) {
  return op.in(Bottoms(op) + index);
}
// floor(a / b) of sizes, the floor of a size times a factor.
Dim Scaled(const OpContext& op, Dim size, double factor);
// The shape with one axis set to another size.
Shape With(const Shape& shape, std::size_t axis, Dim size);
Result<void> Same(OpContext& op);  // every output like input 0
Result<void> SameView(OpContext& op);
DType Floating(const OpContext& op);  // of what a layer of floats writes

constexpr std::int64_t kAbsent = -233;  // of a size: not given

// The axis that a letter stands for, outermost first: c d h w.
constexpr std::array<std::array<int, 4>, 4> kPlaces = {
    {{-1, -1, -1, 0}, {-1, -1, 0, 1}, {0, -1, 1, 2}, {0, 1, 2, 3}}};

// Ids for c, d, h, w of some parameter.
struct Ids {
  std::string_view c, d, h, w;
  std::string_view operator[](std::size_t i) const {
    return i == 0 ? c : i == 1 ? d : i == 2 ? h : w;
  }
};

}  // namespace opscope::ncnn
