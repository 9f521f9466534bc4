#include "report/emit/csv.h"

#include "base/checked.h"
#include "report/emit/csv_line.h"
#include "report/emit/csv_timeline.h"
#include "report/emit/facts.h"
#include "report/emit/view.h"

namespace opscope {
namespace {

constexpr std::string_view kLayerHeader =
    "row,id,name,op,domain,path,status,times,provider,dtype,output_shape,macs,bias_adds,"
    "elementwise,transcendental,comparisons,flops,operations,parameters,parameter_bytes,"
    "weight_bytes,read_bytes,write_bytes,flops_per_byte,state,median_ns,wall_ns,share_of_wall,"
    "gflops_per_s,gbytes_per_s,calls,busy_ns,group\r\n";

std::string JoinPath(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : "/") + part;
  return out;
}

void CountCells(const doc::Layer& layer, CsvLine& line) {
  const doc::Counts& counts = layer.counts;
  line.Count(counts.macs, "macs", layer.formulas);
  line.Count(counts.bias_adds, "bias_adds", layer.formulas);
  line.Count(counts.elementwise, "elementwise", layer.formulas);
  line.Count(counts.transcendental, "transcendental", layer.formulas);
  line.Count(counts.comparisons, "comparisons", layer.formulas);
  line.Count(counts.flops, "flops", layer.formulas);
  line.Count(counts.operations, "operations", layer.formulas);
  line.Count(layer.parameters, "parameters", layer.formulas);
  line.Count(layer.parameter_bytes, "parameter_bytes", layer.formulas);
  line.Count(layer.weight_bytes, "weight_bytes", layer.formulas);
  line.Count(layer.read_bytes, "read_bytes", layer.formulas);
  line.Count(layer.write_bytes, "write_bytes", layer.formulas);
  line.Real(layer.intensity);
}

void LayerLine(const HotRow& row, CsvLine& line) {
  const doc::Layer& layer = *row.layer;
  line.Text("layer");
  line.Integer(layer.id);
  line.Text(layer.name);
  line.Text(layer.op);
  line.Text(layer.domain);
  line.Text(JoinPath(layer.path));
  line.Text(layer.status);
  line.Integer(layer.times);
  line.Maybe(row.ran_as != nullptr ? row.ran_as->provider : std::nullopt);
  line.Text(layer.outputs.empty() ? "" : layer.outputs.front().dtype);
  line.Text(layer.outputs.empty() ? "" : ShapeText(layer.outputs.front().shape));
  CountCells(layer, line);
  if (row.joined != nullptr) {
    const doc::Joined& joined = *row.joined;
    line.Text(joined.state);
    line.Integer(joined.median_ns);
    line.Integer(joined.wall_ns);
    line.Real(joined.share);
    line.Real(joined.gflops_per_s);
    line.Real(joined.gbytes_per_s);
  } else {
    line.Empty(6);
  }
  line.Empty(2);
  line.Integer(layer.group);
  line.End();
}

void EventLine(const doc::Event& event, CsvLine& line) {
  line.Text(event.kind);
  line.Empty(1);
  line.Text(event.name);
  line.Maybe(event.op);
  line.Empty(1);
  line.Text(JoinPath(event.path));
  line.Empty(2);
  line.Maybe(event.provider);
  line.Maybe(event.dtype);
  line.Empty(16);
  line.Integer(event.wall_ns);
  line.Real(event.share);
  line.Empty(2);
  line.Integer(event.calls);
  line.Integer(event.busy_ns);
  line.Empty(1);
  line.End();
}

// Wall time that no line above carries, so that the column adds up to the wall.
void RestLine(std::string_view kind, std::int64_t ns, CsvLine& line) {
  if (ns == 0) return;
  line.Text(kind);
  line.Empty(1);
  line.Text(kind == "gap" ? "(gap)" : "(other " + std::string(kind) + ")");
  line.Empty(23);
  line.Integer(ns);
  line.Empty(6);
  line.End();
}

void RestLines(const doc::Run& run, Int128 layers_ns, CsvLine& line) {
  Int128 runtime_ns = 0;
  Int128 unmatched_ns = 0;
  for (const doc::Event& event : run.events) {
    if (event.kind == "runtime") runtime_ns += event.wall_ns.value_or(0);
    if (event.kind == "unmatched") unmatched_ns += event.wall_ns.value_or(0);
  }
  if (!run.reconciliation || !run.reconciliation->wall_ns) return;
  const doc::Reconciliation& sums = *run.reconciliation;
  RestLine("layer", Clamped(sums.layers_ns - layers_ns), line);
  RestLine("runtime", Clamped(sums.runtime_ns - runtime_ns), line);
  RestLine("unmatched", Clamped(sums.unmatched_ns - unmatched_ns), line);
  RestLine("gap", sums.gap_ns.value_or(0), line);
}

void SummaryLine(const doc::Document& document, CsvLine& line) {
  const doc::Model* model = document.model ? &*document.model : nullptr;
  line.Text(model != nullptr ? model->file : "");
  line.Text(model != nullptr ? FormatLine(*model) : "");
  if (document.static_part) {
    const doc::Totals& totals = document.static_part->totals;
    const doc::Map<std::string>& formula = totals.formula;
    line.Integer(totals.nodes);
    line.Integer(totals.runtime_nodes);
    line.Integer(totals.counted);
    line.Bool(totals.complete);
    line.Count(totals.counts.macs, "macs", formula);
    line.Count(totals.counts.flops, "flops", formula);
    line.Count(totals.counts.operations, "operations", formula);
    line.Count(totals.parameters, "parameters", formula);
    line.Count(totals.statistics, "statistics", formula);
    line.Count(totals.constants, "constants", formula);
    line.Count(totals.parameter_bytes, "parameter_bytes", formula);
    line.Count(totals.read_bytes, "read_bytes", formula);
    line.Count(totals.write_bytes, "write_bytes", formula);
    line.Count(totals.weight_bytes, "weight_bytes", formula);
    line.Count(totals.activation_bytes, "activation_bytes", formula);
    line.Count(totals.memory.live_peak_bytes, "live_peak_bytes", totals.memory.formula);
    line.Count(totals.memory.naive_bytes, "naive_bytes", totals.memory.formula);
    line.Count(totals.memory.arena_bytes, "arena_bytes", totals.memory.formula);
    line.Count(totals.memory.arena_inplace_bytes, "arena_inplace_bytes", totals.memory.formula);
    line.Count(totals.fused.read_bytes, "read_bytes", totals.fused.formula);
    line.Count(totals.fused.write_bytes, "write_bytes", totals.fused.formula);
    line.Count(totals.fused.weight_bytes, "weight_bytes", totals.fused.formula);
  } else {
    line.Empty(22);
  }
  const View view = MakeView(document);
  const doc::Latency* latency = view.timing != nullptr ? &*view.timing->latency : nullptr;
  line.Integer(latency != nullptr ? latency->median : std::nullopt);
  line.Integer(latency != nullptr && latency->ci95 ? std::optional((*latency->ci95)[0])
                                                   : std::nullopt);
  line.Integer(latency != nullptr && latency->ci95 ? std::optional((*latency->ci95)[1])
                                                   : std::nullopt);
  line.Bool(latency != nullptr ? latency->stable : std::nullopt);
  line.Empty(1);
  line.End();
}

constexpr std::string_view kComparisonHeader =
    "row,name,was,op,a_id,b_id,what,a,b,delta,a_macs,b_macs,a_bytes,b_bytes,became\r\n";

void ArgCell(const std::optional<doc::Arg>& value, CsvLine& line) {
  if (!value) return line.Empty(1);
  if (const auto* text = std::get_if<std::string>(&*value)) return line.Text(*text);
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return line.Integer(*number);
  line.Real(std::get<double>(*value));
}

void DifferenceLine(std::string_view row, const doc::Difference& difference, CsvLine& line) {
  line.Text(row);
  line.Empty(5);
  line.Text(difference.what);
  ArgCell(difference.a, line);
  ArgCell(difference.b, line);
  line.Empty(6);
  line.End();
}

void OneSidedLine(std::string_view row, const doc::OneSided& node, bool of_a, CsvLine& line) {
  const auto cell = [&](bool here, const doc::Count& count, std::string_view key) {
    if (here) return line.Count(count, key, node.formulas);
    line.Empty(1);
  };
  line.Text(row);
  line.Text(node.name);
  line.Empty(1);
  line.Text(node.op);
  line.Integer(of_a ? std::optional(node.id) : std::nullopt);
  line.Integer(of_a ? std::nullopt : std::optional(node.id));
  line.Empty(4);
  cell(of_a, node.macs, "macs");
  cell(!of_a, node.macs, "macs");
  cell(of_a, node.bytes, "bytes");
  cell(!of_a, node.bytes, "bytes");
  line.Text(node.became ? node.became->text : "");
  line.End();
}

// A line for each thing that differs in the node.
void ChangedLines(const doc::Changed& node, CsvLine& line) {
  for (const doc::Difference& difference : node.differences) {
    line.Text("changed");
    line.Text(node.name);
    line.Maybe(node.was);
    line.Text(node.op);
    line.Integer(node.a);
    line.Integer(node.b);
    line.Text(difference.what);
    ArgCell(difference.a, line);
    ArgCell(difference.b, line);
    line.Empty(1);
    for (const std::array<doc::Count, 2>& pair : {node.macs, node.bytes})
      for (const doc::Count& count : pair) line.Count(count, {}, {});
    line.Empty(1);
    line.End();
  }
}

void ComparisonLines(const doc::Comparison& comparison, Sink& sink, CsvLine& line) {
  sink.Append(kComparisonHeader);
  for (const doc::Difference& difference : comparison.conditions_differ)
    DifferenceLine("setting", difference, line);
  for (const doc::TotalDelta& total : comparison.totals) {
    line.Text("total");
    line.Empty(5);
    line.Text(total.name);
    line.Count(total.a, "a", total.formula);
    line.Count(total.b, "b", total.formula);
    line.Count(total.delta, "delta", total.formula);
    line.Empty(5);
    line.End();
  }
  for (const doc::OneSided& node : comparison.removed) OneSidedLine("removed", node, true, line);
  for (const doc::OneSided& node : comparison.added) OneSidedLine("added", node, false, line);
  for (const doc::Changed& node : comparison.changed) ChangedLines(node, line);
}

}  // namespace

Result<void> EmitCsv(const doc::Document& document, const EmitOptions&, Sink& sink) {
  CsvLine line(sink);
  if (document.comparison) {
    ComparisonLines(*document.comparison, sink, line);
    return {};
  }
  const View view = MakeView(document);
  sink.Append(kLayerHeader);
  Int128 layers_ns = 0;
  for (const HotRow& row : view.by_layer) {
    LayerLine(row, line);
    if (row.joined != nullptr) layers_ns += row.joined->wall_ns.value_or(0);
  }
  if (view.profile == nullptr) {
    for (const doc::Run& run : document.runs) TimelineCsv(run, sink);
    return {};
  }
  for (const doc::Event& event : view.profile->events) {
    const bool of_layers = event.kind == "layer" || event.kind == "container";
    if (of_layers && !view.by_layer.empty()) continue;
    if (of_layers) layers_ns += event.wall_ns.value_or(0);
    EventLine(event, line);
  }
  RestLines(*view.profile, layers_ns, line);
  for (const doc::Run& run : document.runs) TimelineCsv(run, sink);
  return {};
}

Result<void> EmitCsvAll(const doc::Reports& reports, const EmitOptions&, Sink& sink) {
  sink.Append(
      "file,format,nodes,runtime_nodes,counted,complete,macs,flops,operations,parameters,"
      "statistics,constants,parameter_bytes,read_bytes,write_bytes,weight_bytes,activation_bytes,"
      "live_peak_bytes,naive_bytes,arena_bytes,arena_inplace_bytes,fused_read_bytes,"
      "fused_write_bytes,fused_weight_bytes,median_ns,ci95_low_ns,ci95_high_ns,stable,error\r\n");
  CsvLine line(sink);
  for (const doc::Document& document : reports.reports) SummaryLine(document, line);
  for (const doc::Failure& failure : reports.failed) {
    line.Text(failure.file);
    line.Empty(27);
    line.Text(failure.message);
    line.End();
  }
  return {};
}

}  // namespace opscope
