#include "model/decoder/layer_builder.h"

#include <algorithm>
#include <utility>

#include "model/decoder/decoder.h"

namespace opscope::decoder {

namespace {

constexpr std::string_view kStandard = "ai.onnx";

std::string ActivationOp(const Config& config) {
  const std::string& name = config.activation;
  if (name.empty()) return std::string(config.architecture->activation);
  if (name.find("gelu") != std::string::npos) return "Gelu";
  if (name.find("relu") != std::string::npos) return "Relu";
  return "Swish";
}

Error Misfit(const std::string& layer, const std::string& what) {
  return {"weights.misfit", layer + ": " + what, ""};
}

}  // namespace

LayerBuilder::LayerBuilder(Model& model, const Weights& weights, const Config& config)
    : model_(model),
      weights_(weights),
      config_(config),
      graph_(model),
      used_(model.tensors.size(), false),
      batch_(model.dims.Symbol("batch")),
      sequence_(model.dims.Symbol("sequence")),
      past_(model.dims.Symbol("past")) {}

TensorId LayerBuilder::Use(const std::string& weight) {
  const TensorId tensor = weights_.Find(weight);
  if (tensor.valid()) used_[tensor.index()] = true;
  return tensor;
}

std::int64_t LayerBuilder::Columns(const std::string& module) const {
  const TensorId weight = weights_.Find(module + ".weight");
  if (!weight.valid()) return 0;
  const std::vector<std::int64_t>& dims = weights_.payload(weight).dims;
  return dims.size() == 2 ? dims[config_.architecture->columns_first ? 1 : 0] : 0;
}

// Blocks are unpacked into float32 where they are multiplied.
DType LayerBuilder::ComputeType(const Stem& stem) const {
  if (config_.compute != DType::kUnknown) return config_.compute;
  const DType stored = weights_.payload(weights_.Find(stem.embedding + ".weight")).dtype;
  return Bits(stored).value_or(0) >= 16 && IsFloating(stored) ? stored : DType::kFloat32;
}

TensorId LayerBuilder::Linear(const std::string& module, TensorId x) {
  std::vector<TensorId> inputs = {x,
                                  Use(module + ".weight"),
                                  Use(module + ".bias"),
                                  Use(module + ".weight_scale_inv"),
                                  Use(module + ".scales"),
                                  Use(module + ".qzeros"),
                                  Use(module + ".g_idx")};
  while (!inputs.back().valid()) inputs.pop_back();
  const TensorId output = graph_.AddOne(kDomain, "Linear", module, std::move(inputs));
  // The head that shares the embedding's table has that as [out, in] everywhere.
  const bool table = module.ends_with("wte") || module.ends_with("lm_head");
  if (config_.architecture->columns_first && !table)
    graph_.Attribute("columns_first", std::int64_t{1});
  return output;
}

TensorId LayerBuilder::Norm(const std::string& module, TensorId x) {
  if (module.empty()) return x;
  std::vector<TensorId> inputs = {x, Use(module + ".weight"), Use(module + ".bias")};
  while (!inputs.back().valid()) inputs.pop_back();
  const bool centred = config_.architecture->norm == Norm::kLayer;
  return graph_.AddOne(kDomain, centred ? "LayerNorm" : "RMSNorm", module, std::move(inputs));
}

TensorId LayerBuilder::Rotary(const std::string& name, TensorId x) {
  return config_.architecture->rotary ? graph_.AddOne(kStandard, "RotaryEmbedding", name, {x}) : x;
}

std::vector<TensorId> LayerBuilder::Split(const std::string& name, TensorId x,
                                          const std::vector<std::int64_t>& sizes) {
  std::vector<TensorId> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    parts.push_back(graph_.Value(name + "." + std::to_string(i)));
  graph_.Add({kDomain, "Split", name, {x}, parts});
  graph_.Attribute("sizes", sizes);
  return parts;
}

TensorId LayerBuilder::Past(std::string_view what, std::int64_t index, std::int64_t heads,
                            std::int64_t width) {
  const DType dtype = config_.cache == DType::kUnknown ? compute_ : config_.cache;
  return graph_.Input("past_" + std::string(what) + "." + std::to_string(index), dtype,
                      Shape{std::vector<Dim>{batch_, heads, past_, width}});
}

Result<TensorId> LayerBuilder::Attention(const std::string& layer, std::int64_t index, TensorId x) {
  if (!Find(layer, Role::kLatent).empty()) return Latent(layer, index, x);
  const std::string fused = Find(layer, Role::kQueryKeyValue);
  const std::string query = Find(layer, Role::kQuery);
  const std::string key = Find(layer, Role::kKey);
  const std::string value = Find(layer, Role::kValue);
  if (fused.empty() && (query.empty() || key.empty() || value.empty()))
    return Misfit(layer, "there are no weights for queries, keys and values");
  std::int64_t heads = config_.heads;
  std::int64_t head = config_.head;
  if (head == 0 && heads > 0) head = config_.hidden / heads;
  if (head <= 0) return Misfit(layer, "the width of a head is not known");
  std::int64_t kv_heads = config_.kv_heads > 0 ? config_.kv_heads : heads;
  if (fused.empty()) {  // may differ from layer to layer
    heads = Columns(query) / head;
    kv_heads = Columns(key) / head;
  }
  const std::int64_t all = fused.empty() ? Columns(query) : Columns(fused);
  const std::int64_t wanted = heads * head + (fused.empty() ? 0 : 2 * kv_heads * head);
  if (heads <= 0 || kv_heads <= 0 || heads % kv_heads != 0 || all != wanted)
    return Misfit(layer, "queries, keys and values are " + std::to_string(all) + " wide, " +
                             std::to_string(heads) + " heads of " + std::to_string(head) +
                             " with " + std::to_string(kv_heads) + " for keys and values need " +
                             std::to_string(wanted));
  TensorId q, k, v;
  if (fused.empty()) {
    q = Linear(query, x);
    k = Linear(key, x);
    v = Linear(value, x);
  } else {
    const auto parts = Split(layer + "split_qkv", Linear(fused, x),
                             {heads * head, kv_heads * head, kv_heads * head});
    q = parts[0];
    k = parts[1];
    v = parts[2];
  }
  q = Rotary(layer + "rotary_q", Norm(Find(layer, Role::kQueryNorm), q));
  k = Rotary(layer + "rotary_k", Norm(Find(layer, Role::kKeyNorm), k));
  const TensorId past_key = Past("key", index, kv_heads, head);
  const TensorId past_value = Past("value", index, kv_heads, head);
  const TensorId out = graph_.Value(layer + "attention");
  const std::string number = std::to_string(index);
  const TensorId present_key = graph_.Value("present_key." + number);
  const TensorId present_value = graph_.Value("present_value." + number);
  graph_.Add({kDomain,
              "Attention",
              layer + "attention",
              {q, k, v, TensorId{}, past_key, past_value},
              {out, present_key, present_value}});
  graph_.Attribute("heads", heads);
  graph_.Attribute("kv_heads", kv_heads);
  const auto at = static_cast<std::size_t>(index);
  if (config_.window > 0 && at < config_.local.size() && config_.local[at])
    graph_.Attribute("window", config_.window);
  presents_.push_back(present_key);
  presents_.push_back(present_value);
  const std::string last = Find(layer, Role::kAttentionOut);
  return last.empty() ? out : Linear(last, out);
}

// DeepSeek: keys and values are made from one narrow vector a token, which is what the cache holds.
Result<TensorId> LayerBuilder::Latent(const std::string& layer, std::int64_t index, TensorId x) {
  const Config& c = config_;
  const std::string low = Find(layer, Role::kQueryLow);
  const std::string query = Find(layer, low.empty() ? Role::kQuery : Role::kQueryHigh);
  const std::string both = Find(layer, Role::kLatentHigh);
  const std::string key = both.empty() ? Find(layer, Role::kLatentKey) : both;
  const std::string value = both.empty() ? Find(layer, Role::kLatentValue) : std::string();
  if (query.empty() || key.empty() || (both.empty() && value.empty()) || c.latent <= 0 ||
      c.rope <= 0 || c.nope <= 0 || c.value <= 0 || c.heads <= 0)
    return Misfit(layer, "weights or sizes of latent attention are missing");
  const std::string latent = Find(layer, Role::kLatent);
  if (Columns(query) != c.heads * (c.nope + c.rope) || Columns(latent) != c.latent + c.rope)
    return Misfit(layer, "queries are " + std::to_string(Columns(query)) + " wide, " +
                             std::to_string(c.heads) + " heads of " + std::to_string(c.nope) +
                             " + " + std::to_string(c.rope) + " need another width");
  TensorId q = x;
  if (!low.empty()) q = Norm(Find(layer, Role::kQueryLowNorm), Linear(low, x));
  q = Rotary(layer + "rotary_q", Linear(query, q));
  const auto parts = Split(layer + "split_latent", Linear(latent, x), {c.latent, c.rope});
  const TensorId narrow = Norm(Find(layer, Role::kLatentNorm), parts[0]);
  const TensorId turned = Rotary(layer + "rotary_k", parts[1]);
  const TensorId joined = graph_.AddOne(kStandard, "Concat", layer + "latent", {narrow, turned});
  graph_.Attribute("axis", std::int64_t{-1});
  const TensorId past = Past("latent", index, 1, c.latent + c.rope);
  const TensorId out = graph_.Value(layer + "attention");
  const TensorId present = graph_.Value("present_latent." + std::to_string(index));
  std::vector<TensorId> inputs = {q, joined, Use(key + ".weight"),
                                  value.empty() ? TensorId{} : Use(value + ".weight"), past};
  for (const std::string& module : {key, value})
    if (const TensorId scale = Use(module + ".weight_scale_inv"); scale.valid())
      inputs.push_back(scale);
  graph_.Add({kDomain, "LatentAttention", layer + "attention", std::move(inputs), {out, present}});
  graph_.Attribute("heads", c.heads);
  graph_.Attribute("latent", c.latent);
  graph_.Attribute("rope", c.rope);
  graph_.Attribute("value_head", c.value);
  presents_.push_back(present);
  const std::string last = Find(layer, Role::kAttentionOut);
  return last.empty() ? out : Linear(last, out);
}

TensorId LayerBuilder::Activation(const std::string& name, TensorId x) {
  return graph_.AddOne(kStandard, ActivationOp(config_), name, {x});
}

TensorId LayerBuilder::Mlp(const std::string& layer, std::string_view suffix,
                           const std::string& gate, const std::string& up, const std::string& down,
                           TensorId x) {
  const std::string act = layer + "activation" + std::string(suffix);
  TensorId inner = Linear(up, x);
  if (gate.empty()) {
    inner = Activation(act, inner);
  } else {
    const TensorId gated = Activation(act, Linear(gate, x));
    inner = graph_.AddOne(kStandard, "Mul", layer + "gate" + std::string(suffix), {gated, inner});
  }
  return Linear(down, inner);
}

Result<TensorId> LayerBuilder::Experts(const std::string& layer, TensorId x) {
  const std::string router = Find(layer, Role::kRouter);
  const TensorId logits = Linear(router, x);
  const TensorId scores = graph_.AddOne(kStandard, "Softmax", layer + "router_softmax", {logits});
  std::vector<TensorId> inputs = {x, scores};
  std::int64_t inner = 0;
  std::int64_t products = 0;
  const std::int64_t experts = Columns(router);
  constexpr std::pair<Role, Role> kKinds[] = {{Role::kExpertGates, Role::kGate},
                                              {Role::kExpertUps, Role::kUp},
                                              {Role::kExpertDowns, Role::kDown}};
  for (const auto& [stacked, single] : kKinds) {
    if (const std::string all = Find(layer, stacked); !all.empty()) {
      inputs.push_back(Use(all + ".weight"));
      const std::vector<std::int64_t>& dims = weights_.payload(inputs.back()).dims;
      if (stacked == Role::kExpertUps && dims.size() == 3) inner = dims[1];
      ++products;
      continue;
    }
    if (FindExpert(weights_, layer, single, 0).empty()) continue;
    ++products;
    for (std::int64_t e = 0; e < experts; ++e) {
      const std::string module = FindExpert(weights_, layer, single, e);
      if (module.empty())
        return Misfit(layer, "weights of expert " + std::to_string(e) + " are missing");
      inputs.push_back(Use(module + ".weight"));
      if (single == Role::kUp) inner = Columns(module);
      if (const TensorId scale = Use(module + ".weight_scale_inv"); scale.valid())
        inputs.push_back(scale);
    }
  }
  const std::int64_t active = config_.active_experts;
  if (products < 2 || inner <= 0 || active <= 0 || active > experts)
    return Misfit(layer, "weights of the experts, or how many are active, are not known");
  const TensorId bias = Use(router + ".e_score_correction_bias");
  if (bias.valid()) inputs.push_back(bias);
  const TensorId out = graph_.AddOne(kDomain, "Experts", layer + "experts", std::move(inputs));
  graph_.Attribute("experts", experts);
  graph_.Attribute("active", active);
  graph_.Attribute("inner", inner);
  graph_.Attribute("products", products);
  graph_.Attribute("activation", ActivationOp(config_));
  const std::string up = Find(layer, Role::kSharedUp);
  if (up.empty()) return out;
  TensorId shared =
      Mlp(layer, "_shared", Find(layer, Role::kSharedGate), up, Find(layer, Role::kSharedDown), x);
  if (const std::string gate = Find(layer, Role::kSharedRouter); !gate.empty()) {
    shared = graph_.AddOne(kStandard, "Mul", layer + "shared_gate", {shared, Linear(gate, x)});
  }
  return graph_.AddOne(kStandard, "Add", layer + "add_shared", {out, shared});
}

Result<TensorId> LayerBuilder::FeedForward(const std::string& layer, TensorId x) {
  if (!Find(layer, Role::kRouter).empty()) return Experts(layer, x);
  const std::string down = Find(layer, Role::kDown);
  if (down.empty()) return Misfit(layer, "there are no weights of a feed-forward network");
  const std::string up = Find(layer, Role::kUp);
  const std::string fused = Find(layer, Role::kGateUp);
  // Phi-3 keeps gate and up in one tensor; in GGUF that is called ffn_up.
  const std::string gate = Find(layer, Role::kGate);
  const TensorId into = weights_.Find(down + ".weight");
  const std::vector<std::int64_t>& dims = weights_.payload(into).dims;
  const std::int64_t inner =
      dims.size() == 2 ? dims[config_.architecture->columns_first ? 0 : 1] : 0;
  const std::string& both = fused.empty() ? up : fused;
  if (both.empty()) return Misfit(layer, "there are no weights of a feed-forward network");
  if (gate.empty() && inner > 0 && Columns(both) % 2 == 0 && Columns(both) / 2 == inner) {
    const auto parts = Split(layer + "split_gate_up", Linear(both, x), {inner, inner});
    const TensorId gated = Activation(layer + "activation", parts[0]);
    return Linear(down, graph_.AddOne(kStandard, "Mul", layer + "gate", {gated, parts[1]}));
  }
  return Mlp(layer, "", gate, both, down, x);
}

Result<TensorId> LayerBuilder::Layer(const std::string& layer, std::int64_t index, TensorId x) {
  const std::string second = Find(layer, Role::kSecondNorm);
  std::string before = Find(layer, Role::kFeedForwardNorm);
  std::string after = Find(layer, Role::kAfterAttentionNorm);
  // Gemma 2 and 3: the name that elsewhere is the norm before the feed-forward stands behind the
  // attention, where a norm before the feed-forward has a name of its own.
  if (before.ends_with("pre_feedforward_layernorm") && after.empty() &&
      weights_.Find(layer + "post_attention_layernorm.weight").valid())
    after = layer + "post_attention_layernorm";
  const TensorId normed = Norm(Find(layer, Role::kAttentionNorm), x);
  TRY_ASSIGN(TensorId attention, Attention(layer, index, normed));
  attention = Norm(after, attention);
  TensorId residual = graph_.AddOne(kStandard, "Add", layer + "add_attention", {x, attention});
  TensorId into = residual;
  if (config_.parallel)
    into = !second.empty() ? Norm(second, x) : before.empty() ? normed : Norm(before, x);
  else
    into = Norm(before, residual);
  TRY_ASSIGN(TensorId mlp, FeedForward(layer, into));
  mlp = Norm(Find(layer, Role::kAfterFeedForwardNorm), mlp);
  return graph_.AddOne(kStandard, "Add", layer + "add_feed_forward", {residual, mlp});
}

Result<void> LayerBuilder::Build(const Stem& stem) {
  compute_ = ComputeType(stem);
  const TensorId ids =
      graph_.Input("input_ids", DType::kInt64, Shape{std::vector<Dim>{batch_, sequence_}});
  const auto embed = [&](const std::string& module, TensorId index) {
    const TensorId out =
        graph_.AddOne(kDomain, "Embedding", module, {Use(module + ".weight"), index});
    graph_.Attribute("dtype", std::string(Name(compute_)));
    return out;
  };
  TensorId x = embed(stem.embedding, ids);
  if (!stem.positions.empty()) {
    const TensorId places =
        graph_.Input("position_ids", DType::kInt64, Shape{std::vector<Dim>{batch_, sequence_}});
    x = graph_.AddOne(kStandard, "Add", "add_positions", {x, embed(stem.positions, places)});
  }
  if (config_.architecture->scaled_embedding) {
    Payload root;  // of the width
    root.dtype = compute_;
    x = graph_.AddOne(kStandard, "Mul", "scale_embedding",
                      {x, graph_.Constant("embedding_scale", std::move(root))});
  }
  std::int64_t layers = 0;
  while (true) {
    const std::string layer = stem.layers + std::to_string(layers) + ".";
    if (Find(layer, Role::kAttentionNorm).empty()) break;
    if (config_.layers > 0 && layers == config_.layers) break;
    TRY_ASSIGN(x, Layer(layer, layers, x));
    ++layers;
  }
  if (config_.layers > 0 && layers < config_.layers)
    return Misfit(stem.layers, std::to_string(layers) +
                                   " layers are there, the configuration says " +
                                   std::to_string(config_.layers));
  x = Norm(stem.final_norm, x);
  graph_.Output(Linear(stem.head.empty() ? stem.embedding : stem.head, x));
  if (stem.head.empty()) model_.nodes.back().name = model_.strings.Intern("lm_head");
  for (const TensorId present : presents_) graph_.Output(present);
  return {};
}

}  // namespace opscope::decoder
