#include "cost/counts.h"

#include <array>

#include "ops/op.h"

namespace opscope {

namespace {

Dim Product(DimTable& dims, std::initializer_list<Dim> factors) {
  return dims.Product(std::span<const Dim>(factors.begin(), factors.size()));
}

// N * Cout * points(out) * (Cin/g) * points(kernel); padding is not subtracted.
Dim Macs(DimTable& dims, const work::Convolution& w) {
  return Product(dims, {w.batch, w.out_channels, w.out_points, w.in_per_group, w.kernel_points});
}

// By INPUT size: 8 -> 4, k4 s2, input 2x8x10x10: 2*8*100 * 4 * 16 = 102,400.
Dim Macs(DimTable& dims, const work::TransposedConvolution& w) {
  return Product(dims, {w.batch, w.in_channels, w.in_points, w.out_per_group, w.kernel_points});
}

Dim Macs(DimTable& dims, const work::MatrixProduct& w) {
  return Product(dims, {w.batch, w.m, w.n, w.k});
}

Dim Macs(DimTable&, const work::Contraction& w) { return w.macs; }

// T*B*D * gates*H * (I+H). I10 H20, T7 B3, one direction: 7*3 * 4*20 * (10+20) = 50,400.
// With a projection to P: T*B*D * (gates*H * (I+P) + H*P).
Dim Macs(DimTable& dims, const work::Recurrence& w) {
  const Dim state = w.projection.value_or(w.hidden);
  const Dim inner = dims.Mul(w.gates, dims.Add(w.input, state));
  const Dim projected = w.projection.value_or(0);
  return Product(dims, {w.steps, w.batch, w.directions, w.hidden, dims.Add(inner, projected)});
}

// Scores and weighted values, all pairs: 8 heads, q 16, kv 48, d 32, dv 64: 589,824.
Dim Macs(DimTable& dims, const work::Attention& w) {
  const Dim pairs = Product(
      dims, {w.batch, w.query_heads, w.q_length, w.kv_length, dims.Add(w.head, w.value_head)});
  return dims.Add(pairs, w.projection);
}

// 5 tokens, 2 of 8 experts, 64 -> 128 -> 64: 5*2 * 2 * 64*128 = 163,840.
Dim Macs(DimTable& dims, const work::Experts& w) {
  return Product(dims, {w.tokens, w.active, w.products, w.hidden, w.inner});
}

template <class T>
Dim Macs(DimTable&, const T&) {
  return 0;
}

Dim BiasAdds(DimTable& dims, const work::Convolution& w) {
  return w.bias ? Product(dims, {w.batch, w.out_channels, w.out_points}) : Dim(0);
}

Dim BiasAdds(DimTable&, const work::TransposedConvolution& w) { return w.bias ? w.outputs : 0; }

Dim BiasAdds(DimTable& dims, const work::MatrixProduct& w) {
  return w.bias ? Product(dims, {w.batch, w.m, w.n}) : Dim(0);
}

// ONNX gives every gate two biases (Wb for the input, Rb for the state), so two additions.
Dim BiasAdds(DimTable& dims, const work::Recurrence& w) {
  return w.bias ? Product(dims, {w.steps, w.batch, w.directions, 2 * w.gates, w.hidden}) : Dim(0);
}

Dim BiasAdds(DimTable&, const work::Attention& w) { return w.projection_bias; }

// Every product but the last has the inner size.
Dim BiasAdds(DimTable& dims, const work::Experts& w) {
  if (!w.bias) return 0;
  const Dim each = dims.Add(dims.Mul(w.inner, w.products - 1), w.hidden);
  return Product(dims, {w.tokens, w.active, each});
}

template <class T>
Dim BiasAdds(DimTable&, const T&) {
  return 0;
}

// Amounts in the order of kBases: out, in, row, pair, tap, affine.
Amounts Of(DimTable& dims, const work::Elementwise& w) {
  return {w.outputs, w.outputs, 0, dims.Mul(w.outputs, w.operands - 1), 0, 0};
}

Amounts Of(DimTable&, const work::Reduction& w) {
  return {w.outputs, w.inputs, w.outputs, 0, w.inputs, 0};
}

Amounts Of(DimTable& dims, const work::Pooling& w) {
  const Dim taps = dims.Mul(w.outputs, w.kernel_points);
  return {w.outputs, taps, 0, 0, taps, 0};
}

Amounts Of(DimTable&, const work::Resampling& w) { return {w.outputs, 0, 0, 0, 0, 0}; }

Amounts Of(DimTable& dims, const work::Normalisation& w) {
  const Dim elements = dims.Mul(w.rows, w.n);
  return {elements, elements, w.rows, 0, 0, w.affine ? elements : Dim(0)};
}

Amounts Of(DimTable& dims, const work::Softmax& w) {
  const Dim elements = dims.Mul(w.rows, w.n);
  return {elements, elements, w.rows, 0, 0, 0};
}

Amounts Of(DimTable&, const work::Quantise& w) { return {w.outputs, w.outputs, 0, 0, 0, 0}; }

Amounts Of(DimTable& dims, const work::Attention& w) {
  const Dim rows = Product(dims, {w.batch, w.query_heads, w.q_length});
  const Dim scores = dims.Mul(rows, w.kv_length);
  return {scores, scores, rows, 0, 0, 0};
}

Amounts Of(DimTable&, const work::Contraction& w) { return {w.elements, 0, 0, 0, 0, 0}; }

Amounts Of(DimTable& dims, const work::Recurrence& w) {
  return {Product(dims, {w.steps, w.batch, w.directions, w.hidden}), 0, 0, 0, 0, 0};
}

Amounts Of(DimTable& dims, const work::Convolution& w) {
  return {Product(dims, {w.batch, w.out_channels, w.out_points}), 0, 0, 0, 0, 0};
}

Amounts Of(DimTable&, const work::TransposedConvolution& w) { return {w.outputs, 0, 0, 0, 0, 0}; }

Amounts Of(DimTable& dims, const work::MatrixProduct& w) {
  return {Product(dims, {w.batch, w.m, w.n}), Product(dims, {w.batch, w.m, w.k}), 0, 0, 0, 0};
}

// The activation acts on the inner elements.
Amounts Of(DimTable& dims, const work::Experts& w) {
  return {Product(dims, {w.tokens, w.active, w.inner}), 0, 0, 0, 0, 0};
}

template <class T>
Amounts Of(DimTable&, const T&) {
  return {0, 0, 0, 0, 0, 0};
}

Dim Fused(DimTable& dims, const work::Convolution& w) {
  return w.then.addition ? Product(dims, {w.batch, w.out_channels, w.out_points}) : Dim(0);
}

Dim Fused(DimTable& dims, const work::MatrixProduct& w) {
  return w.then.addition ? Product(dims, {w.batch, w.m, w.n}) : Dim(0);
}

// The product of gate and value, and the weighted sum of the active experts' outputs.
Dim Fused(DimTable& dims, const work::Experts& w) {
  const Dim gated = w.products > 2 ? Product(dims, {w.tokens, w.active, w.inner}) : Dim(0);
  const Dim mixing = dims.Sub(dims.Mul(w.active, 2), 1);
  return dims.Add(gated, Product(dims, {w.tokens, w.hidden, mixing}));
}

template <class T>
Dim Fused(DimTable&, const T&) {
  return 0;
}

std::string_view ActivationOf(const Work& work) {
  if (const auto* w = std::get_if<work::Convolution>(&work)) return w->then.activation;
  if (const auto* w = std::get_if<work::TransposedConvolution>(&work)) return w->then.activation;
  if (const auto* w = std::get_if<work::MatrixProduct>(&work)) return w->then.activation;
  if (const auto* w = std::get_if<work::Experts>(&work)) return w->activation;
  return {};
}

// An activation behind an op that has a row of its own (TFLite's ADD and AVERAGE_POOL_2D).
struct Behind {
  std::string_view activation;
  Dim outputs;
};
Behind BehindOf(const Work& work) {
  if (const auto* w = std::get_if<work::Elementwise>(&work))
    return {w->then.activation, w->outputs};
  if (const auto* w = std::get_if<work::Pooling>(&work)) return {w->then.activation, w->outputs};
  return {};
}

void AddBehind(DimTable& dims, const Work& work, Counts& counts) {
  const Behind behind = BehindOf(work);
  if (behind.activation.empty()) return;
  const ElementwiseRule* rule = FindElementwise("ai.onnx", behind.activation);
  if (rule == nullptr) return;
  const Amounts amounts = {behind.outputs, behind.outputs, 0, 0, 0, 0};
  const auto add = [&](Dim& count, const auto& column) {
    count = dims.Add(count, Apply(dims, column, amounts));
  };
  add(counts.elementwise, rule->elementwise);
  add(counts.transcendental, rule->transcendental);
  add(counts.comparisons, rule->comparisons);
}

// By kind of work, in the order of the variant.
struct Kind {
  std::string_view rule;
  bool needs_elementwise = false;
};
constexpr std::array<Kind, std::variant_size_v<Work>> kKinds = {
    {{"unknown"},          {"conv"},
     {"conv-transpose"},   {"matmul"},
     {"einsum"},           {"recurrence", true},
     {"attention", true},  {"elementwise", true},
     {"reduction", true},  {"pooling", true},
     {"resampling", true}, {"normalisation", true},
     {"softmax", true},    {"movement"},
     {"gather"},           {"view"},
     {"quantise", true},   {"control-flow"},
     {"nothing"},          {"experts"}}};

}  // namespace

Dim CountMacs(DimTable& dims, const Work& work) {
  return std::visit([&](const auto& w) { return Macs(dims, w); }, work);
}

Dim CountBiasAdds(DimTable& dims, const Work& work) {
  return std::visit([&](const auto& w) { return BiasAdds(dims, w); }, work);
}

Amounts AmountsOf(DimTable& dims, const Work& work) {
  return std::visit([&](const auto& w) { return Of(dims, w); }, work);
}

bool NeedsElementwiseRule(const Work& work) { return kKinds[work.index()].needs_elementwise; }

std::string_view RuleOf(const Work& work) { return kKinds[work.index()].rule; }

std::string_view ModeOf(const Work& work) {
  if (const auto* resampling = std::get_if<work::Resampling>(&work)) return resampling->mode;
  const auto* normalisation = std::get_if<work::Normalisation>(&work);
  if (normalisation != nullptr && !normalisation->mode.empty()) return normalisation->mode;
  return normalisation != nullptr && !normalisation->folded ? "training" : "";
}

DType PackedTypeOf(const Work& work) {
  if (const auto* w = std::get_if<work::MatrixProduct>(&work)) return w->operands.packed;
  if (const auto* w = std::get_if<work::Experts>(&work)) return w->operands.packed;
  if (const auto* w = std::get_if<work::GatherScatter>(&work)) return w->packed;
  return DType::kUnknown;
}

Dim FusedArithmetic(DimTable& dims, const Work& work) {
  return std::visit([&](const auto& w) { return Fused(dims, w); }, work);
}

const ElementwiseRule* TableRow(const Model& model, const Node& node, const Work& work) {
  const std::string_view activation = ActivationOf(work);
  if (!activation.empty()) return FindElementwise("ai.onnx", activation);
  return FindElementwise(StandardDomain(model, node), StandardOp(model, node), ModeOf(work));
}

Counts CountWork(DimTable& dims, const Work& work, const ElementwiseRule* rule) {
  if (std::holds_alternative<work::Unknown>(work)) return {};
  Counts counts = kNoCounts;
  counts.macs = CountMacs(dims, work);
  counts.bias_adds = CountBiasAdds(dims, work);
  counts.elementwise = FusedArithmetic(dims, work);
  if (rule == nullptr) {
    if (NeedsElementwiseRule(work) || !ActivationOf(work).empty())
      counts.elementwise = counts.transcendental = counts.comparisons = Dim();
    return counts;
  }
  const Amounts amounts = AmountsOf(dims, work);
  counts.elementwise = dims.Add(counts.elementwise, Apply(dims, rule->elementwise, amounts));
  counts.transcendental = Apply(dims, rule->transcendental, amounts);
  counts.comparisons = Apply(dims, rule->comparisons, amounts);
  AddBehind(dims, work, counts);
  return counts;
}

bool AnyUnknown(const Counts& counts) {
  return counts.macs.is_unknown() || counts.bias_adds.is_unknown() ||
         counts.elementwise.is_unknown() || counts.transcendental.is_unknown() ||
         counts.comparisons.is_unknown();
}

}  // namespace opscope
