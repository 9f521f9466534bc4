// What other tools would print: numbers with their formulas, differences with their reasons.
#include "cost/conventions/convention.h"
#include "document/format.h"
#include "document/messages.h"
#include "report/build.h"
#include "report/dims.h"

namespace opscope {

namespace {

std::string NumberOrFormula(const DimTable& dims, Dim dim) {
  const auto value = dims.Value(dim);
  return value ? FormatInteger(*value) : dims.ToText(dim);
}

doc::ConventionDifference BuildDifference(const DimTable& dims, const std::string& tool,
                                          const ConventionRow& row) {
  doc::ConventionDifference out;
  const NumberNotes number(dims, out.formula);
  out.group = row.key;
  out.amount = number("amount", row.amount);
  out.params = number("params", row.params);
  out.because = Say(row.because, {{"tool", tool}, {"formula", row.weights}});
  return out;
}

doc::ConventionTotals BuildConvention(const DimTable& dims, const ConventionCounts& counts) {
  const Convention& convention = *counts.convention;
  const std::string tool(convention.id);
  const bool flops = convention.unit == ConventionUnit::kFlop;
  doc::ConventionTotals out;
  const NumberNotes number(dims, out.formula);
  out.unit = flops ? "FLOP" : "MAC";
  const auto absent = [&](std::string_view key, std::string_view id) {
    out.because.emplace_back(key, Say(id, {{"tool", tool}, {"op", counts.stopped_at}}));
  };
  if (!counts.stopped_at.empty()) {
    for (const std::string_view key : {"macs", "flops", "params"}) absent(key, "convention.stops");
    return out;
  }
  (flops ? out.flops : out.macs) = number(flops ? "flops" : "macs", counts.value);
  if (!convention.mac_rules.empty())
    out.macs = number("macs", counts.macs);
  else
    absent(flops ? "macs" : "flops", flops ? "convention.prints-flops" : "convention.prints-macs");
  if (convention.prints_params)
    out.params = number("params", counts.params);
  else
    absent("params", "convention.prints-no-params");
  for (const ConventionRow& row : counts.rows)
    out.differences.push_back(BuildDifference(dims, tool, row));
  out.undercounts = counts.undercounts;
  if (!counts.fused_attention.is_unknown())
    out.note = Say(convention.fused_attention,
                   {{"tool", tool}, {"value", NumberOrFormula(dims, counts.fused_attention)}});
  else if (!convention.note.empty())
    out.note = Say(convention.note, {{"tool", tool}});
  return out;
}

}  // namespace

doc::Map<doc::ConventionTotals> BuildConventions(Model& model, const StaticAnalysis& analysis) {
  doc::Map<doc::ConventionTotals> out;
  for (const ConventionCounts& counts : ApplyConventions(model, analysis))
    out.emplace_back(counts.convention->id, BuildConvention(model.dims, counts));
  return out;
}

}  // namespace opscope
