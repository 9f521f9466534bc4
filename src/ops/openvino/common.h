// What the families of OpenVINO share: attributes, and operators read as those of ai.onnx.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/onnx/common.h"

namespace opscope::openvino {

using onnx::ElementwiseWork;
using onnx::MovementWork;
using onnx::NoWork;
using onnx::ReadOutputWork;

// A list attribute; the file does not tell one value from a list of one. Nullopt when absent.
std::optional<std::vector<std::int64_t>> ListAttribute(const OpContext& op, std::string_view name);
// The dtype that an attribute names ("float32", as the reader spells it).
DType TypeAttribute(const OpContext& op, std::string_view name, DType otherwise);

// The shapes that the file declares stand: nothing is computed, and unknown sizes get names.
Result<void> InferDeclared(OpContext& op);

// The node as the op of ai.onnx that OpEntry::like names, with inputs and attributes as that has
// them:
//   AsOnnx(op, "Concat").Infer()
//   AsOnnx(op, "Split", {0}).Set("axis", axis).Infer()
class AsOnnx {
 public:
  static constexpr int kLeftOut = -1;
  AsOnnx(const OpContext& op, std::string_view name);
  // With these of the inputs, by place.
  AsOnnx(const OpContext& op, std::string_view name, std::initializer_list<int> inputs);

  // Puts an attribute, in place of one of that name.
  AsOnnx& Set(std::string_view name, AttributeValue value);
  // Attribute `from` under the name `to`, where it is there; a list where the op wants one.
  AsOnnx& Rename(std::string_view from, std::string_view to);
  AsOnnx& RenameList(std::string_view from, std::string_view to);

  OpContext context() const { return op_.ReadAs(node_, op_.opset()); }
  Result<void> Infer() const;
  opscope::Work Work() const;

 private:
  static constexpr int kNewest = 1 << 20;
  OpContext op_;
  Node node_;
  const OpEntry* entry_;
};

// By the entry's `like`, with inputs and attributes as they are.
Result<void> InferLike(OpContext& op);
Work WorkLike(const OpContext& op);

}  // namespace opscope::openvino
