// Entries that the tables of most dialects have alike: ops of their own names whose work is one of
// the frequent kinds. What differs is how their shapes follow.
#pragma once

#include <string_view>

#include "ops/onnx/common.h"
#include "ops/op.h"

namespace opscope::entry {

// One application per element of output 0, from the elements at its place alone.
constexpr OpEntry Pointwise(std::string_view op, std::string_view like, InferFn infer,
                            std::string_view roles = "x") {
  return {.op = op,
          .infer = infer,
          .work = onnx::PointwiseWork,
          .rule = "elementwise",
          .roles = roles,
          .like = like};
}

// Output 0 shows the bytes of input 0.
constexpr OpEntry View(std::string_view op, std::string_view like, InferFn infer,
                       std::string_view roles = "xc") {
  return {.op = op,
          .infer = infer,
          .work = onnx::ViewWork,
          .rule = "view",
          .roles = roles,
          .like = like};
}

// Elements go elsewhere; input 0 is read as a whole.
constexpr OpEntry Move(std::string_view op, std::string_view like, InferFn infer,
                       std::string_view roles = "xc", WorkFn work = onnx::MovementWork) {
  return {.op = op, .infer = infer, .work = work, .rule = "movement", .roles = roles, .like = like};
}

// As Move; only what is written is read.
constexpr OpEntry Part(std::string_view op, std::string_view like, InferFn infer,
                       std::string_view roles = "xc") {
  return Move(op, like, infer, roles, onnx::ReadOutputWork);
}

}  // namespace opscope::entry
