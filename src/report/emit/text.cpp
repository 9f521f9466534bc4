#include "report/emit/text.h"

#include <algorithm>

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/columns.h"
#include "report/emit/comparison.h"
#include "report/emit/convention_table.h"
#include "report/emit/facts.h"
#include "report/emit/llm_facts.h"
#include "report/emit/screen.h"
#include "report/emit/summary.h"
#include "report/emit/timeline_tables.h"
#include "report/emit/view.h"

namespace opscope {
namespace {

constexpr std::size_t kTypesShown = 8;
constexpr std::size_t kQualityShown = 5;
constexpr std::size_t kBarWidth = 8;

std::string Bar(double share, double largest) {
  if (largest <= 0 || share <= 0) return {};
  const double length = std::min(1.0, share / largest) * static_cast<double>(kBarWidth);
  return std::string(static_cast<std::size_t>(length + 0.5), '#');
}

std::string JoinNonEmpty(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// "rec.onnx  onnx opset 11, x 1x3x48x320" and what it ran on.
void PrintTitle(const doc::Document& document, const View& view, Screen& screen) {
  std::string left;
  if (document.model) {
    left = document.model->file + "  " +
           JoinNonEmpty({FormatLine(*document.model), InputsLine(document)}, ", ");
  } else if (view.profile != nullptr) {
    const doc::Run& run = *view.profile;
    left = JoinNonEmpty({run.file.value_or(""), run.format.value_or("")}, "  ");
  }
  std::string right = EngineLine(document, screen.language());
  if (right.empty() && view.profile != nullptr && view.profile->producer) {
    const doc::Producer& producer = *view.profile->producer;
    right = JoinNonEmpty({producer.name, producer.version.value_or("")}, " ");
  }
  screen.Spread(left, right, Style::kBold);
  if (document.assumptions.empty()) return;
  std::vector<std::string> assumed;
  for (const doc::Text& text : document.assumptions)
    assumed.push_back(Render(text, screen.language()));
  screen.Line(screen.Word("line.assumed") + JoinNonEmpty(assumed, screen.Word("word.semicolon")));
}

// "median 24.12 ms (95 % CI 24.05 .. 24.22), 20 runs, stable".
std::string LatencyLine(const doc::Run& run, const Screen& screen) {
  const doc::Latency& latency = *run.latency;
  std::string out = screen.Phrase("line.median", {{"median", *latency.median}});
  if (latency.ci95) {
    const TimeUnit unit = TimeUnitFor(*latency.median);
    out += screen.Phrase("line.ci", {{"low", TimeIn(unit, (*latency.ci95)[0])},
                                     {"high", TimeIn(unit, (*latency.ci95)[1])}});
  }
  if (run.iterations) {
    const bool one = run.iterations->used == 1;
    out += screen.Word("word.comma") +
           screen.Phrase(one ? "line.run" : "line.runs", {{"n", run.iterations->used}});
  }
  if (latency.stable.value_or(false))
    out += screen.Word("word.comma") + screen.Word("stability.stable");
  return out;
}

std::string SizeLine(const doc::Document& document, const Screen& screen) {
  if (!document.static_part) return {};
  const doc::Totals& totals = document.static_part->totals;
  std::vector<std::string> parts;
  if (totals.counts.macs)
    parts.push_back((totals.complete ? "" : ">= ") + FormatCount(*totals.counts.macs, "MAC"));
  if (totals.parameters)
    parts.push_back(screen.Phrase("line.params", {{"n", FormatCount(*totals.parameters)}}));
  if (totals.memory.live_peak_bytes)
    parts.push_back(
        screen.Phrase("line.peak", {{"size", FormatBytes(*totals.memory.live_peak_bytes)}}));
  return JoinNonEmpty(parts, "  ");
}

// "layers 23.16 + runtime 0.85 + gaps 0.59 = 24.60 ms wall".
std::string BalanceLine(const Balance& balance, const Screen& screen) {
  const TimeUnit unit = TimeUnitFor(balance.wall * balance.unit_ns);
  std::vector<std::string> parts;
  const auto add = [&](std::string_view id, std::int64_t value, bool always) {
    if (always || value != 0)
      parts.push_back(screen.Word(id) + " " + TimeIn(unit, value * balance.unit_ns));
  };
  add("balance.layers", balance.layers, true);
  add("balance.runtime", balance.runtime, true);
  add("balance.unmatched", balance.unmatched, false);
  add("balance.gaps", balance.gap, true);
  return JoinNonEmpty(parts, " + ") + " = " + TimeIn(unit, balance.wall * balance.unit_ns) + " " +
         std::string(unit.name) + " " + screen.Word("balance.wall");
}

void PrintBalance(const View& view, Screen& screen) {
  if (view.profile == nullptr) return;
  const doc::Run& run = *view.profile;
  const std::string placed = PlacedLine(run, screen.language());
  if (view.balance) {
    std::string head = screen.Word(run.role == "imported" ? "line.imported" : "line.profiled");
    if (run.profiling_overhead) head += " (" + FormatChange(*run.profiling_overhead) + ")";
    screen.Spread(head + screen.Word("word.colon") + BalanceLine(*view.balance, screen), placed);
  } else if (run.reconciliation && RowsNs(*run.reconciliation) > 0) {
    const doc::Reconciliation& sums = *run.reconciliation;
    std::string line =
        view.iterations == 1
            ? screen.Phrase("line.sum-of-rows", {{"sum", RowsNs(sums)}})
            : screen.Phrase("line.mean-of-rows",
                            {{"mean", RowsNs(sums) / view.iterations}, {"n", view.iterations}});
    if (sums.because) line += " (" + Render(*sums.because, screen.language()) + ")";
    screen.Spread(line, placed);
  }
}

void PrintVerdict(const doc::Document& document, const View& view, Screen& screen) {
  if (view.timing != nullptr) {
    screen.Spread(LatencyLine(*view.timing, screen), SizeLine(document, screen), Style::kBold);
    if (!view.timing->latency->stable.value_or(false))
      screen.Line(StabilityLine(*view.timing, screen.language()), Style::kWarning);
  }
  PrintBalance(view, screen);
  if (document.static_part) {
    const doc::Totals& totals = document.static_part->totals;
    screen.Line(
        screen.Phrase("line.counted", {{"coverage", CoverageLine(totals, screen.language())}}),
        totals.complete ? Style::kFaint : Style::kWarning);
  }
}

bool HasRoof(const std::vector<HotRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const HotRow& row) {
    return row.joined != nullptr && row.joined->roof_share.has_value();
  });
}

std::vector<FittedColumn> HotColumns(const View& view, const Screen& screen) {
  const bool layers = !view.by_layer.empty();
  const int no = -1;
  const bool roof = HasRoof(view.rows);
  std::vector<FittedColumn> columns = {
      {screen.Word(layers ? "col.layer" : "col.row"), Align::kLeft, FittedColumn::kKept, true},
      {screen.Word("col.op"), Align::kLeft, FittedColumn::kKept, true},
      {screen.Word(layers ? "col.median" : "col.mean"), Align::kRight, FittedColumn::kKept},
      {screen.Word("col.share"), Align::kRight, FittedColumn::kKept},
      {screen.Word("col.cumulative"), Align::kRight, 10},
      {"MAC", Align::kRight, layers ? 30 : no},
      {"GFLOP/s", Align::kRight, layers ? 20 : no},
      {"GB/s", Align::kRight, layers ? 15 : no},
      {screen.Word("col.calls"), Align::kRight, layers ? no : 20},
      {screen.Word("col.of-roof"), Align::kRight, roof ? 40 : no},
      {screen.Word("col.bound"), Align::kLeft, roof ? 41 : no},
      {"", Align::kLeft, screen.options().bars ? 5 : no}};
  return columns;
}

// The same columns in the same order as HotColumns.
std::vector<std::string> HotCells(const HotRow& row, const TimeUnit& unit, double cumulative,
                                  double largest, const Screen& screen) {
  const std::string time = row.time_ns ? (row.estimated ? "~" : "") + TimeIn(unit, *row.time_ns) +
                                             " " + std::string(unit.name)
                                       : "";
  const doc::Joined* joined = row.joined;
  return {screen.Safe(row.shown_name()),
          screen.Safe(row.op),
          time,
          row.share ? FormatPercent(*row.share) : "",
          row.share ? FormatPercent(cumulative) : "",
          screen.Safe(MacsText(row)),
          joined != nullptr ? RateText(joined->gflops_per_s) : "",
          joined != nullptr ? RateText(joined->gbytes_per_s) : "",
          row.event != nullptr ? FormatInteger(row.event->calls) : "",
          joined != nullptr && joined->roof_share ? FormatPercent(*joined->roof_share, 0) : "",
          joined != nullptr ? BoundName(joined->bound, screen.language()) : "",
          Bar(row.share.value_or(0), largest)};
}

// Keeps the columns whose importance is not negative, and the same cells of each row.
FittedTable Kept(std::vector<FittedColumn> columns, std::vector<std::vector<std::string>> rows) {
  std::vector<FittedColumn> kept;
  for (const FittedColumn& column : columns) {
    if (column.importance >= 0) kept.push_back(column);
  }
  FittedTable table(std::move(kept));
  for (std::vector<std::string>& row : rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns[i].importance >= 0) cells.push_back(std::move(row[i]));
    }
    table.AddRow(std::move(cells));
  }
  return table;
}

// Without the columns in which no row has anything.
FittedTable WithoutEmpty(std::vector<FittedColumn> columns,
                         std::vector<std::vector<std::string>> rows) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!rows.empty() &&
        std::all_of(rows.begin(), rows.end(), [i](const auto& row) { return row[i].empty(); }))
      columns[i].importance = -1;
  return Kept(std::move(columns), std::move(rows));
}

void PrintHotRows(const View& view, Screen& screen) {
  std::vector<std::vector<std::string>> rows;
  std::int64_t largest_ns = 0;
  for (const HotRow& row : view.rows) largest_ns = std::max(largest_ns, row.time_ns.value_or(0));
  const TimeUnit unit = TimeUnitFor(largest_ns, 4);
  const double largest = view.rows.front().share.value_or(0);
  double cumulative = 0;
  bool estimated = false;
  for (const HotRow& row : view.rows) {
    if (rows.size() == screen.options().top || (!row.time_ns && row.event == nullptr)) break;
    cumulative += row.share.value_or(0);
    estimated = estimated || row.estimated;
    rows.push_back(HotCells(row, unit, cumulative, largest, screen));
  }
  const std::size_t left_out = view.rows.size() - rows.size();
  screen.Blank();
  screen.Table(Kept(HotColumns(view, screen), std::move(rows)));
  const std::string more =
      left_out > 0 ? screen.Phrase("line.more-rows", {{"n", static_cast<std::int64_t>(left_out)}})
                   : "";
  const std::string note = estimated ? screen.Word("line.estimated") : "";
  screen.Line(JoinNonEmpty({more, note}, screen.Word("word.semicolon")), Style::kFaint);
}

void PrintTypes(const View& view, Screen& screen) {
  const std::int64_t iterations = view.iterations;
  std::int64_t largest_ns = 0;
  double largest = 0;
  const std::vector<TypeSlice> types = TopTypes(view, kTypesShown);
  if (types.empty()) return;
  for (const TypeSlice& slice : types) {
    largest_ns = std::max(largest_ns, slice.wall_ns / iterations);
    largest = std::max(largest, slice.share);
  }
  const TimeUnit unit = TimeUnitFor(largest_ns);
  const int no = -1;
  const std::vector<FittedColumn> columns = {
      {screen.Word("col.op-type"), Align::kLeft, FittedColumn::kKept, true},
      {screen.Word(view.by_layer.empty() ? "col.rows" : "col.count"), Align::kRight, 50},
      {screen.Word("col.mean"), Align::kRight, view.measured ? 60 : no},
      {screen.Word("col.share"), Align::kRight, 70},
      {"MAC", Align::kRight, view.by_layer.empty() ? no : 10},
      {"", Align::kLeft, screen.options().bars ? 5 : no}};
  std::vector<std::vector<std::string>> rows;
  for (const TypeSlice& slice : types)
    rows.push_back({screen.Safe(SliceName(slice, screen.language())),
                    slice.count > 0 ? FormatInteger(slice.count) : "",
                    TimeIn(unit, slice.wall_ns / iterations) + " " + std::string(unit.name),
                    FormatPercent(slice.share), slice.macs != 0 ? FormatCount(slice.macs) : "",
                    Bar(slice.share, largest)});
  screen.Blank();
  screen.Table(Kept(columns, std::move(rows)));
}

void PrintFacts(const std::vector<Fact>& facts, Screen& screen) {
  std::size_t widest = 0;
  for (const Fact& fact : facts) widest = std::max(widest, DisplayWidth(fact.label));
  for (const Fact& fact : facts) {
    const std::string pad(widest - DisplayWidth(fact.label) + 2, ' ');
    std::string line = screen.Safe(fact.label) + pad + screen.Safe(fact.value);
    if (!screen.options().wide) line = CutMiddle(line, screen.options().width);
    screen.Line(line);
  }
}

// Nothing was measured: what the model costs.
void PrintStatic(const doc::Document& document, const View& view, Screen& screen) {
  screen.Blank();
  std::vector<Fact> facts = TotalFacts(document.static_part->totals, screen.language());
  for (Fact& fact : MemoryFacts(document, screen.language())) facts.push_back(std::move(fact));
  for (Fact& fact : LlmFacts(*document.static_part, screen.language()))
    facts.push_back(std::move(fact));
  PrintFacts(facts, screen);
  FittedTable table({{screen.Word("col.layer"), Align::kLeft, FittedColumn::kKept, true},
                     {screen.Word("col.op"), Align::kLeft, FittedColumn::kKept, true},
                     {screen.Word("col.output"), Align::kLeft, 30, true},
                     {"MAC", Align::kRight, FittedColumn::kKept, true},
                     {screen.Word("col.share"), Align::kRight, 40},
                     {screen.Word("col.params"), Align::kRight, 20},
                     {"", Align::kLeft, 5}});
  const double largest = view.rows.front().share.value_or(0);
  std::size_t shown = 0;
  for (const HotRow& row : view.rows) {
    if (shown == screen.options().top) break;
    ++shown;
    const doc::Layer& layer = *row.layer;
    table.AddRow({screen.Safe(row.shown_name()), screen.Safe(row.op), screen.Safe(OutputText(row)),
                  screen.Safe(MacsText(row)), row.share ? FormatPercent(*row.share) : "",
                  layer.parameters ? FormatCount(*layer.parameters) : "?",
                  screen.options().bars ? Bar(row.share.value_or(0), largest) : ""});
  }
  screen.Blank();
  screen.Table(std::move(table));
  const auto left_out = static_cast<std::int64_t>(view.rows.size() - shown);
  if (left_out > 0) screen.Line(screen.Phrase("line.more-rows", {{"n", left_out}}), Style::kFaint);
}

void PrintTimeline(const View& view, Screen& screen) {
  if (view.profile == nullptr || !view.profile->timeline) return;
  constexpr std::size_t kRows = 6;
  for (ShownTable& shown : TimelineTables(*view.profile->timeline, kRows, screen.language())) {
    FittedTable table(std::move(shown.columns));
    for (std::vector<std::string>& row : shown.rows) {
      for (std::string& cell : row) cell = screen.Safe(cell);
      table.AddRow(std::move(row));
    }
    screen.Blank();
    screen.Line(screen.Word(shown.heading) + screen.Word("word.colon"), Style::kBold);
    screen.Table(std::move(table));
  }
}

// What another tool would print, where that was asked for.
void PrintConvention(const doc::Document& document, Screen& screen) {
  const auto shown = MakeConventionTable(document, screen.options().convention, screen.language());
  if (!shown) return;
  FittedTable table({{"", Align::kLeft, FittedColumn::kKept},
                     {shown->unit, Align::kRight, FittedColumn::kKept},
                     {screen.Word("col.params"), Align::kRight, FittedColumn::kKept},
                     {screen.Word("col.why"), Align::kLeft, 50, true}});
  for (std::vector<std::string> cells : shown->rows) {
    for (std::string& cell : cells) cell = screen.Safe(cell);
    table.AddRow(std::move(cells));
  }
  screen.Blank();
  screen.Table(std::move(table));
  for (const std::string& note : shown->notes) screen.Line(note, Style::kFaint);
}

void PrintTrust(const doc::Document& document, const View& view, Screen& screen) {
  std::vector<std::string> lines = QualityLines(document, screen.language());
  if (view.profile != nullptr) {
    for (const doc::Text& note : view.profile->notes)
      lines.push_back(Render(note, screen.language()));
  }
  if (lines.empty()) return;
  screen.Blank();
  for (std::size_t i = 0; i < std::min(lines.size(), kQualityShown); ++i) screen.Line(lines[i]);
  const auto more = static_cast<std::int64_t>(lines.size() - std::min(lines.size(), kQualityShown));
  if (more > 0) screen.Line(screen.Phrase("word.more", {{"n", more}}));
}

// A word of a command line, quoted for a shell; nullopt when its bytes cannot be shown as they are.
std::optional<std::string> ShellWord(std::string_view text) {
  if (text.empty() || Printable(text) != text || text.front() == '-') return std::nullopt;
  constexpr std::string_view kPlainCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-@%,=";
  if (text.find_first_not_of(kPlainCharacters) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void PrintNext(const doc::Document& document, const View& view, Screen& screen) {
  std::string written;
  for (const std::string& file : screen.options().written)
    written += (written.empty() ? "" : " ") + file;
  if (!written.empty()) written = screen.Word("line.written") + written;
  std::string next;
  if (document.model && !view.rows.empty()) {
    const auto file = ShellWord(document.model->file);
    const auto layer = ShellWord(view.rows.front().name);
    if (file && layer) next = screen.Word("line.next") + "opscope explain " + *file + " " + *layer;
  }
  if (written.empty() && next.empty()) return;
  screen.Blank();
  screen.Spread(written, next);
}

// Two models: the answer, what differs in their settings, then the tables.
void PrintComparison(const doc::Comparison& comparison, Screen& screen) {
  screen.Line(comparison.a + " -> " + comparison.b, Style::kBold);
  screen.Line(ComparisonVerdict(comparison, screen.language()), Style::kBold);
  for (const std::string& line : ComparisonSettings(comparison, screen.language()))
    screen.Line(line, Style::kWarning);
  for (ShownTable& shown :
       ComparisonTables(comparison, screen.options().top, false, screen.language())) {
    for (std::vector<std::string>& row : shown.rows)
      for (std::string& cell : row) cell = screen.Safe(cell);
    screen.Blank();
    screen.Table(WithoutEmpty(std::move(shown.columns), std::move(shown.rows)));
    if (shown.left_out > 0)
      screen.Line(screen.Phrase("line.more-rows", {{"n", shown.left_out}}), Style::kFaint);
  }
  screen.Blank();
  screen.Line(screen.Word("compare.note"), Style::kFaint);
}

void PrintDocument(const doc::Document& document, const EmitOptions& options, Sink& sink) {
  Screen screen(options, sink);
  const View view = MakeView(document);
  if (document.comparison) {
    PrintComparison(*document.comparison, screen);
  } else {
    PrintTitle(document, view, screen);
    PrintVerdict(document, view, screen);
  }
  if (view.measured && !view.rows.empty()) {
    PrintHotRows(view, screen);
    PrintTypes(view, screen);
  } else if (!view.rows.empty()) {
    PrintStatic(document, view, screen);
    PrintTypes(view, screen);
  }
  PrintTimeline(view, screen);
  PrintConvention(document, screen);
  PrintTrust(document, view, screen);
  PrintNext(document, view, screen);
}

}  // namespace

Result<void> EmitText(const doc::Document& document, const EmitOptions& options, Sink& sink) {
  PrintDocument(document, options, sink);
  return {};
}

Result<void> EmitTextAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink) {
  Screen screen(options, sink);
  std::vector<std::vector<std::string>> rows;
  for (const doc::Document& document : reports.reports) {
    rows.push_back(SummaryCells(document, screen.language()));
    for (std::string& cell : rows.back()) cell = screen.Safe(cell);
  }
  screen.Table(WithoutEmpty(SummaryColumns(screen.language()), std::move(rows)));
  for (const doc::Failure& failure : reports.failed)
    screen.Line(screen.Phrase("line.failed", {{"file", failure.file}, {"why", failure.message}}));
  return {};
}

}  // namespace opscope
