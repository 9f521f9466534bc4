// 1.0.1: {"schema": "1.0.1", "nodes": [{"name": "aten::mm", "id": 14, "rf_id": 6, "inputs": […],
//         "input_shapes": [[2, 3], [3, 4]], "input_types": ["Tensor(float)", "Tensor(float)"], …
// since:  {"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 14, "name": "aten::mm",
//         "inputs": {"values": […], "shapes": [[2, 3], [3, 4]], "types": ["Tensor(float)", …]},
//         "outputs": {…}, "attrs": [{"name": "rf_id", "type": "uint64", "value": 6}, …
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "trace/formats/execution_trace/format.h"

namespace opscope::execution_trace {

namespace {

// Shapes as compact JSON beside types; long ones are of no use to anybody.
struct Values {
  std::vector<std::string> shapes, types;
};

struct Node {
  std::string name;
  std::int64_t record = -1;
  Values inputs, outputs;
};

constexpr std::size_t kMostText = 512, kMostValues = 256;

// "float[2,3] float[3,4]": tensors and lists of them; numbers and texts are left out.
std::string TextOf(const Values& values) {
  constexpr std::string_view kTensor = "Tensor(";
  std::string out;
  for (std::size_t i = 0; i < values.types.size() && i < values.shapes.size(); ++i) {
    std::string type = values.types[i];
    const std::size_t at = type.find(kTensor);
    if (at == std::string::npos) continue;
    if (at == 0 && type.ends_with(')'))
      type = type.substr(kTensor.size(), type.size() - kTensor.size() - 1);
    out += (out.empty() ? "" : " ") + type + values.shapes[i];
  }
  if (out.size() > kMostText) out = out.substr(0, kMostText) + "...";
  return out;
}

class Reader {
 public:
  Reader(Source& source, Trace& trace) : json_(source), trace_(&trace), builder_(trace) {}

  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginObject));
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key != "nodes") return {};
      TRY_ASSIGN(const JsonToken list, json_.Next());
      if (list.kind != JsonKind::kBeginArray) return json_.Skip(list);
      return json_.ForEachElement([&](const JsonToken& token) -> Result<void> {
        if (token.kind != JsonKind::kBeginObject) return {};
        Node node;
        TRY(json_.ForEachField(
            [&](std::string_view field) -> Result<void> { return Field(field, node); }));
        Add(node);
        return {};
      });
    });
  }

 private:
  Result<void> Field(std::string_view key, Node& node) {
    if (key == "name") return Text(node.name);
    if (key == "rf_id") return Integer(node.record);
    if (key == "input_shapes") return List(node.inputs.shapes);
    if (key == "input_types") return List(node.inputs.types);
    if (key == "output_shapes") return List(node.outputs.shapes);
    if (key == "output_types") return List(node.outputs.types);
    if (key == "inputs") return Both(node.inputs);
    if (key == "outputs") return Both(node.outputs);
    if (key == "attrs") return Attributes(node);
    return {};
  }

  Result<void> Text(std::string& out) {
    TRY_ASSIGN(const JsonToken token, json_.Next());
    if (token.kind != JsonKind::kString) return json_.Skip(token);
    out = token.text;
    return {};
  }

  Result<void> Integer(std::int64_t& out) {
    TRY_ASSIGN(const JsonToken token, json_.Next());
    if (token.kind != JsonKind::kNumber) return json_.Skip(token);
    out = token.AsInt64().value_or(-1);
    return {};
  }

  // Texts as they are, all else as compact JSON.
  Result<void> List(std::vector<std::string>& out) {
    TRY_ASSIGN(const JsonToken list, json_.Next());
    if (list.kind != JsonKind::kBeginArray) return json_.Skip(list);
    return json_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (out.size() >= kMostValues) return {};
      if (token.kind == JsonKind::kString) {
        out.emplace_back(token.text.substr(0, kMostText));
        return {};
      }
      TRY_ASSIGN(std::string raw, json_.Raw(token));
      out.push_back(raw.size() > kMostText ? "[..]" : std::move(raw));
      return {};
    });
  }

  Result<void> Both(Values& out) {
    TRY_ASSIGN(const JsonToken object, json_.Next());
    if (object.kind != JsonKind::kBeginObject) return json_.Skip(object);
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key == "shapes") return List(out.shapes);
      if (key == "types") return List(out.types);
      return {};
    });
  }

  Result<void> Attributes(Node& node) {
    TRY_ASSIGN(const JsonToken list, json_.Next());
    if (list.kind != JsonKind::kBeginArray) return json_.Skip(list);
    return json_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (token.kind != JsonKind::kBeginObject) return {};
      std::string name;
      std::int64_t value = -1;
      TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
        if (key == "name") return Text(name);
        return key == "value" ? Integer(value) : Result<void>();
      }));
      if (name == "rf_id") node.record = value;
      return {};
    });
  }

  // The roots of processes and threads are no ops.
  void Add(const Node& node) {
    if (node.name.empty() || node.name.starts_with("[pytorch|profiler|execution")) return;
    OpArgs args;
    args.inputs = trace_->strings.Intern(TextOf(node.inputs));
    args.outputs = trace_->strings.Intern(TextOf(node.outputs));
    SumRow row;
    row.name = trace_->strings.Intern(node.name);
    row.inputs = args.inputs;
    row.calls = 1;
    trace_->sums.push_back(row);
    if (node.record >= 0)
      trace_->op_records.push_back({node.record, row.name, builder_.AddArgs(args)});
  }

  JsonReader json_;
  Trace* trace_;
  TraceBuilder builder_;
};

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const std::size_t first = prefix.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || prefix[first] != '{') return TraceMatch::kNo;
  const auto has = [&](std::string_view key) { return prefix.find(key) != std::string_view::npos; };
  return has("\"schema\"") && has("\"nodes\"") && has("execution_trace|") ? TraceMatch::kYes
                                                                          : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kExecutionTrace.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "none: the file holds no times";
  trace.producer.name = "pytorch";
  trace.whole_program = true;
  Reader reader(context.source, trace);
  const Result<void> read = reader.Run();
  if (!read.has_value()) {
    if (trace.sums.empty()) return read.error();
    trace.cut_at = trace.bytes;
    context.log.Add("trace.cut", Severity::kLoss, read.error().place,
                    "the list of nodes is damaged or cut: the " +
                        std::to_string(trace.sums.size()) + " in front of that are kept");
  }
  trace.notes.push_back(
      "an execution trace holds no times: give it together with the profiler's trace of the run");
  return trace;
}

}  // namespace opscope::execution_trace
