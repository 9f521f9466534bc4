#include "report/emit/convention_table.h"

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/facts.h"

namespace opscope {

namespace {

// A difference with its sign: "+44,455,936"; nothing for none.
std::string Signed(const doc::Count& count, std::string_view key,
                   const doc::Map<std::string>& formulas, Language language) {
  if (count && *count == 0) return {};
  return (count && *count > 0 ? "+" : "") +
         CountText(count, key, formulas, FormatInteger, language);
}

// Why the number or the parameters are missing: each sentence once. That the tool prints no other
// unit goes without saying.
void AddReasons(const doc::ConventionTotals& totals, std::string_view other, Language language,
                std::vector<std::string>& notes) {
  for (const auto& [key, because] : totals.because) {
    std::string sentence = Render(because, language);
    if (key != other && (notes.empty() || notes.back() != sentence))
      notes.push_back(std::move(sentence));
  }
}

}  // namespace

std::optional<ConventionTable> MakeConventionTable(const doc::Document& document,
                                                   std::string_view convention, Language language) {
  if (!document.static_part) return std::nullopt;
  const doc::Totals& exact = document.static_part->totals;
  const doc::ConventionTotals* found = nullptr;
  for (const auto& [name, totals] : exact.by_convention)
    if (name == convention) found = &totals;
  if (found == nullptr) return std::nullopt;

  const bool flops = found->unit == "FLOP";
  const std::string_view key = flops ? "flops" : "macs";
  const auto text = [&](const doc::Count& count, std::string_view of,
                        const doc::Map<std::string>& formulas) {
    return CountText(count, of, formulas, FormatInteger, language);
  };
  ConventionTable table;
  table.unit = found->unit;
  table.rows.push_back({std::string(Word("convention.exact", language)),
                        text(flops ? exact.counts.flops : exact.counts.macs, key, exact.formula),
                        text(exact.parameters, "parameters", exact.formula), ""});
  for (const doc::ConventionDifference& row : found->differences)
    table.rows.push_back({row.group, Signed(row.amount, "amount", row.formula, language),
                          Signed(row.params, "params", row.formula, language),
                          Render(row.because, language)});
  table.rows.push_back(
      {Phrase("convention.would-print", {{"tool", std::string(convention)}}, language),
       text(flops ? found->flops : found->macs, key, found->formula),
       text(found->params, "params", found->formula), ""});
  if (flops && found->macs) table.notes.push_back("MAC: " + FormatInteger(*found->macs));
  AddReasons(*found, flops ? "macs" : "flops", language, table.notes);
  if (found->note) table.notes.push_back(Render(*found->note, language));
  return table;
}

}  // namespace opscope
