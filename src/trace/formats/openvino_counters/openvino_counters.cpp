// layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)
// conv1;Status.EXECUTED;Convolution;brgconv_avx512_amx_bf16;0.109;0.109
// Total;;;;0.726;0.726
// The C++ tool ends lines with ';', writes EXECUTED alone, and some builds have more columns. In
// detailed files one block a request follows the other, each with its header.
// JSON: {"report_type": "average", "avg_performance": {"nodes": [{"name": …, "status": …,
// "node_type": …, "real_time": "0.019", "cpu_time": …, "exec_type": …}]}}, or
// "detailed_performance" with a list of these.
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/json_reader.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/trimmed.h"
#include "trace/formats/damage.h"
#include "trace/formats/openvino_counters/format.h"
#include "trace/formats/text_table.h"

namespace opscope::openvino_counters {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::size_t kMostRows = 1 << 20;

struct Layer {
  std::string name, status, type, kernel;
  std::string real;  // ms
};

// The type at the end of a kernel's name: "brgconv_avx512_amx_bf16" -> "bfloat16".
std::string_view TypeOf(std::string_view kernel) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes = {
      {{"_f32", "float32"},
       {"_FP32", "float32"},
       {"_bf16", "bfloat16"},
       {"_f16", "float16"},
       {"_FP16", "float16"},
       {"_i8", "int8"},
       {"_I8", "int8"},
       {"_u8", "uint8"}}};
  for (const auto& [end, type] : kTypes)
    if (kernel.ends_with(end)) return type;
  return "";
}

// The names of the nodes they began as, with what the front ends put behind them. A node without a
// name is called after the tensor it writes.
RowOrigin OriginOf(const Layer& layer) {
  RowOrigin origin;
  if (layer.type == "Reorder") {
    origin.made = "changes the layout or type of a tensor";
    return origin;
  }
  const std::string_view name = layer.name;
  origin.outputs.emplace_back(name);
  for (const std::string_view end : {"/WithoutBiases", "/DequantizationMultiply", "/Add"})
    if (name.ends_with(end)) {
      origin.nodes.emplace_back(name.substr(0, name.size() - end.size()));
      origin.outputs.push_back(origin.nodes.back());
    }
  return origin;
}

// Layers by name, as the tool itself sums them; of a name that comes twice in a request the n-th
// belongs to the n-th.
class Requests {
 public:
  Requests(Trace& trace, ImportLog& log) : trace_(&trace), log_(&log) {}

  void Begin() { ++requests_; }
  void Add(const Layer& layer, std::uint64_t offset) {
    const bool ran = layer.status.ends_with("EXECUTED") && !layer.status.ends_with("NOT_EXECUTED");
    if (layer.name.empty() || !ran) return;
    const auto time = ParseDecimalTime(Trimmed(layer.real), kMillisecond);
    if (!time || time->value < 0 || time->value > (std::int64_t{1} << 50) ||
        rows_.size() >= kMostRows) {
      log_->Add("openvino-counters.bad-row", Severity::kLoss, AtByte(offset),
                "a layer without a time that can be is left out");
      return;
    }
    Seen& seen = seen_[layer.name];
    if (seen.request != requests_) seen = {requests_, 0};
    const std::string key = layer.name + "\n" + std::to_string(seen.times++);
    const auto [place, is_new] = row_of_.try_emplace(key, rows_.size());
    if (is_new) rows_.push_back(RowOf(layer));
    RuntimeRow& row = rows_[place->second];
    row.samples.push_back({static_cast<std::uint32_t>(requests_ - 1), time->value});
    row.total_ns = SaturatingAdd(row.total_ns, time->value);
    ++row.calls;
  }

  void Fill(bool detailed) {
    RuntimeProfile& profile = *trace_->profile;
    profile.runs = std::max<std::int64_t>(requests_, 1);
    profile.runs_known = detailed;
    ProfileBuilder builder(profile);
    for (RuntimeRow& row : rows_) {
      if (!detailed) row.samples.clear();
      if (!builder.Add(std::move(row)))
        log_->Add("openvino-counters.bad-row", Severity::kLoss, trace_->file,
                  "a layer without a time that can be is left out");
    }
  }
  std::int64_t requests() const { return requests_; }
  bool empty() const { return rows_.empty(); }

 private:
  RuntimeRow RowOf(const Layer& layer) {
    RuntimeRow row;
    row.name = trace_->strings.Intern(layer.name);
    row.op = trace_->strings.Intern(layer.type);
    row.provider = trace_->strings.Intern(layer.kernel);
    row.dtype = trace_->strings.Intern(TypeOf(layer.kernel));
    row.origin = OriginOf(layer);
    return row;
  }

  Trace* trace_;
  ImportLog* log_;
  std::int64_t requests_ = 0;
  std::vector<RuntimeRow> rows_;
  std::unordered_map<std::string, std::size_t> row_of_;
  struct Seen {
    std::int64_t request = 0;
    std::size_t times = 0;  // in that request
  };
  std::unordered_map<std::string, Seen> seen_;  // by name
};

Result<void> ReadLines(Source& source, Requests& requests) {
  Lines lines(source);
  std::array<std::ptrdiff_t, 5> columns{};  // of name, status, type, kernel, time
  bool begun = false;
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) return {};
    const std::vector<std::string> cells = text_table::Separated(line->text, ';');
    if (!cells.empty() && Trimmed(cells[0]) == "layerName") {
      constexpr std::array<std::string_view, 5> kTitles = {"layerName", "execStatus", "layerType",
                                                           "execType", "realTime (ms)"};
      for (std::size_t i = 0; i < kTitles.size(); ++i) {
        columns[i] = -1;
        for (std::size_t cell = 0; cell < cells.size(); ++cell)
          if (Trimmed(cells[cell]) == kTitles[i]) columns[i] = static_cast<std::ptrdiff_t>(cell);
      }
      requests.Begin();
      begun = true;
      continue;
    }
    if (!begun || cells.size() < 5) continue;
    const auto cell = [&](std::size_t column) -> std::string {
      const std::ptrdiff_t at = columns[column];
      return at < 0 || static_cast<std::size_t>(at) >= cells.size()
                 ? std::string()
                 : cells[static_cast<std::size_t>(at)];
    };
    requests.Add({cell(0), cell(1), cell(2), cell(3), cell(4)}, line->offset);
  }
}

class Json {
 public:
  Json(Source& source, Requests& requests) : json_(source), requests_(&requests) {}

  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginObject));
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      const bool known = key == "avg_performance" || key == "detailed_performance";
      detailed_ |= key == "detailed_performance";
      if (!known) return {};
      TRY_ASSIGN(const JsonToken first, json_.Next());
      if (first.kind == JsonKind::kBeginObject) return Request();
      if (first.kind != JsonKind::kBeginArray) return {};
      return json_.ForEachElement([&](const JsonToken& element) -> Result<void> {
        return element.kind == JsonKind::kBeginObject ? Request() : Result<void>();
      });
    });
  }
  bool detailed() const { return detailed_; }

 private:
  Result<void> Request() {
    requests_->Begin();
    return json_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key != "nodes") return {};
      TRY(json_.Expect(JsonKind::kBeginArray));
      return json_.ForEachElement([&](const JsonToken& node) -> Result<void> {
        return node.kind == JsonKind::kBeginObject ? Node(node.offset) : Result<void>();
      });
    });
  }

  Result<void> Node(std::uint64_t offset) {
    Layer layer;
    TRY(json_.ForEachField([&](std::string_view key) -> Result<void> {
      const std::string field(key);
      TRY_ASSIGN(const JsonToken value, json_.Next());
      if (value.kind == JsonKind::kBeginObject || value.kind == JsonKind::kBeginArray)
        return json_.Skip(value);
      if (field == "name") layer.name = value.text;
      if (field == "status") layer.status = value.text;
      if (field == "node_type") layer.type = value.text;
      if (field == "exec_type") layer.kernel = value.text;
      if (field == "real_time") layer.real = value.text;
      return {};
    }));
    requests_->Add(layer, offset);
    return {};
  }

  JsonReader json_;
  Requests* requests_;
  bool detailed_ = false;
};

bool IsJson(std::string_view prefix) {
  const std::size_t first = prefix.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string_view::npos && prefix[first] == '{';
}

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const auto has = [&](std::string_view text) {
    return prefix.find(text) != std::string_view::npos;
  };
  if (IsJson(prefix))
    return has("\"avg_performance\"") || has("\"detailed_performance\"") ? TraceMatch::kYes
                                                                         : TraceMatch::kNo;
  return has("layerName;execStatus;layerType") ? TraceMatch::kYes : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kOpenvinoCounters.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "milliseconds of each layer, to a microsecond";
  trace.profile.emplace();
  Requests requests(trace, context.log);
  TRY_ASSIGN(const std::string_view prefix, context.source.Window(0, 4096));
  bool detailed = false;
  if (IsJson(prefix)) {
    Json json(context.source, requests);
    Result<void> read = json.Run();
    TRY(KeepRead(std::move(read), requests.empty(), "openvino-counters.damaged", context, trace));
    detailed = json.detailed();
  } else {
    TRY(ReadLines(context.source, requests));
    detailed = requests.requests() > 1;
  }
  if (requests.empty())
    return Error{"openvino-counters.empty",
                 "no layer was executed: counters need -pc, and a device that keeps them", ""};
  requests.Fill(detailed);
  trace.producer = {"openvino", "", "names of the columns"};
  trace.notes.push_back("a layer's time is rounded to a microsecond");
  return trace;
}

}  // namespace opscope::openvino_counters
