// A model, a profile and perhaps an optimised model, joined; the rows as text. A test that includes
// this also includes "join/join.h", "model/formats/format.h" and "trace/formats/format.h".
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "join/join.h"
#include "support/cost_text.h"
#include "support/profile_text.h"
#include "support/run_text.h"
#include "trace/formats/format.h"

namespace opscope {

struct Joined {
  Analysed model;
  RunAnalysis run;

  std::string NameOf(LayerId id) const {
    const Node& node = model.model.node(model.analysis.layer(id).node);
    const std::string_view name = model.model.text(node.name);
    return std::string(name.empty() ? model.model.text(node.op) : name);
  }

  // "layer r1_nchwc Conv: n0 n1 | output-tensor, estimated", a line a row but that of the session.
  std::string Rows() const {
    std::string text;
    for (const Row& row : run.rows) {
      if (row.name == "session") continue;
      text += std::string(Name(row.kind)) + " ";
      for (const std::string& container : row.path) text += container + "/";
      text += row.name + " " + row.op + ":";
      for (const LayerShare& share : row.layers) text += " " + NameOf(share.layer);
      text +=
          " | " + std::string(Name(row.method)) + ", " + std::string(Name(row.confidence)) + "\n";
    }
    return text;
  }

  // "n5 folded", a line a layer without time of its own.
  std::string Absent() const {
    std::string text;
    for (const LayerTime& time : run.layers)
      if (time.state != LayerRun::kMeasured && time.state != LayerRun::kEstimated)
        text += NameOf(time.layer) + " " + std::string(Name(time.state)) + "\n";
    return text;
  }
};

// Every sum of the join, on top of the reconciliation that cannot be built wrong.
inline void ExpectSumsAgree(const RunAnalysis& run) {
  std::int64_t of_layers = 0;
  for (const Row& row : run.rows) {
    std::int64_t shares = 0;
    for (const LayerShare& share : row.layers) shares += share.wall_ns;
    if (!row.layers.empty()) {
      EXPECT_EQ(shares, row.wall_ns) << row.name;
    }
    if (row.kind == RowKind::kUnmatched) {
      EXPECT_TRUE(row.layers.empty()) << row.name;
    }
    std::int64_t samples = 0;
    for (const std::int64_t sample : row.samples_ns) samples += sample;
    EXPECT_EQ(samples, row.wall_ns) << row.name;
  }
  for (const LayerTime& time : run.layers) of_layers += time.wall_ns;
  EXPECT_EQ(of_layers, run.reconciliation.layers_ns());
}

inline Joined Join(Source model, Source profile, std::optional<Source> optimized = std::nullopt,
                   const PropagateOptions& options = {}) {
  Joined joined;
  joined.model = Analyse(std::move(model), options);
  ImportLog log;
  Result<Trace> trace = ReadTrace({profile, log});
  if (!trace.has_value()) {
    ADD_FAILURE() << trace.error().ToString();
    return joined;
  }
  std::optional<Model> ran;
  if (optimized) {
    Result<Model> read = ReadModel({*optimized, log, {}});
    if (read.has_value())
      ran = std::move(*read);
    else
      ADD_FAILURE() << read.error().ToString();
  }
  joined.run = Join(joined.model.model, joined.model.analysis, *trace, {ran ? &*ran : nullptr});
  ExpectSumsAgree(joined.run);
  return joined;
}

inline Source ModelSource(std::string_view text) {
  Result<std::string> bytes = OnnxFromText(text);
  EXPECT_TRUE(bytes.has_value()) << (bytes.has_value() ? "" : bytes.error().ToString());
  return Source::FromBytes("m.onnx", bytes.has_value() ? *bytes : std::string());
}

inline Joined JoinTexts(std::string_view model, std::string_view profile,
                        std::string_view optimized = "") {
  return Join(ModelSource(model), Source::FromBytes("p.json", ProfileFromText(profile)),
              optimized.empty() ? std::nullopt : std::optional(ModelSource(optimized)));
}

}  // namespace opscope
