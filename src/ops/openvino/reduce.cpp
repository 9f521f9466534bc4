// Reductions, softmax, running sums, the largest elements.
#include "ops/openvino/common.h"
#include "ops/openvino/families.h"

namespace opscope::openvino {

namespace {

// Axes are input 1; none of them reduces nothing.
AsOnnx Reduction(const OpContext& op) {
  AsOnnx as(op, StandardOp(op.model(), op.node()), {0, 1});
  as.Set("keepdims", op.IntOr("keep_dims", 0)).Set("noop_with_empty_axes", std::int64_t{1});
  return as;
}

Result<void> InferReduce(OpContext& op) { return Reduction(op).Infer(); }
Work ReduceWork(const OpContext& op) { return Reduction(op).Work(); }

// Axis 1 unless stated.
AsOnnx Softmax(const OpContext& op) {
  AsOnnx as(op, StandardOp(op.model(), op.node()));
  as.Set("axis", op.IntOr("axis", 1));
  return as;
}

Result<void> InferTopK(OpContext& op) {
  TRY(AsOnnx(op, "TopK").Infer());
  if (op.has_output(1)) op.out(1).dtype = TypeAttribute(op, "index_element_type", DType::kInt32);
  return {};
}

constexpr OpEntry Reduce(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferReduce,
          .work = ReduceWork,
          .rule = "reduction",
          .roles = "xc",
          .like = like};
}

constexpr OpEntry OverAxis(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = [](OpContext& o) { return Softmax(o).Infer(); },
          .work = [](const OpContext& o) { return Softmax(o).Work(); },
          .rule = "softmax",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Reduce("ReduceL1", "ReduceL1"),
    Reduce("ReduceL2", "ReduceL2"),
    Reduce("ReduceLogicalAnd", "ReduceMin"),
    Reduce("ReduceLogicalOr", "ReduceMax"),
    Reduce("ReduceMax", "ReduceMax"),
    Reduce("ReduceMean", "ReduceMean"),
    Reduce("ReduceMin", "ReduceMin"),
    Reduce("ReduceProd", "ReduceProd"),
    Reduce("ReduceSum", "ReduceSum"),
    OverAxis("LogSoftmax", "LogSoftmax"),
    OverAxis("SoftMax", "Softmax"),
    OverAxis("Softmax", "Softmax"),
    {.op = "CumSum",
     .infer = SameAsInput,
     .work = ElementwiseWork,
     .rule = "elementwise",
     .roles = "xc",
     .like = "CumSum"},
    {.op = "TopK",
     .infer = InferTopK,
     .work = WorkLike,
     .rule = "reduction",
     .roles = "xc",
     .like = "TopK"},
};

}  // namespace

std::span<const OpEntry> ReduceOps() { return kOps; }

}  // namespace opscope::openvino
