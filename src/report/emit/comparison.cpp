#include "report/emit/comparison.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/facts.h"

namespace opscope {
namespace {

constexpr int kKept = FittedColumn::kKept;

struct TotalLabel {
  std::string_view name, id;
  bool bytes = false;
  bool always = false;  // shown even where both models have the same
};
constexpr TotalLabel kLabels[] = {{"nodes", "col.nodes", false, true},
                                  {"macs", "total.macs", false, true},
                                  {"bias_adds", "count.bias-adds"},
                                  {"elementwise", "count.elementwise"},
                                  {"transcendental", "count.transcendental"},
                                  {"comparisons", "count.comparisons"},
                                  {"operations", "total.operations"},
                                  {"parameters", "total.parameters", false, true},
                                  {"statistics", "total.statistics"},
                                  {"constants", "total.constants"},
                                  {"file_bytes", "model.bytes", true},
                                  {"parameter_bytes", "total.parameter-bytes", true},
                                  {"weight_bytes", "total.weights", true},
                                  {"read_bytes", "total.read", true},
                                  {"write_bytes", "total.write", true},
                                  {"activation_bytes", "mem.activations", true},
                                  {"live_peak_bytes", "mem.peak", true, true},
                                  {"arena_bytes", "mem.arena", true},
                                  {"arena_inplace_bytes", "mem.arena-inplace", true},
                                  {"naive_bytes", "mem.naive", true}};

std::string Short(Int128 value) { return FormatCount(value); }

std::string Signed(Int128 value, std::string (*show)(Int128)) {
  if (value == 0) return "=";
  return value < 0 ? "-" + show(-value) : "+" + show(value);
}

// "-37 (-35.2 %)"; "=" where nothing changed, empty where the difference is no number.
std::string DeltaText(const doc::TotalDelta& total, std::string (*show)(Int128)) {
  if (!total.delta) return {};
  std::string out = Signed(*total.delta, show);
  if (*total.delta == 0 || !total.a || *total.a == 0) return out;
  const double share = static_cast<double>(*total.delta) / static_cast<double>(*total.a);
  if (share > -0.0005 && share < 0.0005) return out;  // would read as no change
  return out + " (" + FormatChange(share, 1) + ")";
}

std::string Arrow(const std::string& a, const std::string& b) {
  return a == b ? a : a + " -> " + b;
}

std::string CountOr(const doc::Count& count, std::string (*show)(Int128)) {
  return count ? show(*count) : "?";
}

std::string ArgText(const std::optional<doc::Arg>& value) {
  if (!value) return "-";
  if (const auto* text = std::get_if<std::string>(&*value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return FormatInteger(*number);
  return FormatNumber(std::get<double>(*value));
}

class Tables {
 public:
  Tables(const doc::Comparison& comparison, std::size_t top, Language language)
      : comparison_(comparison), top_(top), language_(language) {}

  ShownTable Totals(bool all) const {
    ShownTable out = {{},
                      {{W("head.totals"), Align::kLeft, kKept},
                       {Side(comparison_.a, "a"), Align::kRight, kKept, true},
                       {Side(comparison_.b, "b"), Align::kRight, kKept, true},
                       {W("col.change"), Align::kRight, kKept}},
                      {}};
    for (const TotalLabel& label : kLabels)
      for (const doc::TotalDelta& total : comparison_.totals) {
        const bool known = (total.a || total.b || !total.formula.empty());
        const bool differs = !total.delta || *total.delta != 0;
        if (total.name != label.name || !known || !(all || label.always || differs)) continue;
        std::string (*show)(Int128) = label.bytes             ? FormatBytes
                                      : total.name == "nodes" ? FormatInteger
                                                              : Short;
        out.rows.push_back({W(label.id), CountText(total.a, "a", total.formula, show, language_),
                            CountText(total.b, "b", total.formula, show, language_),
                            DeltaText(total, show)});
      }
    return out;
  }

  ShownTable Ops() const {
    ShownTable out = {{},
                      {{W("col.op-type"), Align::kLeft, kKept, true},
                       {W("col.nodes"), Align::kRight, kKept},
                       {"MAC", Align::kRight, kKept}},
                      {}};
    std::vector<const doc::OpDelta*> ops;
    for (const doc::OpDelta& op : comparison_.ops) ops.push_back(&op);
    const auto moved = [](const doc::OpDelta* op) {
      const Int128 macs = op->macs[1].value_or(0) - op->macs[0].value_or(0);
      return std::pair(macs < 0 ? -macs : macs, std::abs(op->nodes[1] - op->nodes[0]));
    };
    std::stable_sort(ops.begin(), ops.end(),
                     [&](const auto* x, const auto* y) { return moved(x) > moved(y); });
    Cut(ops, out);
    for (const doc::OpDelta* op : ops)
      out.rows.push_back({op->op, Arrow(FormatInteger(op->nodes[0]), FormatInteger(op->nodes[1])),
                          op->macs[0] == Int128{0} && op->macs[1] == Int128{0}
                              ? ""
                              : Arrow(CountOr(op->macs[0], Short), CountOr(op->macs[1], Short))});
    return out;
  }

  ShownTable OneSided(const std::vector<doc::OneSided>& list, std::string_view title) const {
    ShownTable out = {
        title,
        {{W(title), Align::kLeft, kKept, true},
         {W("col.op"), Align::kLeft, kKept, true},
         {"MAC", Align::kRight, 30, true},
         {W("col.bytes"), Align::kRight, 20},
         {W(title == "head.added" ? "col.replaced" : "col.became"), Align::kLeft, 40, true}},
        {}};
    std::vector<const doc::OneSided*> nodes;
    for (const doc::OneSided& node : list) nodes.push_back(&node);
    std::stable_sort(nodes.begin(), nodes.end(), [](const auto* x, const auto* y) {
      return std::pair(x->macs.value_or(0), x->bytes.value_or(0)) >
             std::pair(y->macs.value_or(0), y->bytes.value_or(0));
    });
    Cut(nodes, out);
    for (const doc::OneSided* node : nodes)
      out.rows.push_back({NameOr(node->name, node->id), node->op,
                          CountText(node->macs, "macs", node->formulas, Short, language_),
                          CountText(node->bytes, "bytes", node->formulas, FormatBytes, language_),
                          node->became ? Render(*node->became, language_) : ""});
    return out;
  }

  ShownTable Changed() const {
    ShownTable out = {"head.changed",
                      {{W("head.changed"), Align::kLeft, kKept, true},
                       {W("col.op"), Align::kLeft, 50, true},
                       {W("col.what"), Align::kLeft, kKept, true},
                       {"MAC", Align::kRight, 30, true},
                       {W("col.bytes"), Align::kRight, 20}},
                      {}};
    std::vector<const doc::Changed*> nodes;
    for (const doc::Changed& node : comparison_.changed) nodes.push_back(&node);
    const auto size = [](const doc::Changed* node) {
      const auto most = [](const std::array<doc::Count, 2>& pair) {
        return std::max(pair[0].value_or(0), pair[1].value_or(0));
      };
      return std::pair(most(node->macs), most(node->bytes));
    };
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](const auto* x, const auto* y) { return size(x) > size(y); });
    Cut(nodes, out);
    for (const doc::Changed* node : nodes)
      out.rows.push_back({NameOr(node->name, node->b), node->op, WhatText(*node),
                          PairText(*node, node->macs, "macs", Short),
                          PairText(*node, node->bytes, {}, FormatBytes)});
    return out;
  }

 private:
  std::string W(std::string_view id) const { return std::string(Word(id, language_)); }

  // A file's name over its column; the letter where both have the same.
  std::string Side(const std::string& file, const std::string& letter) const {
    constexpr std::size_t kWidest = 24;
    return comparison_.a == comparison_.b ? letter : CutMiddle(Printable(file), kWidest);
  }

  static std::string NameOr(const std::string& name, std::int64_t id) {
    return name.empty() ? "#" + std::to_string(id) : name;
  }

  // Both numbers, or the formulas under `key` among the differences.
  static std::string PairText(const doc::Changed& node, const std::array<doc::Count, 2>& pair,
                              std::string_view key, std::string (*show)(Int128)) {
    if (pair[0] || pair[1]) return Arrow(CountOr(pair[0], show), CountOr(pair[1], show));
    for (const doc::Difference& difference : node.differences)
      if (difference.what == key) return Arrow(ArgText(difference.a), ArgText(difference.b));
    return {};
  }

  // "attributes pads 0 -> 1; shape": what follows from others (numbers) without its values.
  static std::string WhatText(const doc::Changed& node) {
    std::string out;
    for (const doc::Difference& difference : node.differences) {
      const std::string& what = difference.what;
      if (what == "macs" || what == "parameters" || what == "read_bytes" || what == "write_bytes" ||
          what == "weight_bytes")
        continue;
      if (!out.empty()) out += "; ";
      out += what + " " + ArgText(difference.a) + " -> " + ArgText(difference.b);
    }
    if (!out.empty()) return out;
    for (const std::string& what : node.what) out += (out.empty() ? "" : ", ") + what;
    return out;
  }

  template <class T>
  void Cut(std::vector<const T*>& list, ShownTable& out) const {
    if (list.size() <= top_) return;
    out.left_out = static_cast<std::int64_t>(list.size() - top_);
    list.resize(top_);
  }

  const doc::Comparison& comparison_;
  std::size_t top_;
  Language language_;
};

}  // namespace

std::string ComparisonVerdict(const doc::Comparison& comparison, Language language) {
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  const bool same_nodes =
      comparison.added.empty() && comparison.removed.empty() && comparison.changed.empty();
  std::string out;
  if (same_nodes)
    out = std::string(Word(
              comparison.conditions_differ.empty() ? "compare.no-difference" : "compare.same-nodes",
              language)) +
          std::string(Word("word.colon", language));
  out += Phrase("compare.counts",
                {{"matched", comparison.matched},
                 {"renamed", comparison.renamed},
                 {"added", count(comparison.added)},
                 {"removed", count(comparison.removed)},
                 {"changed", count(comparison.changed)}},
                language);
  return out;
}

std::vector<std::string> ComparisonSettings(const doc::Comparison& comparison, Language language) {
  std::vector<std::string> out;
  for (const doc::Difference& difference : comparison.conditions_differ)
    out.push_back(difference.what + std::string(Word("word.colon", language)) +
                  ArgText(difference.a) + " -> " + ArgText(difference.b));
  return out;
}

std::vector<ShownTable> ComparisonTables(const doc::Comparison& comparison, std::size_t top,
                                         bool all, Language language) {
  const Tables tables(comparison, top, language);
  std::vector<ShownTable> out = {tables.Totals(all)};
  if (!comparison.ops.empty()) out.push_back(tables.Ops());
  if (!comparison.removed.empty())
    out.push_back(tables.OneSided(comparison.removed, "head.removed"));
  if (!comparison.added.empty()) out.push_back(tables.OneSided(comparison.added, "head.added"));
  if (!comparison.changed.empty()) out.push_back(tables.Changed());
  return out;
}

}  // namespace opscope
