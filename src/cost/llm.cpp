#include "cost/llm.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "cost/dim_sum.h"

namespace opscope {

namespace {

// The common value, unknown where two differ.
Dim Common(const std::vector<Dim>& values) {
  if (values.empty()) return {};
  const bool same =
      std::all_of(values.begin(), values.end(), [&](Dim value) { return value == values.front(); });
  return same ? values.front() : Dim();
}

// The keys are those of the cache, repeated or turned.
bool ReadsCache(const Model& model, const StaticAnalysis& analysis,
                const std::vector<bool>& in_cache, TensorId keys) {
  constexpr int kMaxSteps = 24;
  for (int steps = 0; steps < kMaxSteps && keys.valid(); ++steps) {
    if (in_cache[keys.index()]) return true;
    const NodeId node = model.tensor(keys).producer;
    if (!node.valid()) return false;
    const std::vector<TensorId>& inputs = model.node(node).inputs;
    const auto runtime = std::find_if(inputs.begin(), inputs.end(), [&](TensorId input) {
      return input.valid() && analysis.fact(input).runtime;
    });
    if (runtime == inputs.end()) return false;
    keys = *runtime;
  }
  return false;
}

// Attention over a cache that grows looks only back: what comes after is not in it yet.
void MarkCausal(Model& model, const StaticAnalysis& analysis, const std::vector<CacheTensor>& cache,
                std::vector<AttentionLayer>& layers) {
  std::vector<bool> in_cache(model.tensors.size(), false);
  for (const CacheTensor& tensor : cache) in_cache[tensor.joined.index()] = true;
  for (AttentionLayer& layer : layers) {
    if (layer.causal || layer.fused() || !ReadsCache(model, analysis, in_cache, layer.keys))
      continue;
    layer.causal = true;
    layer.macs_causal =
        model.dims.Mul(CausalMacs(model.dims, layer), analysis.layer(layer.scores).times);
  }
}

CacheTotals SumCache(Model& model, const StaticAnalysis& analysis,
                     const std::vector<CacheTensor>& tensors) {
  CacheTotals out;
  std::vector<Dim> heads, head, tokens;
  DimSum per_token, bytes;
  std::int64_t halves = 0;
  for (const CacheTensor& tensor : tensors) {
    halves += tensor.tensors;
    out.latent = out.latent || tensor.latent;
    heads.push_back(tensor.kv_heads);
    head.push_back(tensor.head);
    tokens.push_back(model.dims.Mul(tensor.batch, tensor.length));
    per_token.Add(tensor.bytes_per_token);
    bytes.Add(tensor.bytes);
  }
  out.layers = halves / 2;
  out.dtype = analysis.fact(tensors.front().present).dtype;
  out.kv_heads = Common(heads);
  out.head = Common(head);
  out.tokens = Common(tokens);
  out.bytes_per_token = per_token.Exact(model.dims);
  out.bytes = bytes.Exact(model.dims);
  return out;
}

// The keys of a layer; of one op with all three in one tensor, that.
TensorId KeysOf(const Model& model, const StaticAnalysis& analysis, const AttentionLayer& layer) {
  if (!layer.fused()) return layer.keys;
  const std::vector<TensorId>& inputs = model.node(analysis.layer(layer.scores).node).inputs;
  if (inputs.size() > 1 && inputs[1].valid() && analysis.fact(inputs[1]).runtime) return inputs[1];
  return inputs.empty() ? TensorId{} : inputs[0];
}

// A cache that the graph does not have: keys and values of all positions, heads not repeated.
// 3 heads, 32 + 32 wide, 96 positions, float16: 36,864 bytes.
std::optional<CacheTotals> DeriveCache(Model& model, const StaticAnalysis& analysis,
                                       const std::vector<AttentionLayer>& layers) {
  const bool decoder = std::any_of(layers.begin(), layers.end(), [](const AttentionLayer& layer) {
    return layer.causal || layer.kv_heads != layer.heads;
  });
  const TensorId keys = KeysOf(model, analysis, layers.front());
  const auto bits = keys.valid() ? Bits(analysis.fact(keys).dtype) : std::nullopt;
  if (!decoder || !bits) return std::nullopt;
  DimTable& dims = model.dims;
  CacheTotals out;
  out.in_graph = false;
  out.dtype = analysis.fact(keys).dtype;
  std::vector<Dim> heads, head, tokens;
  DimSum bytes_per_token, bytes;
  for (const AttentionLayer& layer : layers) {
    const Dim width = dims.Add(layer.head, layer.value_head);
    const Dim per_token = dims.FloorDiv(dims.Mul(dims.Mul(layer.kv_heads, width), *bits), 8);
    ++out.layers;
    heads.push_back(layer.kv_heads);
    head.push_back(layer.head);
    tokens.push_back(dims.Mul(layer.batch, layer.kv_length));
    bytes_per_token.Add(per_token);
    bytes.Add(dims.Mul(per_token, tokens.back()));
  }
  out.bytes_per_token = bytes_per_token.Exact(dims);
  out.bytes = bytes.Exact(dims);
  out.kv_heads = Common(heads);
  out.head = Common(head);
  out.tokens = Common(tokens);
  return out;
}

// What each token reads: all weights once, of a table that is gathered from one row, of experts
// those that are active.
class TokenWeights {
 public:
  TokenWeights(Model& model, const StaticAnalysis& analysis) : model_(model), analysis_(analysis) {}

  Dim Sum() {
    DimSum sum;
    for (const Layer& layer : analysis_.layers)
      if (layer.runtime && layer.times != Dim(0)) sum.Add(model_.dims.Mul(Of(layer), layer.times));
    return sum.Exact(model_.dims);
  }

 private:
  Dim Of(const Layer& layer) {
    const Work& work = analysis_.propagation.works[layer.node.index()];
    if (const auto* experts = std::get_if<work::Experts>(&work))
      return model_.dims.FloorDiv(model_.dims.Mul(layer.weight_bytes, experts->active),
                                  experts->experts);
    const std::vector<TensorId>& inputs = model_.node(layer.node).inputs;
    if (!std::holds_alternative<work::GatherScatter>(work) || inputs.empty() ||
        !inputs[0].valid() || analysis_.fact(inputs[0]).runtime)
      return layer.weight_bytes;
    TensorFact row = analysis_.fact(inputs[0]);
    if (!row.shape.known_rank() || row.shape.rank() < 2) return layer.weight_bytes;
    (*row.shape.dims)[0] = 1;
    return BytesOf(model_.dims, row);
  }

  Model& model_;
  const StaticAnalysis& analysis_;
};

struct PackedOp {
  std::string_view op;
  int weight, scale, zero_point;
};
constexpr PackedOp kPackedOps[] = {
    {"MatMulNBits", 1, 2, 3}, {"GatherBlockQuantized", 0, 2, 3}, {"DequantizeLinear", 0, 1, 2}};

class QuantisedFinder {
 public:
  QuantisedFinder(Model& model, const StaticAnalysis& analysis)
      : model_(model), analysis_(analysis) {}

  std::vector<QuantisedKind> Run() {
    for (const Layer& layer : analysis_.layers) {
      const Node& node = model_.node(layer.node);
      for (const PackedOp& packed : kPackedOps)
        if (model_.text(node.op) == packed.op) Add(node, packed);
      for (const TensorId input : node.inputs)
        if (input.valid()) AddBlocks(input);
    }
    std::vector<QuantisedKind> out;
    for (Sums& sums : sums_) {
      sums.kind.weights = sums.weights.Exact(model_.dims);
      sums.kind.weight_bytes = sums.weight_bytes.Exact(model_.dims);
      sums.kind.scale_bytes = sums.scale_bytes.Exact(model_.dims);
      sums.kind.zero_point_bytes = sums.zero_point_bytes.Exact(model_.dims);
      out.push_back(sums.kind);
    }
    return out;
  }

 private:
  std::optional<std::int64_t> Int(const Node& node, std::string_view name) const {
    const Attribute* attribute = FindAttribute(model_, node, name);
    const auto* value =
        attribute == nullptr ? nullptr : std::get_if<std::int64_t>(&attribute->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  Dim Bytes(const Node& node, int input) const {
    const auto at = static_cast<std::size_t>(input);
    if (at >= node.inputs.size() || !node.inputs[at].valid()) return 0;
    return BytesOf(model_.dims, analysis_.fact(node.inputs[at]));
  }

  void Add(const Node& node, const PackedOp& packed) {
    const auto at = static_cast<std::size_t>(packed.weight);
    if (at >= node.inputs.size() || !node.inputs[at].valid()) return;
    const TensorFact& weight = analysis_.fact(node.inputs[at]);
    if (weight.runtime) return;
    const bool plain = packed.op == "DequantizeLinear";
    const auto bits = plain ? Bits(weight.dtype) : std::optional(Int(node, "bits").value_or(4));
    std::optional<std::int64_t> block = Int(node, "block_size");
    if (block == std::int64_t{0}) block.reset();
    if (!bits || *bits <= 0 || (plain && *bits >= 8 && !block)) return;
    Sums& sums = SumsOf(std::string(Name(weight.dtype)), *bits, block);
    ++sums.kind.layers;
    sums.weights.Add(Weights(node, weight, *bits, plain));
    sums.weight_bytes.Add(Bytes(node, packed.weight));
    sums.scale_bytes.Add(Bytes(node, packed.scale));
    sums.zero_point_bytes.Add(Bytes(node, packed.zero_point));
  }

  // A constant whose type comes in blocks; once, however many read it.
  void AddBlocks(TensorId tensor) {
    const TensorFact& fact = analysis_.fact(tensor);
    const BlockLayout* block = BlockOf(fact.dtype);
    if (block == nullptr || fact.runtime || !counted_.insert(tensor.value).second) return;
    DimTable& dims = model_.dims;
    Sums& sums = SumsOf(std::string(Name(fact.dtype)), block->bits, block->elements);
    const Dim weights = Elements(dims, fact.shape);
    const Dim blocks = dims.CeilDiv(weights, block->elements);
    const std::int64_t shared = block->scale_bytes + block->minimum_bytes;
    ++sums.kind.layers;
    sums.weights.Add(weights);
    sums.weight_bytes.Add(dims.Mul(blocks, block->bytes - shared));
    sums.scale_bytes.Add(dims.Mul(blocks, block->scale_bytes));
    sums.zero_point_bytes.Add(dims.Mul(blocks, block->minimum_bytes));
  }

  // K * N of MatMulNBits (the last block of a row may be padded); else what the bytes hold.
  Dim Weights(const Node& node, const TensorFact& weight, std::int64_t bits, bool plain) const {
    DimTable& dims = model_.dims;
    const auto k = Int(node, "K");
    const auto n = Int(node, "N");
    if (k && n) return dims.Mul(*k, *n);
    if (plain) return Elements(dims, weight.shape);
    return dims.FloorDiv(dims.Mul(BytesOf(dims, weight), 8), bits);
  }

  struct Sums {
    QuantisedKind kind;
    DimSum weights, weight_bytes, scale_bytes, zero_point_bytes;
  };

  Sums& SumsOf(const std::string& dtype, std::int64_t bits, std::optional<std::int64_t> block) {
    const auto [place, is_new] = place_of_.try_emplace({dtype, bits, block}, sums_.size());
    if (is_new) {
      sums_.emplace_back();
      sums_.back().kind.dtype = dtype;
      sums_.back().kind.bits = bits;
      sums_.back().kind.block = block;
    }
    return sums_[place->second];
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  std::vector<Sums> sums_;  // in the order of first use
  using Kind = std::tuple<std::string, std::int64_t, std::optional<std::int64_t>>;
  std::map<Kind, std::size_t> place_of_;
  std::unordered_set<std::uint32_t> counted_;  // TensorIds
};

std::optional<ExpertTotals> SumExperts(Model& model, const StaticAnalysis& analysis) {
  ExpertTotals out;
  std::vector<Dim> experts, active;
  DimSum weight_bytes, active_weight_bytes;
  DimTable& dims = model.dims;
  for (const Layer& layer : analysis.layers) {
    const auto* work = std::get_if<work::Experts>(&analysis.propagation.works[layer.node.index()]);
    if (work == nullptr) continue;
    ++out.layers;
    experts.push_back(work->experts);
    active.push_back(work->active);
    weight_bytes.Add(layer.weight_bytes);
    active_weight_bytes.Add(
        dims.FloorDiv(dims.Mul(layer.weight_bytes, work->active), work->experts));
  }
  if (out.layers == 0) return std::nullopt;
  out.weight_bytes = weight_bytes.Exact(dims);
  out.active_weight_bytes = active_weight_bytes.Exact(dims);
  out.experts = Common(experts);
  out.active = Common(active);
  return out;
}

// The name of a dim that is a symbol and nothing else.
std::optional<std::string> SymbolOf(const DimTable& dims, Dim dim) {
  if (!dim.is_expression()) return std::nullopt;
  std::vector<std::string> symbols = dims.Symbols(dim);
  if (symbols.size() != 1) return std::nullopt;
  return symbols.front();
}

Phase MakePhase(Model& model, const StaticTotals& totals, Phase::Kind kind,
                std::vector<std::pair<std::string, std::int64_t>> bindings) {
  DimTable& dims = model.dims;
  const Bindings bound(bindings.begin(), bindings.end());
  const std::array<Dim, 3> traffic = {totals.read_bytes, totals.write_bytes, totals.weight_bytes};
  return {kind, std::move(bindings), dims.Bind(totals.counts.macs, bound),
          dims.Bind(dims.Sum(traffic), bound)};
}

std::vector<Phase> FindPhases(Model& model, const StaticAnalysis& analysis,
                              const std::vector<AttentionLayer>& layers,
                              const std::vector<CacheTensor>& cache) {
  const StaticTotals& totals = analysis.totals;
  if (cache.empty()) return {MakePhase(model, totals, Phase::Kind::kPrefill, {})};
  const Dim past = cache.front().past_length;
  const Dim now = layers.front().q_length;
  const auto past_symbol = SymbolOf(model.dims, past);
  const auto now_symbol = SymbolOf(model.dims, now);
  std::vector<Phase> out;
  if (past == Dim(0) || past_symbol) {
    std::vector<std::pair<std::string, std::int64_t>> bindings;
    if (past_symbol) bindings.emplace_back(*past_symbol, 0);
    if (now != Dim(1))
      out.push_back(MakePhase(model, totals, Phase::Kind::kPrefill, std::move(bindings)));
  }
  if (now == Dim(1) || now_symbol) {
    std::vector<std::pair<std::string, std::int64_t>> bindings;
    if (now_symbol) bindings.emplace_back(*now_symbol, 1);
    out.push_back(MakePhase(model, totals, Phase::Kind::kDecode, std::move(bindings)));
  }
  if (out.empty()) out.push_back(MakePhase(model, totals, Phase::Kind::kChunk, {}));
  return out;
}

}  // namespace

std::optional<LlmFacts> FindLlm(Model& model, const StaticAnalysis& analysis) {
  LlmFacts out;
  out.layers = FindAttention(model, analysis);
  if (out.layers.empty()) return std::nullopt;
  const std::vector<CacheTensor> cache = FindCache(model, analysis);
  MarkCausal(model, analysis, cache, out.layers);
  DimSum macs, macs_causal;
  bool any_causal = false;
  for (const AttentionLayer& layer : out.layers) {
    macs.Add(layer.macs);
    macs_causal.Add(layer.causal ? layer.macs_causal : layer.macs);
    any_causal = any_causal || layer.causal;
  }
  if (macs.complete()) out.macs = macs.Total(model.dims);
  if (any_causal && macs_causal.complete()) out.macs_causal = macs_causal.Total(model.dims);
  out.cache =
      cache.empty() ? DeriveCache(model, analysis, out.layers) : SumCache(model, analysis, cache);
  out.weight_bytes_per_token = TokenWeights(model, analysis).Sum();
  out.quantised = QuantisedFinder(model, analysis).Run();
  out.experts = SumExperts(model, analysis);
  if (out.cache) out.phases = FindPhases(model, analysis, out.layers, cache);
  return out;
}

}  // namespace opscope
