#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cost/conventions/groups.h"
#include "cost/conventions/measures.h"

namespace opscope {

namespace {

template <class T>
const T* FindRule(std::span<const T> rules, const Bucket& bucket) {
  const T* found = nullptr;
  for (const T& rule : rules) {
    if (rule.key == bucket.op) return &rule;
    if (rule.key == bucket.group) found = &rule;
  }
  return found;
}

template <std::size_t N>
Dim Weigh(DimTable& dims, const std::array<int, N>& weights, const std::array<Dim, N>& amounts) {
  Dim sum = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (weights[i] != 0) sum = dims.Add(sum, dims.Mul(weights[i], amounts[i]));
  return sum;
}

class Applier {
 public:
  Applier(Model& model, const StaticAnalysis& analysis, const std::vector<Bucket>& buckets,
          const Convention& convention)
      : model_(model),
        dims_(model.dims),
        analysis_(analysis),
        buckets_(buckets),
        convention_(convention) {
    out_.convention = &convention;
  }

  ConventionCounts Run() {
    out_.stopped_at = StoppedAt();
    if (!out_.stopped_at.empty()) return std::move(out_);
    const StaticTotals& totals = analysis_.totals;
    out_.value = dims_.Mul(UnitsOfMac(), totals.counts.macs);
    if (convention_.prints_params) out_.params = totals.parameters;
    for (const Bucket& bucket : buckets_) {
      AddCounts(bucket);
      if (convention_.prints_params) AddParams(bucket);
    }
    for (const ConventionRow& row : out_.rows) {
      out_.value = dims_.Add(out_.value, row.amount);
      out_.params = dims_.Add(out_.params, row.params);
    }
    std::erase_if(out_.rows, [](const ConventionRow& row) {
      return row.amount == Dim(0) && row.params == Dim(0);
    });
    if (!convention_.mac_rules.empty()) out_.macs = SumMacs();
    if (!convention_.fused_attention.empty()) out_.fused_attention = WithFusedAttention();
    return std::move(out_);
  }

 private:
  std::int64_t UnitsOfMac() const { return convention_.unit == ConventionUnit::kFlop ? 2 : 1; }

  // Nodes of one op with the same inputs present get one answer, so that few are asked.
  std::string StoppedAt() const {
    if (convention_.stops_at == nullptr) return {};
    std::set<std::tuple<std::uint32_t, std::uint32_t, unsigned>> asked;
    for (const Layer& layer : analysis_.layers) {
      const Node& node = model_.node(layer.node);
      unsigned present = 0;
      for (std::size_t i = 0; i < std::min<std::size_t>(node.inputs.size(), 8); ++i)
        present |= unsigned{node.inputs[i].valid()} << i;
      if (!asked.emplace(node.op.value, node.domain.value, present).second) continue;
      const std::string_view op = convention_.stops_at(model_, node);
      if (!op.empty()) return std::string(op);
    }
    return {};
  }

  // Whether the tool counts by what was called, and the model says that this was no module.
  bool Called(const Bucket& bucket) const {
    const Origin::Form form = bucket.origin.form;
    return convention_.by_call && form != Origin::Form::kUnknown && form != Origin::Form::kModule;
  }

  // nullptr: no rule fits.
  const Weights* WeightsOf(const Bucket& bucket, const Rule*& rule) const {
    rule = nullptr;
    if (Called(bucket) && bucket.origin.form == Origin::Form::kAttention) {
      rule = FindRule(convention_.in_attention, bucket);
    } else if (Called(bucket) &&
               (!bucket.origin.function.empty() || convention_.functions.empty())) {
      return OfFunction(bucket);
    } else {
      rule = FindRule(convention_.rules, bucket);
    }
    return rule != nullptr ? &rule->weights : nullptr;
  }
  const Weights* OfFunction(const Bucket& bucket) const {
    for (const FunctionRule& rule : convention_.functions)
      if (rule.function == bucket.origin.function &&
          (rule.group.empty() || rule.group == bucket.group))
        return &rule.weights;
    return nullptr;
  }

  // The row of that key with those numbers' reason; rows of counts and of parameters stay apart.
  ConventionRow& Row(std::string_view key, std::string weights, std::string_view because) {
    const auto [at, added] = index_.try_emplace({key, std::string(because)}, out_.rows.size());
    if (added) out_.rows.push_back({key, 0, 0, std::move(weights), because});
    return out_.rows[at->second];
  }

  void AddCounts(const Bucket& bucket) {
    const Rule* rule = nullptr;
    const Weights* found = WeightsOf(bucket, rule);
    const Weights& weights = found != nullptr ? *found : convention_.otherwise;
    const Dim exact = dims_.Mul(UnitsOfMac(), bucket.amounts[kMac]);
    const Dim difference = dims_.Sub(Weigh(dims_, ToArray(weights), bucket.amounts), exact);
    if (difference == Dim(0)) return;
    if (exact != Dim(0) && !dims_.AtLeast(difference, 0)) out_.undercounts = true;
    std::string text = WeightsText(weights);
    std::string_view because = !text.empty()    ? "convention.counts"
                               : Called(bucket) ? "convention.not-seen"
                                                : "convention.unseen";
    if (rule != nullptr && !rule->because.empty()) because = rule->because;
    ConventionRow& row = Row(rule != nullptr ? rule->key : bucket.group, std::move(text), because);
    row.amount = dims_.Add(row.amount, difference);
  }

  void AddParams(const Bucket& bucket) {
    const ParamRule* rule = Called(bucket) ? nullptr : FindRule(convention_.param_rules, bucket);
    const ParamMeasured<int> weights =
        ToArray(rule != nullptr ? rule->weights : convention_.params_otherwise);
    const Dim difference = dims_.Sub(Weigh(dims_, weights, bucket.params), bucket.params[0]);
    if (difference == Dim(0)) return;
    ConventionRow& row =
        Row(rule != nullptr ? rule->key : bucket.group, {},
            rule != nullptr && !rule->because.empty() ? rule->because : convention_.params_because);
    row.params = dims_.Add(row.params, difference);
  }

  bool Sees(const Bucket& bucket) const {
    const Rule* rule = nullptr;
    return !Called(bucket) || WeightsOf(bucket, rule) != nullptr;
  }

  Dim SumMacs() {
    Dim sum = 0;
    for (const Bucket& bucket : buckets_)
      if (const Rule* rule = FindRule(convention_.mac_rules, bucket);
          rule != nullptr && Sees(bucket))
        sum = dims_.Add(sum, Weigh(dims_, ToArray(rule->weights), bucket.amounts));
    return sum;
  }

  // The value without the parts of attention that is written out; unknown where there is none.
  Dim WithFusedAttention() {
    Dim parts = 0;
    for (const Bucket& bucket : buckets_) {
      if (bucket.group != group::kAttentionMatMul && bucket.group != group::kAttentionSoftmax)
        continue;
      if (bucket.origin.form != Origin::Form::kUnknown) continue;
      if (const Rule* rule = FindRule(convention_.rules, bucket))
        parts = dims_.Add(parts, Weigh(dims_, ToArray(rule->weights), bucket.amounts));
    }
    return parts == Dim(0) ? Dim() : dims_.Sub(out_.value, parts);
  }

  Model& model_;
  DimTable& dims_;
  const StaticAnalysis& analysis_;
  const std::vector<Bucket>& buckets_;
  const Convention& convention_;
  ConventionCounts out_;
  std::map<std::pair<std::string_view, std::string>, std::size_t> index_;
};

}  // namespace

std::vector<ConventionCounts> ApplyConventions(Model& model, const StaticAnalysis& analysis) {
  const std::vector<Bucket> buckets = SumByGroup(model, analysis);
  std::vector<ConventionCounts> out;
  for (const Convention* convention : Conventions())
    out.push_back(Applier(model, analysis, buckets, *convention).Run());
  return out;
}

ConventionCounts ApplyConvention(Model& model, const StaticAnalysis& analysis,
                                 const Convention& convention) {
  return Applier(model, analysis, SumByGroup(model, analysis), convention).Run();
}

}  // namespace opscope
