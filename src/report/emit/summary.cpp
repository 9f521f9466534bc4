#include "report/emit/summary.h"

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/facts.h"
#include "report/emit/view.h"

namespace opscope {

std::vector<FittedColumn> SummaryColumns(Language language) {
  const auto title = [language](std::string_view id) { return std::string(Word(id, language)); };
  constexpr int kKept = FittedColumn::kKept;
  return {{title("col.model"), Align::kLeft, kKept, true},
          {title("col.format"), Align::kLeft, 10},
          {title("col.nodes"), Align::kRight, 20},
          {title("col.counted"), Align::kRight, 60},
          {"MAC", Align::kRight, kKept, true},
          {title("col.params"), Align::kRight, 80},
          {title("col.weights"), Align::kRight, 40},
          {title("col.activations"), Align::kRight, 30},
          {title("col.peak"), Align::kRight, 70},
          {title("col.median"), Align::kRight, 90}};
}

std::vector<std::string> SummaryCells(const doc::Document& document, Language language) {
  std::vector<std::string> cells(SummaryColumns(language).size());
  if (document.model) {
    cells[0] = document.model->file;
    cells[1] = FormatLine(*document.model);
  }
  if (document.static_part) {
    const doc::Totals& totals = document.static_part->totals;
    const auto count = [&](const doc::Count& value, std::string_view key,
                           std::string (*show)(Int128)) {
      return CountText(value, key, totals.formula, show, language);
    };
    const auto brief = [](Int128 value) { return FormatCount(value); };
    cells[2] = FormatInteger(totals.nodes);
    cells[3] = totals.complete ? std::string(Word("coverage.all", language))
                               : FormatInteger(totals.counted);
    cells[4] = (totals.complete ? "" : ">= ") + count(totals.counts.macs, "macs", brief);
    cells[5] = count(totals.parameters, "parameters", brief);
    cells[6] = count(totals.parameter_bytes, "parameter_bytes", FormatBytes);
    cells[7] = count(totals.activation_bytes, "activation_bytes", FormatBytes);
    cells[8] = CountText(totals.memory.live_peak_bytes, "live_peak_bytes", totals.memory.formula,
                         FormatBytes, language);
  }
  const View view = MakeView(document);
  if (view.timing != nullptr) cells[9] = FormatTime(*view.timing->latency->median);
  return cells;
}

}  // namespace opscope
