// A session made into a trace.
#include <algorithm>

#include "trace/formats/trtexec_log/session.h"

namespace opscope::trtexec_log {

namespace {

// "conv1 + relu1" -> its layers, for those that the import named after other nodes.
template <class Each>
void EachLayer(std::string_view name, Each&& each) {
  while (!name.empty()) {
    const std::size_t plus = name.find(" + ");
    each(name.substr(0, plus));
    if (plus == std::string_view::npos) return;
    name.remove_prefix(plus + 3);
  }
}

bool IsNarrow(std::string_view type) {
  return type == "float16" || type == "int8" || type == "bfloat16" || type.starts_with("float8") ||
         type == "int4";
}

std::string Share(std::int64_t part, std::int64_t whole) {
  return std::to_string(whole == 0 ? 0 : (part * 200 + whole) / (2 * whole)) + " %";
}

}  // namespace

// Where the import gave a layer another name than its node's: as the engine's own metadata would
// say it. "node_linear_1_2_myl5_3" is a kernel of layer node_linear_1_2.
std::string Session::OriginOf(std::string_view layer) const {
  std::string origin;
  const auto known = [&](std::string_view name) {
    const auto found = node_of_.find(std::string(name));
    if (found == node_of_.end()) return false;
    origin += "[ONNX Layer: " + found->second + "]";
    return true;
  };
  EachLayer(layer, known);
  if (!origin.empty()) return origin;
  const std::size_t kernel = layer.rfind("_myl");
  if (kernel != std::string_view::npos) known(layer.substr(0, kernel));
  return origin;
}

void Session::AddRow(const Row& row, Trace& trace, ImportLog& log) const {
  RuntimeRow out;
  out.name = trace.strings.Intern(row.name);
  out.origin = trace.strings.Intern(OriginOf(row.name));
  out.calls = runs_;
  out.total_ns = row.total_ns;
  out.typical_ns = row.median_ns;
  if (const auto found = layer_of_.find(row.name); found != layer_of_.end()) {
    const Layer& layer = layers_[found->second];
    out.op = trace.strings.Intern(layer.kind);
    out.dtype = trace.strings.Intern(layer.type);
    out.inputs = trace.strings.Intern(layer.inputs);
    out.outputs = trace.strings.Intern(layer.outputs);
  }
  if (const auto unit = on_dla_.find(row.name); unit != on_dla_.end())
    out.provider = trace.strings.Intern(unit->second);
  if (!ProfileBuilder(*trace.profile).Add(out))
    log.Add("trtexec-log.bad-row", Severity::kLoss, row.name, "a time that cannot be");
}

// Of a build without a profile: what the engine would run; nothing has run.
void Session::AddLayers(Trace& trace) const {
  for (const Layer& layer : layers_) {
    RuntimeRow out;
    out.name = trace.strings.Intern(layer.name);
    out.op = trace.strings.Intern(layer.kind);
    out.dtype = trace.strings.Intern(layer.type);
    out.inputs = trace.strings.Intern(layer.inputs);
    out.outputs = trace.strings.Intern(layer.outputs);
    out.origin = trace.strings.Intern(OriginOf(layer.name));
    out.because = trace.strings.Intern("not run: the log holds a build and no profile");
    trace.profile->rows.push_back(out);
  }
  trace.notes.push_back(
      "the log holds a build and no table of layers: run trtexec with "
      "--loadEngine=FILE --dumpProfile --separateProfileRun for times");
}

// Which layers stayed wide in an engine that may be narrow, and what they take.
void Session::NotePrecision(Trace& trace) const {
  if (precisions_.empty() || precisions_ == "FP32") return;
  std::int64_t wide = 0, typed = 0, wide_ns = 0, all_ns = 0;
  std::string names;
  constexpr std::int64_t kNamed = 5;
  for (const RuntimeRow& row : trace.profile->rows) {
    all_ns += row.total_ns;
    const std::string_view type = trace.text(row.dtype);
    if (type.empty() || trace.text(row.op) == "Reformat") continue;
    ++typed;
    if (IsNarrow(type)) continue;
    wide_ns += row.total_ns;
    if (++wide <= kNamed) names += (names.empty() ? "" : ", ") + std::string(trace.text(row.name));
  }
  if (typed == 0) return;
  std::string note =
      std::to_string(wide) + " of " + std::to_string(typed) +
      " layers whose type is known write float32 or wider in an engine that may use " + precisions_;
  if (all_ns > 0 && wide > 0) note += ", " + Share(wide_ns, all_ns) + " of the time";
  if (wide > 0) note += ": " + names + (wide > kNamed ? " …" : "");
  trace.notes.push_back(note);
}

void Session::AddNotes(Trace& trace) const {
  if (!device_.empty()) trace.notes.push_back("device: " + device_);
  if (network_layers_ > 0 && !layers_.empty())
    trace.notes.push_back("the build made " + std::to_string(layers_.size()) +
                          " layers of the network's " + std::to_string(network_layers_));
  NotePrecision(trace);
  if (skipped_for_memory_ > 0)
    trace.notes.push_back(std::to_string(skipped_for_memory_) +
                          " tactics were not tried: the workspace was too small for them "
                          "(--memPoolSize=workspace:…)");
  for (const auto& [what, bytes] : memory_) trace.notes.push_back(what + ": " + bytes + " bytes");
  if (!rows_.empty()) trace.notes.push_back("iterations of the profile include warm-up");
}

void Session::Fill(Trace& trace, ImportLog& log) const {
  trace.profile.emplace();
  trace.producer = {"tensorrt", version_, "the log's first line"};
  trace.profile->runs = std::max<std::int64_t>(runs_, 1);
  if (has_latency()) trace.profile->latency = latency_;
  if (!rows_.empty())
    for (const Row& row : rows_) AddRow(row, trace, log);
  else if (!layers_.empty())
    AddLayers(trace);
  AddNotes(trace);
}

}  // namespace opscope::trtexec_log
