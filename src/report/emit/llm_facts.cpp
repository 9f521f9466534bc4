#include "report/emit/llm_facts.h"

#include "document/format.h"
#include "document/messages.h"

namespace opscope {
namespace {

std::string Short(Int128 value) { return FormatCount(value); }

class Facts {
 public:
  Facts(const doc::Llm& llm, Language language) : llm_(llm), language_(language) {}

  std::vector<Fact> Run() {
    Attention();
    if (llm_.kv_cache) {
      Cache(*llm_.kv_cache);
      Add("llm.weights", CountText(llm_.weight_bytes_per_token, "weight_bytes_per_token",
                                   llm_.formula, FormatBytes, language_));
    }
    for (const doc::QuantisedWeights& kind : llm_.quantised) Quantised(kind);
    if (llm_.moe) Experts(*llm_.moe);
    for (const doc::LlmPhase& phase : llm_.phases) AddPhase(phase);
    return std::move(facts_);
  }

 private:
  void Add(std::string_view id, std::string value) {
    facts_.push_back({std::string(Word(id, language_)), std::move(value)});
  }
  std::string Say(std::string_view id, const doc::Args& args) const {
    return Phrase(id, args, language_);
  }
  std::string Count(const doc::Count& count, std::string_view key,
                    const doc::Map<std::string>& formulas) const {
    return CountText(count, key, formulas, FormatInteger, language_);
  }

  void Attention() {
    const doc::LlmAttention& attention = llm_.attention;
    Add("llm.attention",
        Say("llm.attention-of",
            {{"layers", attention.layers},
             {"heads", Count(attention.heads, "heads", attention.formula)},
             {"kv", Count(attention.kv_heads, "kv_heads", attention.formula)},
             {"width", Count(attention.head_dim, "head_dim", attention.formula)}}));
    std::string macs = CountText(attention.macs, "macs", attention.formula, Short, language_);
    if (attention.share) macs += " (" + FormatPercent(*attention.share) + ")";
    Add("llm.attention-macs", std::move(macs));
    if (attention.causal > 0)
      Add("llm.attention-causal",
          CountText(attention.macs_causal, "macs_causal", attention.formula, Short, language_));
  }

  void Cache(const doc::KvCache& cache) {
    Add(cache.in_graph ? "llm.cache" : "llm.cache-derived",
        Say(cache.latent ? "llm.cache-latent" : "llm.cache-of",
            {{"layers", cache.layers},
             {"kv", Count(cache.kv_heads, "kv_heads", cache.formula)},
             {"width", Count(cache.head_dim, "head_dim", cache.formula)},
             {"dtype", cache.dtype},
             {"bytes", CountText(cache.bytes_per_token, "bytes_per_token", cache.formula,
                                 FormatInteger, language_)}}));
    Add("llm.cache-bytes", CountText(cache.bytes, "bytes", cache.formula, FormatBytes, language_));
  }

  void Quantised(const doc::QuantisedWeights& kind) {
    const auto bytes = [](const doc::Count& count) { return count ? FormatBytes(*count) : "?"; };
    Add("llm.quantised", Say(kind.block ? "llm.quantised-blocks" : "llm.quantised-whole",
                             {{"dtype", kind.dtype},
                              {"bits", kind.bits},
                              {"block", kind.block.value_or(0)},
                              {"layers", kind.layers},
                              {"weights", kind.weights ? FormatCount(*kind.weights) : "?"},
                              {"bytes", bytes(kind.weight_bytes)},
                              {"scales", bytes(kind.scale_bytes)},
                              {"zeros", bytes(kind.zero_point_bytes)}}));
  }

  void Experts(const doc::Experts& experts) {
    const auto number = [](const doc::Count& count) { return count ? FormatInteger(*count) : "?"; };
    const auto bytes = [](const doc::Count& count) { return count ? FormatBytes(*count) : "?"; };
    Add("llm.experts", Say("llm.experts-of", {{"active", number(experts.active)},
                                              {"experts", number(experts.experts)},
                                              {"layers", experts.layers},
                                              {"active_bytes", bytes(experts.active_weight_bytes)},
                                              {"bytes", bytes(experts.weight_bytes)}}));
  }

  void AddPhase(const doc::LlmPhase& phase) {
    std::string value = CountText(phase.macs, "macs", phase.formula, Short, language_) + " MAC";
    value += std::string(Word("word.comma", language_)) +
             CountText(phase.bytes, "bytes", phase.formula, FormatBytes, language_);
    if (!phase.bytes) value += " " + std::string(Word("col.bytes", language_));
    if (phase.intensity)
      value += std::string(Word("word.comma", language_)) + FormatNumber(*phase.intensity, 3) +
               " FLOP/byte";
    std::string bound;
    for (const auto& [symbol, number] : phase.bindings)
      bound += (bound.empty() ? "" : ", ") + symbol + "=" + std::to_string(number);
    const std::string name(Word("phase." + phase.name, language_));
    facts_.push_back({bound.empty() ? name : name + " (" + bound + ")", std::move(value)});
  }

  const doc::Llm& llm_;
  Language language_;
  std::vector<Fact> facts_;
};

}  // namespace

std::vector<Fact> LlmFacts(const doc::Static& part, Language language) {
  if (!part.llm) return {};
  return Facts(*part.llm, language).Run();
}

}  // namespace opscope
