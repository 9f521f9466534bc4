// A session made into a trace.
#include "trace/formats/tensorrt_names.h"
#include "trace/formats/trtexec_log/session.h"

namespace opscope::trtexec_log {

namespace {

bool IsNarrow(std::string_view type) {
  return type == "float16" || type == "int8" || type == "bfloat16" || type.starts_with("float8") ||
         type == "int4";
}

std::string Share(std::int64_t part, std::int64_t whole) {
  return std::to_string(whole == 0 ? 0 : (part * 200 + whole) / (2 * whole)) + " %";
}

}  // namespace

RuntimeRow Session::RowOf(std::string_view name, Trace& trace) const {
  RuntimeRow row;
  row.name = trace.strings.Intern(name);
  row.origin = TensorrtOrigin(name, node_of_);
  const std::string key(name);
  if (const auto found = layer_of_.find(key); found != layer_of_.end()) {
    const Layer& layer = layers_[found->second];
    row.op = trace.strings.Intern(layer.kind);
    row.dtype = trace.strings.Intern(layer.type);
    row.inputs = trace.strings.Intern(layer.inputs);
    row.outputs = trace.strings.Intern(layer.outputs);
  }
  if (const auto unit = unit_of_.find(key); unit != unit_of_.end())
    row.provider = trace.strings.Intern(unit->second);
  return row;
}

// Of a build without a profile: what the engine would run; nothing has run.
void Session::AddRows(Trace& trace, ImportLog& log) const {
  ProfileBuilder builder(*trace.profile);
  for (const Row& source : rows_) {
    RuntimeRow row = RowOf(source.name, trace);
    row.calls = runs_;
    row.total_ns = source.total_ns;
    row.typical_ns = source.median_ns;
    if (!builder.Add(std::move(row)))
      log.Add("trtexec-log.bad-row", Severity::kLoss, source.name, "a time that cannot be");
  }
  if (!rows_.empty() || layers_.empty()) return;
  for (const Layer& layer : layers_) {
    RuntimeRow row = RowOf(layer.name, trace);
    row.because = trace.strings.Intern("not run: the log holds a build and no profile");
    builder.Add(std::move(row));
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
  for (const auto& [what, bytes] : memory_)
    trace.notes.push_back(std::string(what) + ": " + bytes + " bytes");
  if (!rows_.empty()) trace.notes.push_back("iterations of the profile include warm-up");
}

void Session::Fill(Trace& trace, ImportLog& log) const {
  trace.profile.emplace().runs = runs_;
  trace.producer = {"tensorrt", version_, "the log's first line"};
  if (has_latency()) trace.profile->latency = latency_;
  AddRows(trace, log);
  AddNotes(trace);
}

}  // namespace opscope::trtexec_log
