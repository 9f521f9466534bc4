// What the families of ONNX Runtime's own operators share.
#pragma once

#include <string>
#include <string_view>

#include "ops/onnx/common.h"
#include "ops/onnx/read_as.h"

namespace opscope::contrib {

using onnx::DTypeAttribute;
using onnx::ElementwiseWork;
using onnx::MovementWork;
using onnx::NoWork;
using onnx::ReadOutputWork;

// Shape function and work of the newest ai.onnx op of that name, for ops that mean the same.
using onnx::InferAs;
using onnx::WorkAs;

// While it lives, the node's first input and first output look as if channels stood at axis 1
// instead of last, so that rules made for that layout hold. Does nothing when `last` is false.
class ChannelsFirst {
 public:
  ChannelsFirst(const OpContext& op, bool last);
  ~ChannelsFirst();
  ChannelsFirst(const ChannelsFirst&) = delete;
  ChannelsFirst& operator=(const ChannelsFirst&) = delete;

 private:
  const OpContext& op_;
  bool last_;
};

// The op of ai.onnx behind a name of an activation as fused ops spell it ("RELU", "silu"); empty
// for none.
std::string ActivationNamed(std::string_view name);

// The unsigned dtype of 2, 4 or 8 bits; unknown for other widths.
DType PackedType(std::int64_t bits);

// A shape with another last dim; unknown when the shape or the rank is 0.
Shape WithLast(const Shape& shape, Dim last);
// The product of all dims but the last.
Dim RowsOf(const OpContext& op, const Shape& shape);
Dim LastOf(const Shape& shape);

// Output `output` shows the bytes of input `input`: a cache that is updated in place.
void Alias(OpContext& op, std::size_t output, std::size_t input);

}  // namespace opscope::contrib
