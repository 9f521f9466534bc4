#include "ops/onnx/read_as.h"

namespace opscope::onnx {

namespace {

constexpr int kNewest = 1 << 20;  // the versions of entries without an end

}  // namespace

Result<void> InferAs(OpContext& op, std::string_view name) {
  OpContext newest = op.AtOpset(kNewest);
  return FindOp("ai.onnx", name, kNewest)->infer(newest);
}

Work WorkAs(const OpContext& op, std::string_view name) {
  return FindOp("ai.onnx", name, kNewest)->work(op.AtOpset(kNewest));
}

Result<void> InferAsLike(OpContext& op) { return InferAs(op, StandardOp(op.model(), op.node())); }

}  // namespace opscope::onnx
