#include "trace/formats/trtexec_log/session.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/decimal.h"
#include "base/text.h"
#include "base/trimmed.h"

namespace opscope::trtexec_log {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// A log of a large engine names some ten thousand layers; more is no log.
constexpr std::size_t kMostNames = 1 << 20;

// "0.349854 ms" or "0.349854" -> ns.
std::optional<std::int64_t> Milliseconds(std::string_view text) {
  text = Trimmed(text);
  const auto time = ParseDecimalTime(text.substr(0, text.find(' ')), kMillisecond);
  return time ? std::optional(time->value) : std::nullopt;
}

std::optional<std::string_view> Between(std::string_view text, std::string_view start,
                                        std::string_view end) {
  const std::size_t begin = text.find(start);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + start.size());
  const std::size_t stop = text.find(end);
  if (stop == std::string_view::npos) return std::nullopt;
  return text.substr(0, stop);
}

// "v8201" -> "8.2.1", "v101601" -> "10.16.1": the last two digits are the patch up to 8.x, then
// two digits each.
std::string VersionOf(std::string_view text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || number < 1000) return "";
  const bool wide = number >= 100000;
  const int major = wide ? number / 10000 : number / 1000;
  const int minor = wide ? number / 100 % 100 : number / 100 % 10;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(number % 100);
}

}  // namespace

void Session::Take(const LogLine& line, std::uint64_t offset, ImportLog& log) {
  if (TakeTable(line, offset, log)) return;
  if (const auto version = Between(line.text, "[TensorRT v", "]");
      version && line.text.starts_with("&&&& ")) {
    version_ = VersionOf(*version);
    return;
  }
  if (line.text == "Engine Layer Information:") {
    layers_.clear();  // of an engine before: the last one counts
    layer_of_.clear();
    return;
  }
  if (const auto layer = ParseEngineLayer(line.text)) return TakeLayer(*layer);
  if (TakeSummary(line.text) || TakeHostLatency(line.text)) return;
  TakeBuild(line.text);
}

bool Session::TakeTable(const LogLine& line, std::uint64_t offset, ImportLog& log) {
  if (const auto runs = ProfileTitle(line.text)) {
    rows_.clear();  // of a table before: the last one counts
    runs_ = std::max<std::int64_t>(*runs, 1);
    section_ = Section::kTitle;
    return true;
  }
  if (section_ == Section::kTitle) {
    if (table_.Begin(line.text)) section_ = Section::kTable;
    return true;
  }
  if (section_ != Section::kTable) return false;
  const auto row = table_.Row(line.text);
  if (!row || row->total) {
    section_ = Section::kNone;
    if (!row && !Trimmed(line.text).empty())
      log.Add("trtexec-log.bad-row", Severity::kLoss, AtByte(offset),
              "the table of layers ends without its total: " + Printable(line.text.substr(0, 80)));
    return row.has_value();
  }
  if (rows_.size() < kMostNames)
    rows_.push_back({std::string(row->name), row->total_ns, row->median_ns});
  return true;
}

// Latency: min = 0.349854 ms, max = 0.586731 ms, mean = 0.352143 ms, median = 0.351196 ms,
// percentile(90%) = 0.352234 ms, percentile(95%) = …, percentile(99%) = 0.376038 ms
bool Session::TakeSummary(std::string_view text) {
  if (const auto rate = After(text, "Throughput: ")) {
    double value = 0;
    const auto [end, failed] = std::from_chars(rate->data(), rate->data() + rate->size(), value);
    if (failed == std::errc{} && value > 0) latency_.throughput_per_s = value;
    return true;
  }
  const auto rest = After(text, "Latency: ");
  if (!rest) return false;
  const auto value = [&](std::string_view key) -> std::optional<std::int64_t> {
    const std::size_t at = rest->find(key);
    if (at == std::string_view::npos) return std::nullopt;
    return Milliseconds(rest->substr(at + key.size()));
  };
  latency_.min_ns = value("min = ");
  latency_.max_ns = value("max = ");
  latency_.mean_ns = value("mean = ");
  latency_.median_ns = value("median = ");
  latency_.p90_ns = value("percentile(90%) = ");
  latency_.p95_ns = value("percentile(95%) = ");
  latency_.p99_ns = value("percentile(99%) = ");
  return true;
}

// 7.x:  Host Latency
//       min: 1.65186 ms (end to end 1.66394 ms)
//       percentile: 1.74438 ms at 99% (end to end 1.75391 ms at 99%)
bool Session::TakeHostLatency(std::string_view text) {
  if (text == "Host Latency") {
    section_ = Section::kHostLatency;
    return true;
  }
  if (section_ != Section::kHostLatency) return false;
  const std::array<std::pair<std::string_view, std::optional<std::int64_t>*>, 5> fields = {
      {{"min: ", &latency_.min_ns},
       {"max: ", &latency_.max_ns},
       {"mean: ", &latency_.mean_ns},
       {"median: ", &latency_.median_ns},
       {"percentile: ", &latency_.p99_ns}}};
  for (const auto& [key, field] : fields)
    if (const auto value = After(text, key)) {
      const bool other = key == "percentile: " && value->find("at 99%") == std::string_view::npos;
      if (!other) *field = Milliseconds(*value);
      return true;
    }
  section_ = Section::kNone;
  return false;
}

bool Session::TakeBuild(std::string_view text) {
  if (const auto layer = Between(text, "Registering layer: ", " for ONNX node: ")) {
    const std::size_t node = text.find(" for ONNX node: ") + 16;
    if (node_of_.size() < kMostNames)
      node_of_.emplace(std::string(*layer), std::string(text.substr(node)));
    return true;
  }
  if (const auto precision = After(text, "Precision: ")) precisions_ = std::string(*precision);
  if (const auto device = After(text, "Selected Device: ")) device_ = std::string(*device);
  if (const auto count = Between(text, "Original: ", " layers"))
    network_layers_ = ParseIntegral(*count).value_or(0);
  if (text.find(" skipped. Scratch requested: ") != std::string_view::npos ||
      text.find("due to insufficient memory") != std::string_view::npos)
    ++skipped_for_memory_;
  for (const std::string_view unit : {"DLA", "GPU"}) {
    const std::string mark = unit == "DLA" ? "[DlaLayer] " : "[GpuLayer] ";
    if (const auto layer = After(text, mark); layer && unit_of_.size() < kMostNames) {
      const std::size_t kind = layer->find(": ");  // "[GpuLayer] CONVOLUTION: conv1" since 8.6
      unit_of_.emplace(std::string(kind == std::string_view::npos || layer->starts_with('{')
                                       ? *layer
                                       : layer->substr(kind + 2)),
                       std::string(unit));
    }
  }
  for (const std::string_view what : {"Total Activation Memory", "Total Weights Memory",
                                      "Max Scratch Memory", "Total Scratch Memory"})
    if (const auto rest = After(text, what)) {
      const auto amount = Between(*rest, ": ", " bytes");
      if (amount) memory_[what] = *amount;  // of the engine that was built last
      return true;
    }
  return false;
}

void Session::TakeLayer(const EngineLayer& layer) {
  if (layers_.size() >= kMostNames) return;
  if (!layer_of_.try_emplace(std::string(layer.name), layers_.size()).second) return;
  layers_.push_back(
      {std::string(layer.kind), std::string(layer.name), layer.inputs, layer.outputs, layer.type});
}

}  // namespace opscope::trtexec_log
