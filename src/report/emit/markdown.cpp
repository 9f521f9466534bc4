#include "report/emit/markdown.h"

#include "base/text.h"
#include "document/format.h"
#include "document/messages.h"
#include "report/emit/comparison.h"
#include "report/emit/convention_table.h"
#include "report/emit/facts.h"
#include "report/emit/llm_facts.h"
#include "report/emit/summary.h"
#include "report/emit/timeline_tables.h"
#include "report/emit/view.h"

namespace opscope {
namespace {

constexpr std::size_t kWidestCell = 160;

// A name or sentence that Markdown and the HTML inside it leave alone.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]#|!~@$").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

class Markdown {
 public:
  Markdown(const EmitOptions& options, Sink& sink) : options_(options), sink_(sink) {}

  const EmitOptions& options() const { return options_; }
  Language language() const { return options_.language; }
  std::string Word(std::string_view id) const { return std::string(opscope::Word(id, language())); }

  void Heading(int level, std::string_view text) {
    sink_.Append(std::string(static_cast<std::size_t>(level), '#') + " " + Escaped(text) + "\n\n");
  }
  void Paragraph(std::string_view text) { sink_.Append(Escaped(text) + "\n\n"); }
  void Item(std::string_view text) { sink_.Append("- " + Escaped(text) + "\n"); }
  void EndList() { sink_.Append('\n'); }
  void Header(const std::vector<FittedColumn>& columns) {
    std::string titles = "|";
    std::string rule = "|";
    for (const FittedColumn& column : columns) {
      titles += " " + Escaped(column.title) + " |";
      rule += column.align == Align::kRight ? " ---: |" : " --- |";
    }
    sink_.Append(titles + "\n" + rule + "\n");
  }
  void Row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells)
      line += " " + Escaped(CutMiddle(Printable(cell), kWidestCell)) + " |";
    sink_.Append(line + "\n");
  }
  void EndTable() { sink_.Append('\n'); }

 private:
  const EmitOptions& options_;
  Sink& sink_;
};

void FactTable(const std::vector<Fact>& facts, std::string_view title, Markdown& out) {
  if (facts.empty()) return;
  out.Header({{std::string(title)}, {"", Align::kRight}});
  for (const Fact& fact : facts) out.Row({fact.label, fact.value});
  out.EndTable();
}

void Balance(const View& view, Markdown& out) {
  if (!view.balance) return;
  const opscope::Balance& balance = *view.balance;
  const TimeUnit unit = TimeUnitFor(balance.wall * balance.unit_ns);
  const auto time = [&](std::int64_t value) {
    return TimeIn(unit, value * balance.unit_ns) + " " + std::string(unit.name);
  };
  out.Header({{out.Word("head.balance")},
              {out.Word("col.mean"), Align::kRight},
              {out.Word("col.share"), Align::kRight}});
  out.Row({out.Word("balance.layers"), time(balance.layers), FormatPercent(balance.layers_share)});
  out.Row(
      {out.Word("balance.runtime"), time(balance.runtime), FormatPercent(balance.runtime_share)});
  out.Row({out.Word("balance.unmatched"), time(balance.unmatched),
           FormatPercent(balance.unmatched_share)});
  out.Row({out.Word("balance.gaps"), time(balance.gap), FormatPercent(balance.gap_share)});
  out.Row({out.Word("balance.wall"), time(balance.wall), FormatPercent(1)});
  out.EndTable();
}

void HotRows(const View& view, Markdown& out) {
  if (view.rows.empty()) return;
  out.Header({{out.Word(view.by_layer.empty() ? "col.row" : "col.layer")},
              {out.Word("col.op")},
              {out.Word("col.output")},
              {out.Word(view.by_layer.empty() ? "col.mean" : "col.median"), Align::kRight},
              {out.Word("col.share"), Align::kRight},
              {"MAC", Align::kRight},
              {"GFLOP/s", Align::kRight}});
  std::size_t shown = 0;
  for (const HotRow& row : view.rows) {
    if (shown == out.options().top) break;
    ++shown;
    out.Row({std::string(row.shown_name()), std::string(row.op), OutputText(row),
             row.time_ns ? (row.estimated ? "~" : "") + FormatTime(*row.time_ns) : "",
             row.share ? FormatPercent(*row.share) : "", MacsText(row),
             row.joined != nullptr ? RateText(row.joined->gflops_per_s) : ""});
  }
  out.EndTable();
  const auto left_out = static_cast<std::int64_t>(view.rows.size() - shown);
  if (left_out > 0) out.Paragraph(Phrase("line.more-rows", {{"n", left_out}}, out.language()));
}

void Types(const View& view, Markdown& out) {
  const std::vector<TypeSlice> types = TopTypes(view, out.options().top);
  if (types.empty()) return;
  const std::int64_t iterations = view.iterations;
  out.Header({{out.Word("col.op-type")},
              {out.Word("col.count"), Align::kRight},
              {out.Word("col.mean"), Align::kRight},
              {out.Word("col.share"), Align::kRight},
              {"MAC", Align::kRight}});
  for (const TypeSlice& slice : types) {
    out.Row({SliceName(slice, out.language()), slice.count > 0 ? FormatInteger(slice.count) : "",
             view.measured ? FormatTime(slice.wall_ns / iterations) : "",
             FormatPercent(slice.share), slice.macs != 0 ? FormatCount(slice.macs) : ""});
  }
  out.EndTable();
}

void Timelines(const View& view, Markdown& out) {
  if (view.profile == nullptr || !view.profile->timeline) return;
  for (const ShownTable& table :
       TimelineTables(*view.profile->timeline, out.options().top, out.language())) {
    out.Heading(2, out.Word(table.heading));
    out.Header(table.columns);
    for (const std::vector<std::string>& row : table.rows) out.Row(row);
    out.EndTable();
  }
}

void Convention(const doc::Document& document, Markdown& out) {
  const auto shown = MakeConventionTable(document, out.options().convention, out.language());
  if (!shown) return;
  out.Header({{out.options().convention},
              {shown->unit, Align::kRight},
              {out.Word("col.params"), Align::kRight},
              {out.Word("col.why")}});
  for (const std::vector<std::string>& cells : shown->rows) out.Row(cells);
  out.EndTable();
  for (const std::string& note : shown->notes) out.Paragraph(note);
}

void Comparison(const doc::Comparison& comparison, Markdown& out) {
  out.Heading(1, comparison.a + " -> " + comparison.b);
  out.Paragraph(ComparisonVerdict(comparison, out.language()));
  const std::vector<std::string> settings = ComparisonSettings(comparison, out.language());
  for (const std::string& line : settings) out.Item(line);
  if (!settings.empty()) out.EndList();
  for (const ShownTable& table :
       ComparisonTables(comparison, out.options().top, true, out.language())) {
    out.Header(table.columns);
    for (const std::vector<std::string>& row : table.rows) out.Row(row);
    out.EndTable();
    if (table.left_out > 0)
      out.Paragraph(Phrase("line.more-rows", {{"n", table.left_out}}, out.language()));
  }
  out.Paragraph(out.Word("compare.note"));
}

void Quality(const doc::Document& document, Markdown& out) {
  const std::vector<std::string> quality = QualityLines(document, out.language());
  for (const std::string& line : quality) out.Item(line);
  if (!quality.empty()) out.EndList();
}

void Emit(const doc::Document& document, Markdown& out) {
  if (document.comparison) {
    Comparison(*document.comparison, out);
    return Quality(document, out);
  }
  const View view = MakeView(document);
  const std::string file = document.model                       ? document.model->file
                           : view.profile && view.profile->file ? *view.profile->file
                                                                : "opscope";
  out.Heading(1, file);
  if (document.model) out.Paragraph(FormatLine(*document.model) + ", " + InputsLine(document));
  for (const doc::Text& text : document.assumptions)
    out.Paragraph(out.Word("line.assumed") + Render(text, out.language()));
  if (view.timing != nullptr)
    FactTable(LatencyFacts(*view.timing, out.language()), out.Word("head.latency"), out);
  FactTable(ConditionFacts(document, out.language()), out.Word("head.conditions"), out);
  Balance(view, out);
  HotRows(view, out);
  Types(view, out);
  Timelines(view, out);
  if (document.static_part) {
    const doc::Totals& totals = document.static_part->totals;
    FactTable(TotalFacts(totals, out.language()), out.Word("head.totals"), out);
    FactTable(MemoryFacts(document, out.language()), out.Word("head.memory"), out);
    FactTable(LlmFacts(*document.static_part, out.language()), out.Word("head.llm"), out);
    out.Paragraph(Phrase("line.counted", {{"coverage", CoverageLine(totals, out.language())}},
                         out.language()));
  }
  Convention(document, out);
  Quality(document, out);
}

}  // namespace

Result<void> EmitMarkdown(const doc::Document& document, const EmitOptions& options, Sink& sink) {
  Markdown out(options, sink);
  Emit(document, out);
  return {};
}

Result<void> EmitMarkdownAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink) {
  Markdown out(options, sink);
  out.Header(SummaryColumns(options.language));
  for (const doc::Document& document : reports.reports)
    out.Row(SummaryCells(document, options.language));
  out.EndTable();
  for (const doc::Failure& failure : reports.failed)
    out.Item(Phrase("line.failed", {{"file", failure.file}, {"why", failure.message}},
                    options.language));
  return {};
}

}  // namespace opscope
