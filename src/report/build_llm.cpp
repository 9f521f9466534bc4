// static.llm: attention, the cache of keys and values, weights a token, prefill and decode.

#include <algorithm>
#include <optional>

#include "cost/llm.h"
#include "report/build.h"
#include "report/dims.h"

namespace opscope {

namespace {

std::optional<double> Ratio(const DimTable& dims, Dim a, Dim b) {
  const auto top = dims.Value(a);
  const auto bottom = dims.Value(b);
  if (!top || !bottom || *bottom == 0) return std::nullopt;
  return static_cast<double>(*top) / static_cast<double>(*bottom);
}

// What all layers have in common; unknown where two differ.
Dim Common(const std::vector<AttentionLayer>& layers, Dim AttentionLayer::*member) {
  const Dim first = layers.front().*member;
  const bool same = std::all_of(layers.begin(), layers.end(), [&](const AttentionLayer& layer) {
    return layer.*member == first;
  });
  return same ? first : Dim();
}

doc::LlmAttention BuildAttention(const Model& model, const LlmFacts& facts, Dim total_macs) {
  doc::LlmAttention out;
  const NumberNotes number(model.dims, out.formula);
  for (const AttentionLayer& layer : facts.layers) {
    ++out.layers;
    if (layer.fused()) ++out.fused;
    if (layer.causal) ++out.causal;
  }
  out.heads = number("heads", Common(facts.layers, &AttentionLayer::heads));
  out.kv_heads = number("kv_heads", Common(facts.layers, &AttentionLayer::kv_heads));
  out.head_dim = number("head_dim", Common(facts.layers, &AttentionLayer::head));
  out.macs = number("macs", facts.macs);
  out.macs_causal = number("macs_causal", facts.macs_causal);
  out.share = Ratio(model.dims, facts.macs, total_macs);
  return out;
}

doc::KvCache BuildCache(const Model& model, const CacheTotals& cache) {
  doc::KvCache out;
  const NumberNotes number(model.dims, out.formula);
  out.layers = cache.layers;
  out.in_graph = cache.in_graph;
  out.latent = cache.latent;
  out.dtype = Name(cache.dtype);
  out.kv_heads = number("kv_heads", cache.kv_heads);
  out.head_dim = number("head_dim", cache.head);
  out.bytes_per_token = number("bytes_per_token", cache.bytes_per_token);
  out.tokens = number("tokens", cache.tokens);
  out.bytes = number("bytes", cache.bytes);
  return out;
}

doc::QuantisedWeights BuildQuantised(const DimTable& dims, const QuantisedKind& kind) {
  doc::QuantisedWeights out;
  out.layers = kind.layers;
  out.dtype = kind.dtype;
  out.bits = kind.bits;
  out.block = kind.block;
  out.weights = ToCount(dims, kind.weights);
  out.weight_bytes = ToCount(dims, kind.weight_bytes);
  out.scale_bytes = ToCount(dims, kind.scale_bytes);
  out.zero_point_bytes = ToCount(dims, kind.zero_point_bytes);
  return out;
}

doc::Experts BuildExperts(const DimTable& dims, const ExpertTotals& experts) {
  doc::Experts out;
  out.layers = experts.layers;
  out.experts = ToCount(dims, experts.experts);
  out.active = ToCount(dims, experts.active);
  out.weight_bytes = ToCount(dims, experts.weight_bytes);
  out.active_weight_bytes = ToCount(dims, experts.active_weight_bytes);
  return out;
}

doc::LlmPhase BuildPhase(Model& model, const Phase& phase) {
  constexpr const char* kNames[] = {"prefill", "decode", "chunk"};
  doc::LlmPhase out;
  const NumberNotes number(model.dims, out.formula);
  out.name = kNames[static_cast<std::size_t>(phase.kind)];
  out.bindings = phase.bindings;
  out.macs = number("macs", phase.macs);
  out.bytes = number("bytes", phase.bytes);
  out.intensity = Ratio(model.dims, model.dims.Mul(phase.macs, 2), phase.bytes);
  return out;
}

}  // namespace

std::optional<doc::Llm> BuildLlm(Model& model, const StaticAnalysis& analysis) {
  const std::optional<LlmFacts> facts = FindLlm(model, analysis);
  if (!facts) return std::nullopt;
  doc::Llm out;
  const NumberNotes number(model.dims, out.formula);
  out.attention = BuildAttention(model, *facts, analysis.totals.counts.macs);
  if (facts->cache) out.kv_cache = BuildCache(model, *facts->cache);
  out.weight_bytes_per_token = number("weight_bytes_per_token", facts->weight_bytes_per_token);
  for (const QuantisedKind& kind : facts->quantised)
    out.quantised.push_back(BuildQuantised(model.dims, kind));
  if (facts->experts) out.moe = BuildExperts(model.dims, *facts->experts);
  for (const Phase& phase : facts->phases) out.phases.push_back(BuildPhase(model, phase));
  return out;
}

}  // namespace opscope
