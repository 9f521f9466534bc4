// What propagation finds out about a model written as text (graph_text.h), as text again.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/import_log.h"
#include "base/source.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "support/graph_text.h"

namespace opscope {

struct Propagated {
  Model model;
  Propagation facts;
  ImportLog log;

  TensorId Find(std::string_view name) const {
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      if (model.text(model.tensors[t].name) == name) return {static_cast<std::uint32_t>(t)};
    }
    ADD_FAILURE() << "no tensor " << name;
    return {0};
  }
  const TensorFact& Fact(std::string_view name) const { return facts.facts[Find(name).index()]; }
  // The first node of an op, expanded functions included.
  NodeId NodeOf(std::string_view op) const {
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      const bool runs =
          !std::holds_alternative<work::Unknown>(facts.works[n]) || !facts.problems[n].empty();
      if (model.text(model.nodes[n].op) == op && runs) return {static_cast<std::uint32_t>(n)};
    }
    ADD_FAILURE() << "no node " << op;
    return {0};
  }
  std::string Text(Dim dim) const { return model.dims.ToText(dim); }
  // "[N,3]", "[*]".
  std::string Describe(const Shape& shape) const {
    if (!shape.known_rank()) return "[*]";
    std::string text;
    for (const Dim dim : *shape.dims) text += (text.empty() ? "" : ",") + Text(dim);
    return "[" + text + "]";
  }
  // "float32 [N,3] = 1 2", "sequence(float32 [*])".
  std::string Describe(const TensorFact& fact) const {
    std::string text = std::string(Name(fact.dtype)) + " " + Describe(fact.shape);
    if (fact.kind == ValueKind::kSequence) text = "sequence(" + text + ")";
    if (fact.kind == ValueKind::kOptional) text = "optional(" + text + ")";
    if (fact.ints || fact.floats) text += " =";
    if (fact.ints) {
      for (const Dim dim : *fact.ints) text += " " + Text(dim);
    } else if (fact.floats) {
      for (const double value : *fact.floats) {
        std::string digits = std::to_string(value);
        while (digits.back() == '0') digits.pop_back();
        text += " " + digits;
      }
    }
    return text;
  }
};

inline Result<Propagated> TryPropagate(std::string_view text,
                                       const PropagateOptions& options = {}) {
  Propagated out;
  TRY_ASSIGN(std::string bytes, OnnxFromText(text));
  Source source = Source::FromBytes("test.onnx", std::move(bytes));
  TRY_ASSIGN(out.model, ReadModel({source, out.log, {}}));
  ExpandFunctions(out.model, out.log);
  TRY_ASSIGN(out.facts, Propagate(out.model, options, out.log));
  return out;
}

inline Propagated PropagateText(std::string_view text, const PropagateOptions& options = {}) {
  Result<Propagated> result = TryPropagate(text, options);
  if (result.has_value()) return std::move(*result);
  ADD_FAILURE() << result.error().ToString();
  return {};
}

// A line for each output of the model, then one for each node that stayed unknown ("! why") and
// one for each notice ("~ code: message").
inline std::string Inferred(std::string_view text, const PropagateOptions& options = {}) {
  const Propagated result = PropagateText(text, options);
  std::string lines;
  if (result.model.graphs.empty()) return lines;
  for (const TensorId output : result.model.main().outputs) {
    const std::string name(result.model.text(result.model.tensor(output).name));
    lines += name + " " + result.Describe(result.facts.facts[output.index()]) + "\n";
  }
  for (const std::string& problem : result.facts.problems) {
    if (!problem.empty()) lines += "! " + problem + "\n";
  }
  for (const ImportIssue& issue : result.log.issues()) {
    if (issue.severity == Severity::kNotice)
      lines += "~ " + issue.code + ": " + issue.message + "\n";
  }
  return lines;
}

struct ShapeCase {
  std::string_view name;
  std::string_view text;
  std::string_view inferred;
};

inline void ExpectInferred(std::span<const ShapeCase> cases) {
  for (const ShapeCase& each : cases) EXPECT_EQ(Inferred(each.text), each.inferred) << each.name;
}

}  // namespace opscope
