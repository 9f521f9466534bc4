// What the model costs in total: counts, traffic, memory.
#include "document/format.h"
#include "document/messages.h"
#include "report/emit/fact_list.h"
#include "report/emit/facts.h"
#include "report/emit/view.h"

namespace opscope {
namespace {

// "1,235,496 (1.24 M)": all digits, and the short form where that says more.
std::string Both(Int128 value) {
  const std::string digits = FormatInteger(value);
  const std::string brief = FormatCount(value);
  return brief.find(' ') == std::string::npos ? digits : digits + " (" + brief + ")";
}

std::string Operations(const doc::Counts& counts, Language language) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view id, const doc::Count& count) {
    if (count && *count != 0)
      parts.push_back(FormatCount(*count) + " " + std::string(Word(id, language)));
  };
  add("count.bias-adds", counts.bias_adds);
  add("count.elementwise", counts.elementwise);
  add("count.transcendental", counts.transcendental);
  add("count.comparisons", counts.comparisons);
  return Join(parts, " + ");
}

std::string PeakText(const doc::Document& document, Language language) {
  const doc::Memory& memory = document.static_part->totals.memory;
  std::string out =
      CountText(memory.live_peak_bytes, "live_peak_bytes", memory.formula, FormatBytes, language);
  if (memory.live_peak_bytes && memory.live_peak_at)
    out += " " + std::string(Word("word.at", language)) + " " +
           LayerName(document, *memory.live_peak_at);
  for (const auto& [key, why] : memory.because) {
    if (key == "live_peak_bytes")
      out += Phrase("word.in-brackets", {{"text", Render(why, language)}}, language);
  }
  return out;
}

// An arena, or why there is none.
std::string ArenaText(const doc::Memory& memory, std::string_view key, const doc::Count& bytes,
                      Language language) {
  if (bytes) return FormatBytes(*bytes);
  std::string out(Word("word.unknown", language));
  for (const auto& [name, why] : memory.because) {
    if (name == key) out += Phrase("word.in-brackets", {{"text", Render(why, language)}}, language);
  }
  return out;
}

std::string MovedText(std::string_view id, const doc::Count& read, const doc::Count& write,
                      const doc::Count& weights, const std::optional<double>& intensity,
                      Language language) {
  std::string out = Phrase(id, {{"size", FormatBytes(*read + *write + *weights)}}, language);
  if (intensity) out += " (" + FormatNumber(*intensity) + " FLOP/byte)";
  return out;
}

// "as written 53.8 MiB (12.2 FLOP/byte) / after the usual fusions 35.0 MiB (18.8 FLOP/byte)"; empty
// where a part is no number.
std::string TrafficText(const doc::Totals& totals, Language language) {
  const doc::Fused& fused = totals.fused;
  if (!totals.read_bytes || !totals.write_bytes || !totals.weight_bytes) return {};
  if (!fused.read_bytes || !fused.write_bytes || !fused.weight_bytes) return {};
  return MovedText("total.as-written", totals.read_bytes, totals.write_bytes, totals.weight_bytes,
                   totals.intensity, language) +
         " / " +
         MovedText("total.fused", fused.read_bytes, fused.write_bytes, fused.weight_bytes,
                   fused.intensity, language);
}

}  // namespace

Facts TotalFacts(const doc::Totals& totals, Language language) {
  FactList facts(language);
  const auto count = [&](std::string_view id, const doc::Count& value, std::string_view key) {
    facts.Add(id, CountText(value, key, totals.formula, Both, language));
  };
  const auto bytes = [&](std::string_view id, const doc::Count& value, std::string_view key) {
    facts.Add(id, CountText(value, key, totals.formula, FormatBytes, language));
  };
  count("total.macs", totals.counts.macs, "macs");
  count("total.flops", totals.counts.flops, "flops");
  count("total.operations", totals.counts.operations, "operations");
  facts.Add("total.besides", Operations(totals.counts, language));
  count("total.parameters", totals.parameters, "parameters");
  if (totals.statistics && *totals.statistics != 0)
    count("total.statistics", totals.statistics, "statistics");
  if (totals.constants && *totals.constants != 0)
    count("total.constants", totals.constants, "constants");
  bytes("total.read", totals.read_bytes, "read_bytes");
  bytes("total.write", totals.write_bytes, "write_bytes");
  bytes("total.weights", totals.weight_bytes, "weight_bytes");
  facts.Add("total.traffic", TrafficText(totals, language));
  facts.Add("total.bounds", BoundsText(totals));
  if (const std::string* most = Find(totals.at_most, "macs")) facts.Add("total.at-most", *most);
  return facts.Take();
}

Facts MemoryFacts(const doc::Document& document, Language language) {
  FactList facts(language);
  const doc::Totals& totals = document.static_part->totals;
  const doc::Memory& memory = totals.memory;
  facts.Add("mem.peak", PeakText(document, language));
  constexpr std::size_t kLiveShown = 8;
  facts.Add("mem.live", JoinFirst(memory.live_tensors, kLiveShown));
  facts.Add("mem.arena", ArenaText(memory, "arena_bytes", memory.arena_bytes, language));
  if (memory.arena_inplace_bytes)
    facts.Add("mem.arena-inplace", FormatBytes(*memory.arena_inplace_bytes));
  if (const auto& planned = memory.interpreter_arena)
    facts.Add("mem.interpreter", Phrase("mem.interpreter-text",
                                        {{"arena", FormatBytes(planned->bytes)},
                                         {"persistent", FormatBytes(planned->persistent_bytes)},
                                         {"variable", FormatBytes(planned->variable_bytes)}},
                                        language));
  facts.Add("mem.naive",
            CountText(memory.naive_bytes, "naive_bytes", memory.formula, FormatBytes, language));
  facts.Add("mem.activations", CountText(totals.activation_bytes, "activation_bytes",
                                         totals.formula, FormatBytes, language));
  facts.Add("total.parameter-bytes", CountText(totals.parameter_bytes, "parameter_bytes",
                                               totals.formula, FormatBytes, language));
  for (const doc::Run& run : document.runs) {
    if (run.memory) facts.Bytes("mem.process", run.memory->peak_bytes);
  }
  return facts.Take();
}

}  // namespace opscope
