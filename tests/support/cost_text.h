// A model written as text (graph_text.h) or a model file, analysed; for the tests of cost.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/import_log.h"
#include "base/source.h"
#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/graph_text.h"

namespace opscope {

struct Analysed {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;

  const StaticTotals& totals() const { return analysis.totals; }
  std::string Text(Dim dim) const { return model.dims.ToText(dim); }
  // The first layer of an op.
  const Layer& Of(std::string_view op) const {
    for (const Layer& layer : analysis.layers)
      if (model.text(model.node(layer.node).op) == op) return layer;
    ADD_FAILURE() << "no layer of " << op;
    static const Layer kNone = {};
    return kNone;
  }
};

inline Analysed Analyse(Source source, const PropagateOptions& options = {}) {
  Analysed out;
  Result<Model> model = ReadModel({source, out.log, {}});
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  out.model = std::move(*model);
  Result<StaticAnalysis> analysis = AnalyzeStatic(out.model, options, out.log);
  if (analysis.has_value()) {
    out.analysis = std::move(*analysis);
  } else {
    ADD_FAILURE() << analysis.error().ToString();
  }
  return out;
}

inline Analysed AnalyseText(std::string_view text, const PropagateOptions& options = {}) {
  Result<std::string> bytes = OnnxFromText(text);
  if (!bytes.has_value()) {
    ADD_FAILURE() << bytes.error().ToString();
    return {};
  }
  return Analyse(Source::FromBytes("test.onnx", std::move(*bytes)), options);
}

}  // namespace opscope
