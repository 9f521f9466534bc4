// Mixture of experts: each token goes through the k best of the experts.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// Where the expert weights of an op stand: fc1, fc2 and (with a separate gate) fc3.
struct Slots {
  std::size_t fc1, fc1_bias, fc3;
};
constexpr Slots kMoE = {2, 3, 6};
constexpr Slots kQMoE = {2, 4, 8};

// The router gives a probability for each token and expert.
work::Experts Routed(const OpContext& op) {
  const Shape& router = op.in(1).shape;
  work::Experts experts;
  experts.tokens = RowsOf(op, op.in(0).shape);
  experts.hidden = LastOf(op.in(0).shape);
  experts.experts = DimAt(router, 1);
  experts.active = op.IntOr("k", 1);
  return experts;
}

// fc1 is [experts, inner, hidden] (dims 1 and 2 of older models the other way round), with gate and
// value stacked in `inner` where they are fused. Which of the two holds the inner size is said by
// the weights behind: fc1 has tokens' `hidden` in the other one.
template <bool kQuantised>
Work ExpertsWork(const OpContext& op) {
  constexpr Slots kSlots = kQuantised ? kQMoE : kMoE;
  work::Experts experts = Routed(op);
  const std::string_view activation = op.String("activation_type").value_or("relu");
  const bool fused =
      op.IntOr("swiglu_fusion", 0) != 0 || (activation == "swiglu" && !op.has(kSlots.fc3));
  const Shape& fc1 = op.in(kSlots.fc1).shape;
  Dim rows = DimAt(fc1, 1);
  if (!kQuantised && rows == experts.hidden && DimAt(fc1, 2) != experts.hidden) {
    rows = DimAt(fc1, 2);
  }
  experts.inner = fused ? op.dims().FloorDiv(rows, 2) : rows;
  experts.products = fused || op.has(kSlots.fc3) ? 3 : 2;
  experts.bias = op.has(kSlots.fc1_bias);
  experts.activation = ActivationNamed(activation);
  experts.operands = {0, static_cast<int>(kSlots.fc1),
                      kQuantised ? PackedType(op.IntOr("expert_weight_bits", 4)) : DType::kUnknown};
  return experts;
}

// MoEPacked: gate, up and down are blobs [experts, rows, bytes]; without `up` there is no gate.
Work PackedWork(const OpContext& op) {
  work::Experts experts = Routed(op);
  experts.inner = DimAt(op.in(2).shape, 1);
  experts.products = op.has(3) ? 3 : 2;
  experts.activation = ActivationNamed(op.String("activation_type").value_or("swiglu"));
  experts.operands = {0, 2};
  return experts;
}

constexpr OpEntry Experts(std::string_view op, WorkFn work, std::string_view roles) {
  return {.op = op, .infer = SameAsInput, .work = work, .rule = "experts", .roles = roles};
}

// One row a token and one column an expert.
Result<void> InferGroupRouter(OpContext& op) {
  const Shape& logits = op.in(0).shape;
  const Shape shape = ShapeOf({RowsOf(op, logits), DimAt(op.in(1).shape, 0)});
  SetOutput(op, 0, op.in(0).dtype, shape);
  SetOutput(op, 1, DType::kFloat32, shape);
  SetOutput(op, 2, DType::kFloat32, shape);
  return {};
}

Work GroupRouterWork(const OpContext& op) {
  const Dim experts = DimAt(op.in(1).shape, 0);
  const Dim rows = RowsOf(op, op.in(0).shape);
  if (op.has(2)) {
    return work::MatrixProduct{
        .batch = 1, .m = rows, .n = experts, .k = DimAt(op.in(2).shape, 1), .operands = {0, 2}};
  }
  return work::Elementwise{op.dims().Mul(rows, experts)};
}

constexpr OpEntry kOps[] = {
    Experts("MoE", ExpertsWork<false>, "xxw"),
    Experts("MoEPacked", PackedWork, "xxwwwx"),
    Experts("QMoE", ExpertsWork<true>, "xxwwwwwwwwwwwwxw"),
    {.op = "MoEGroupRouter",
     .infer = InferGroupRouter,
     .work = GroupRouterWork,
     .rule = "elementwise",
     .roles = "xww"},
};

}  // namespace

std::span<const OpEntry> ExpertOps() { return kOps; }

}  // namespace opscope::contrib
