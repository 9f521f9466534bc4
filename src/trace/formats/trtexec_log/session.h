// What one run of trtexec says in its log: collected line by line, then made into a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/import_log.h"
#include "trace/formats/trtexec_log/engine_layer.h"
#include "trace/formats/trtexec_log/line.h"
#include "trace/formats/trtexec_log/table.h"
#include "trace/trace.h"

namespace opscope::trtexec_log {

class Session {
 public:
  // `offset`: of the line, for the log of what is odd.
  void Take(const LogLine& line, std::uint64_t offset, ImportLog& log);

  // What makes a session worth reading, most telling first.
  bool has_rows() const { return !rows_.empty(); }
  bool has_layers() const { return !layers_.empty(); }
  bool has_latency() const { return latency_.median_ns || latency_.mean_ns; }

  void Fill(Trace& trace, ImportLog& log) const;

 private:
  struct Row {
    std::string name;
    std::int64_t total_ns = 0;
    std::optional<std::int64_t> median_ns;
  };
  struct Layer {
    std::string kind, name, inputs, outputs, type;
  };
  enum class Section : std::uint8_t { kNone, kTitle, kTable, kHostLatency };

  bool TakeTable(const LogLine& line, std::uint64_t offset, ImportLog& log);
  bool TakeSummary(std::string_view text);
  bool TakeHostLatency(std::string_view text);
  bool TakeBuild(std::string_view text);
  void TakeLayer(const EngineLayer& layer);
  RuntimeRow RowOf(std::string_view name, Trace& trace) const;
  void AddRows(Trace& trace, ImportLog& log) const;
  void AddLayers(Trace& trace) const;
  void AddNotes(Trace& trace) const;
  void NotePrecision(Trace& trace) const;

  Section section_ = Section::kNone;
  Table table_;
  std::string version_;
  std::string device_;
  std::string precisions_;  // "FP32+FP16": what the build may use
  std::int64_t runs_ = 0;
  std::vector<Row> rows_;
  GivenLatency latency_;
  std::vector<Layer> layers_;  // of the engine, in its order
  std::unordered_map<std::string, std::size_t> layer_of_;
  std::unordered_map<std::string, std::string> node_of_;  // layer of the network -> ONNX node
  std::unordered_map<std::string, std::string> unit_of_;  // layer -> "DLA" or "GPU"
  std::int64_t network_layers_ = 0, skipped_for_memory_ = 0;
  std::map<std::string_view, std::string> memory_;  // "Total Weights Memory" -> bytes, as printed
};

}  // namespace opscope::trtexec_log
