#include "report/emit/html_sections.h"

#include <algorithm>

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/html_charts.h"
#include "report/emit/html_style.h"
#include "report/emit/llm_facts.h"

namespace opscope {
namespace {

constexpr Language kEn = Language::kEnglish;
constexpr Language kZh = Language::kChinese;

std::string Cell(std::string_view text) { return "<td class=n>" + HtmlEscaped(text); }

std::string Head(std::string_view id, bool number = false) {
  return std::string(number ? "<th class=n scope=col>" : "<th scope=col>") + HtmlWord(id);
}

std::string Card(std::string_view id, const std::string& value, const std::string& note = {}) {
  return "<div class=card><small>" + HtmlWord(id) + "</small><b>" + HtmlEscaped(value) + "</b>" +
         (note.empty() ? "" : "<small>" + note + "</small>") + "</div>\n";
}

// "median 2.541 ms", its interval, how many runs, whether it can be trusted.
void LatencyCard(const doc::Run& run, HtmlPage& page) {
  const doc::Latency& latency = *run.latency;
  std::string note;
  if (latency.ci95)
    note += HtmlWord("latency.ci") + " " + FormatTime((*latency.ci95)[0]) + " .. " +
            FormatTime((*latency.ci95)[1]) + "<br>";
  if (run.iterations) {
    const bool one = run.iterations->used == 1;
    note += HtmlPhrase(one ? "line.run" : "line.runs", {{"n", run.iterations->used}}) + " ";
  }
  const bool stable = latency.stable.value_or(false);
  note += std::string("<span class=\"tag ") + (stable ? "good" : "warn") + "\">" +
          HtmlBoth(StabilityLine(run, kEn), StabilityLine(run, kZh)) + "</span>";
  page.Raw("<div class=\"card big\"><small>" + HtmlWord("head.verdict") + "</small><b>" +
           FormatTime(*latency.median) + "</b><small>" + note + "</small></div>\n");
  if (latency.throughput_per_s)
    page.Raw(Card("latency.throughput", FormatNumber(*latency.throughput_per_s) + " /s"));
}

void CostCards(const doc::Document& document, HtmlPage& page) {
  const doc::Totals& totals = document.static_part->totals;
  const auto mac = [](Int128 value) { return FormatCount(value, "MAC"); };
  const auto count = [](Int128 value) { return FormatCount(value); };
  page.Raw(Card("total.macs",
                (totals.complete ? "" : ">= ") +
                    CountText(totals.counts.macs, "macs", totals.formula, mac, kEn),
                HtmlBoth(CoverageLine(totals, kEn), CoverageLine(totals, kZh))));
  page.Raw(Card("total.parameters",
                CountText(totals.parameters, "parameters", totals.formula, count, kEn),
                HtmlEscaped(CountText(totals.parameter_bytes, "parameter_bytes", totals.formula,
                                      FormatBytes, kEn))));
  page.Raw(Card("mem.peak", CountText(totals.memory.live_peak_bytes, "live_peak_bytes",
                                      totals.memory.formula, FormatBytes, kEn)));
}

// One line of the balance: mark, name, time, share, what it is.
std::string BalanceRow(std::string_view css, std::string_view id, const std::string& time,
                       double share) {
  return "<tr><td><span class=\"key " + std::string(css) + "\"></span>" +
         HtmlWord("balance." + std::string(id)) + Cell(time) + Cell(FormatPercent(share)) +
         "<td class=soft>" + HtmlWord("gloss." + std::string(id)) + "\n";
}

// What a layer was run as, where that is not its own name.
std::string RanAs(const HotRow& row) {
  if (row.ran_as == nullptr || row.ran_as->name == row.name) return {};
  return "<br><span class=soft>" + HtmlEscaped(row.ran_as->name) + "</span>";
}

std::string TimeText(const HotRow& row, const TimeUnit& unit) {
  if (!row.time_ns) return {};
  return (row.estimated ? "~" : "") + TimeIn(unit, *row.time_ns) + " " + std::string(unit.name);
}

std::string Rate(const HotRow& row, std::optional<double> doc::Joined::*rate) {
  return row.joined != nullptr ? RateText(row.joined->*rate) : "";
}

TimeUnit UnitOf(const View& view) {
  std::int64_t largest = 0;
  for (const HotRow& row : view.rows) largest = std::max(largest, row.time_ns.value_or(0));
  return TimeUnitFor(largest);
}

double LargestShare(const std::vector<HotRow>& rows) {
  double largest = 0;
  for (const HotRow& row : rows) largest = std::max(largest, row.share.value_or(0));
  return largest;
}

std::string SliceClass(const TypeSlice& slice, std::size_t op_number) {
  switch (slice.kind) {
    case SliceKind::kOp:
    case SliceKind::kOther:
      return "c" + std::to_string(std::min<std::size_t>(op_number, kTypeColours));
    case SliceKind::kRuntime:
      return "cr";
    case SliceKind::kUnmatched:
      return "cm";
    case SliceKind::kGap:
      break;
  }
  return "cg";
}

// A class and a mark for each; ops beyond the colours share the last one.
std::vector<PieSlice> Slices(const std::vector<TypeSlice>& types) {
  std::vector<PieSlice> slices;
  for (const TypeSlice& slice : types)
    slices.push_back(
        {SliceClass(slice, slices.size()), std::to_string(slices.size() + 1), slice.share});
  return slices;
}

// What stands instead of a time: "folded", "not run" …
std::string StateCell(const HotRow& row) {
  if (row.joined == nullptr) return "<td class=\"n no\">" + HtmlWord("state.unknown");
  for (const std::string_view state : {"folded", "not-run"}) {
    if (row.joined->state == state)
      return "<td class=\"n no\">" + HtmlWord("state." + std::string(state));
  }
  return "<td class=\"n no\">" + HtmlWord("state.unknown");
}

struct LayerScale {
  TimeUnit unit;
  double largest = 0;
  bool measured = false;
};

std::string HeatCell(const HotRow& row, const LayerScale& scale) {
  if (scale.measured && !row.time_ns) return StateCell(row);
  const std::string text = scale.measured ? TimeText(row, scale.unit) : MacsText(row);
  if (!row.share) return (text == "?" ? "<td class=\"n no\">" : "<td class=n>") + HtmlEscaped(text);
  return "<td class=\"n h" + std::to_string(HeatStep(row.share.value_or(0), scale.largest)) +
         "\">" + HtmlEscaped(text);
}

std::string Short(const doc::Count& count, std::string (*show)(Int128)) {
  return count ? show(*count) : "?";
}

std::string LayerRow(const HotRow& row, const LayerScale& scale) {
  const doc::Layer& layer = *row.layer;
  const auto count = [](Int128 value) { return FormatCount(value); };
  std::string out = "<tr><td class=n>" + std::to_string(layer.id) + "<td class=w>" +
                    HtmlEscaped(row.shown_name()) + RanAs(row) + "<td>" + HtmlEscaped(layer.op) +
                    HeatCell(row, scale) + Cell(row.share ? FormatPercent(*row.share) : "");
  if (scale.measured)
    out += Cell(MacsText(row)) + Cell(Rate(row, &doc::Joined::gflops_per_s)) +
           Cell(Rate(row, &doc::Joined::gbytes_per_s));
  out += Cell(Short(layer.parameters, count)) + Cell(Short(layer.weight_bytes, FormatBytes)) +
         Cell(Short(layer.write_bytes, FormatBytes)) + "<td>" + HtmlEscaped(OutputText(row));
  if (layer.status == "unknown" && layer.because)
    out += " <span class=\"tag warn\">" +
           HtmlBoth(Render(*layer.because, kEn), Render(*layer.because, kZh)) + "</span>";
  return out + "\n";
}

void LayerHead(bool measured, HtmlPage& page) {
  page.Raw("<div class=scroll><table class=heat><thead><tr><th class=n scope=col>#" +
           Head("col.layer") + Head("col.op"));
  if (measured) page.Raw(Head("col.median", true));
  if (!measured) page.Raw("<th class=n scope=col>MAC");
  page.Raw(Head("col.share", true));
  if (measured)
    page.Raw("<th class=n scope=col>MAC<th class=n scope=col>GFLOP/s<th class=n scope=col>GB/s");
  page.Raw(Head("col.params", true) + Head("col.weights", true) + Head("col.output-bytes", true) +
           Head("col.output") + "</thead><tbody>\n");
}

// Which layers are shown: the hottest ones whose rows fit into `room` bytes.
std::vector<bool> ChosenLayers(const View& view, const LayerScale& scale, std::uint64_t room) {
  std::vector<bool> chosen(view.by_layer.size(), false);
  std::uint64_t used = 0;
  for (const HotRow& row : view.rows) {
    used += LayerRow(row, scale).size();
    if (used > room) break;
    chosen[static_cast<std::size_t>(row.layer - view.by_layer.front().layer)] = true;
  }
  return chosen;
}

void Legend(const LayerScale& scale, HtmlPage& page) {
  page.Raw("<div class=ramp>");
  for (int step = 0; step < kHeatSteps; ++step)
    page.Raw("<span class=h" + std::to_string(step) + ">&ge; " +
             FormatPercent(HeatBound(step, scale.largest)) + "</span>");
  if (scale.measured) page.Raw("<span class=no>" + HtmlWord("legend.no-time") + "</span>");
  page.Raw("</div>\n");
}

}  // namespace

void HtmlVerdict(const HtmlContext& context, HtmlPage& page) {
  page.Raw("<section class=verdict>\n");
  if (context.view.timing != nullptr) LatencyCard(*context.view.timing, page);
  if (context.document.static_part) CostCards(context.document, page);
  page.Raw("</section>\n");
}

void HtmlBalance(const HtmlContext& context, HtmlPage& page) {
  if (!context.view.balance) return;
  const Balance& balance = *context.view.balance;
  const doc::Run& run = *context.view.profile;
  const TimeUnit unit = TimeUnitFor(balance.wall * balance.unit_ns);
  const auto time = [&](std::int64_t value) {
    return TimeIn(unit, value * balance.unit_ns) + " " + std::string(unit.name);
  };
  page.Heading("balance", "head.balance");
  std::string note = HtmlPhrase("html.balance-note", {{"n", balance.iterations}});
  if (run.profiling_overhead)
    note +=
        " " + HtmlPhrase("html.overhead", {{"change", FormatChange(*run.profiling_overhead, 1)}});
  note += " " + HtmlBoth(PlacedLine(run, kEn), PlacedLine(run, kZh));
  page.Raw("<p class=soft>" + note + "</p>\n" + BalanceStrip(balance) + "<table>\n");
  page.Raw(BalanceRow("layers", "layers", time(balance.layers), balance.layers_share));
  page.Raw(BalanceRow("runtime", "runtime", time(balance.runtime), balance.runtime_share));
  page.Raw(BalanceRow("unmatched", "unmatched", time(balance.unmatched), balance.unmatched_share));
  page.Raw(BalanceRow("gap", "gaps", time(balance.gap), balance.gap_share));
  page.Raw("<tr><td><b>" + HtmlWord("balance.wall") + "</b>" + Cell(time(balance.wall)) +
           Cell(FormatPercent(1)) + "<td class=soft>" + HtmlWord("gloss.wall") + "</table>\n");
}

void HtmlHotRows(const HtmlContext& context, HtmlPage& page) {
  const View& view = context.view;
  if (!view.measured || view.rows.empty()) return;
  const TimeUnit unit = UnitOf(view);
  const double largest = LargestShare(view.rows);
  const bool layers = !view.by_layer.empty();
  page.Heading("hot", layers ? "head.hot-layers" : "head.hot-rows");
  page.Raw("<div class=scroll><table><thead><tr>" + Head(layers ? "col.layer" : "col.row") +
           Head("col.op") + Head(layers ? "col.median" : "col.mean", true) +
           Head("col.share", true) + Head("col.cumulative", true) + "<th>");
  if (layers) page.Raw("<th class=n scope=col>MAC<th class=n scope=col>GFLOP/s");
  page.Raw("</thead><tbody>\n");
  double cumulative = 0;
  std::size_t shown = 0;
  for (const HotRow& row : view.rows) {
    if (shown++ == context.top || !row.time_ns) break;
    cumulative += row.share.value_or(0);
    page.Raw("<tr><td class=w>" + HtmlEscaped(row.shown_name()) + RanAs(row) + "<td>" +
             HtmlEscaped(row.op) + Cell(TimeText(row, unit)) +
             Cell(row.share ? FormatPercent(*row.share) : "") + Cell(FormatPercent(cumulative)) +
             "<td class=b>" + BarHtml(row.share.value_or(0), largest, "c0"));
    if (layers) page.Raw(Cell(MacsText(row)) + Cell(Rate(row, &doc::Joined::gflops_per_s)));
    page.Raw("\n");
  }
  page.Raw("</tbody></table></div>\n");
}

void HtmlTypes(const HtmlContext& context, HtmlPage& page) {
  const View& view = context.view;
  constexpr std::size_t kMostTypes = 14;
  const std::vector<TypeSlice> types = TopTypes(view, kMostTypes);
  const std::vector<PieSlice> slices = Slices(types);
  double largest = 0;
  for (const TypeSlice& slice : types) largest = std::max(largest, slice.share);
  if (largest <= 0) return;
  const std::int64_t iterations = view.iterations;
  page.Heading("types", view.measured ? "head.types" : "head.types-macs");
  page.Raw("<div class=two><div class=scroll><table><thead><tr>" + Head("col.op-type") +
           Head(view.by_layer.empty() ? "col.rows" : "col.count", true));
  if (view.measured) page.Raw(Head("col.mean", true));
  page.Raw(Head("col.share", true) + "<th><th class=n scope=col>MAC</thead><tbody>\n");
  for (std::size_t i = 0; i < types.size(); ++i) {
    const TypeSlice& slice = types[i];
    page.Raw("<tr><td class=w><span class=\"key " + slices[i].css + "\"></span>" + slices[i].mark +
             ". " + HtmlBoth(SliceName(slice, kEn), SliceName(slice, kZh)) +
             Cell(slice.count > 0 ? FormatInteger(slice.count) : ""));
    if (view.measured) page.Raw(Cell(FormatTime(slice.wall_ns / iterations)));
    page.Raw(Cell(FormatPercent(slice.share)) + "<td class=b>" +
             BarHtml(slice.share, largest, slices[i].css) +
             Cell(slice.macs != 0 ? FormatCount(slice.macs) : "") + "\n");
  }
  page.Raw("</tbody></table></div><figure style=\"margin:0\">" +
           PieSvg(slices, Word("head.types", kEn)) + "</figure></div>\n");
}

void HtmlStability(const HtmlContext& context, HtmlPage& page) {
  if (context.view.timing == nullptr) return;
  const doc::Run& run = *context.view.timing;
  page.Heading("stability", "head.stability");
  page.Raw(SamplesSvg(run.latency->samples, *run.latency->median));
  page.Facts(LatencyFacts(run, kEn), LatencyFacts(run, kZh));
}

void HtmlConditions(const HtmlContext& context, HtmlPage& page) {
  const std::vector<Fact> facts = ConditionFacts(context.document, kEn);
  if (facts.empty()) return;
  page.Heading("conditions", "head.conditions");
  page.Facts(facts, ConditionFacts(context.document, kZh));
}

void HtmlModel(const HtmlContext& context, HtmlPage& page) {
  if (!context.document.model) return;
  page.Heading("model", "head.model");
  page.Facts(ModelFacts(*context.document.model, kEn), ModelFacts(*context.document.model, kZh));
}

void HtmlCost(const HtmlContext& context, HtmlPage& page) {
  if (!context.document.static_part) return;
  const doc::Totals& totals = context.document.static_part->totals;
  page.Heading("cost", "head.totals");
  page.Raw("<p class=soft>" + HtmlPhrase("html.counted", {}) + " " +
           HtmlBoth(CoverageLine(totals, kEn), CoverageLine(totals, kZh)) + "</p>\n");
  page.Facts(TotalFacts(totals, kEn), TotalFacts(totals, kZh));
  page.Heading("memory", "head.memory");
  page.Facts(MemoryFacts(context.document, kEn), MemoryFacts(context.document, kZh));
  if (!context.document.static_part->llm) return;
  page.Heading("llm", "head.llm");
  page.Facts(LlmFacts(*context.document.static_part, kEn),
             LlmFacts(*context.document.static_part, kZh));
}

void HtmlLayers(const HtmlContext& context, HtmlPage& page) {
  const View& view = context.view;
  if (view.by_layer.empty()) return;
  const LayerScale scale{UnitOf(view), LargestShare(view.rows), view.measured};
  page.Heading("layers", "head.layers");
  page.Raw("<p class=soft>" + HtmlWord(view.measured ? "html.heat-time" : "html.heat-macs") +
           "</p>\n");
  if (scale.largest > 0) Legend(scale, page);
  // What follows the table needs some room as well.
  constexpr std::uint64_t kTail = 200'000;
  const std::uint64_t used = page.written() + kTail;
  const std::vector<bool> chosen =
      ChosenLayers(view, scale, context.max_bytes > used ? context.max_bytes - used : 0);
  const auto left_out = std::count(chosen.begin(), chosen.end(), false);
  if (left_out > 0)
    page.Raw("<p><b>" + HtmlPhrase("html.left-out", {{"n", static_cast<std::int64_t>(left_out)}}) +
             "</b></p>\n");
  LayerHead(view.measured, page);
  for (std::size_t i = 0; i < view.by_layer.size(); ++i) {
    if (chosen[i]) page.Raw(LayerRow(view.by_layer[i], scale));
  }
  page.Raw("</tbody></table></div>\n");
}

void HtmlOtherRows(const HtmlContext& context, HtmlPage& page) {
  const View& view = context.view;
  if (view.profile == nullptr || view.by_layer.empty()) return;
  std::vector<const doc::Event*> rows;
  for (const doc::Event& event : view.profile->events) {
    if (event.kind == "runtime" || event.kind == "unmatched") rows.push_back(&event);
  }
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [](const doc::Event* a, const doc::Event* b) {
    return a->wall_ns.value_or(0) > b->wall_ns.value_or(0);
  });
  page.Heading("other", "head.other-rows");
  page.Raw("<div class=scroll><table><thead><tr>" + Head("col.row") + Head("col.op") +
           Head("col.kind") + Head("col.calls", true) + Head("col.mean", true) +
           Head("col.share", true) + "</thead><tbody>\n");
  constexpr std::size_t kMostRows = 200;
  const std::int64_t iterations = view.iterations;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const doc::Event& event = *rows[i];
    page.Raw("<tr><td class=w>" + HtmlEscaped(event.name) + "<td>" +
             HtmlEscaped(event.op.value_or("")) + "<td>" +
             HtmlWord(event.kind == "runtime" ? "balance.runtime" : "balance.unmatched") +
             Cell(FormatInteger(event.calls)) +
             Cell(FormatTime(event.wall_ns.value_or(0) / iterations)) +
             Cell(event.share ? FormatPercent(*event.share) : "") + "\n");
  }
  page.Raw("</tbody></table></div>\n");
  if (rows.size() > kMostRows)
    page.Raw("<p class=soft>" +
             HtmlPhrase("word.more", {{"n", static_cast<std::int64_t>(rows.size() - kMostRows)}}) +
             "</p>\n");
}

void HtmlQuality(const HtmlContext& context, HtmlPage& page) {
  const std::vector<std::string> english = QualityLines(context.document, kEn);
  const std::vector<std::string> chinese = QualityLines(context.document, kZh);
  std::string items;
  for (std::size_t i = 0; i < english.size(); ++i)
    items += "<li>" + HtmlBoth(english[i], chinese[i]) + "\n";
  if (context.view.profile != nullptr) {
    for (const doc::Text& note : context.view.profile->notes)
      items += "<li>" + HtmlBoth(Render(note, kEn), Render(note, kZh)) + "\n";
  }
  page.Heading("quality", "head.quality");
  page.Raw(items.empty() ? "<p>" + HtmlWord("html.no-issues") + "</p>\n"
                         : "<ul>\n" + items + "</ul>\n");
}

void HtmlGlossary(const HtmlContext& context, HtmlPage& page) {
  page.Heading("glossary", "head.glossary");
  page.Raw("<dl class=facts>\n");
  const auto add = [&page](std::string_view label, std::string_view id) {
    page.Raw("<div><dt>" + HtmlWord(label) + "</dt><dd>" + HtmlWord(id) + "</dd></div>\n");
  };
  add("gloss.mac-name", "gloss.mac");
  add("total.operations", "gloss.operations");
  add("total.parameters", "gloss.parameters");
  add("mem.peak", "gloss.peak");
  add("gloss.bytes-name", "gloss.bytes");
  if (context.view.timing != nullptr) add("latency.median", "gloss.median");
  add("col.share", context.view.measured ? "gloss.share" : "gloss.share-macs");
  if (context.view.measured) {
    add("gloss.estimated-name", "gloss.estimated");
    add("state.folded", "gloss.folded");
  }
  page.Raw("</dl>\n");
}

}  // namespace opscope
