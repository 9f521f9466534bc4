// Two models side by side: what was added, removed and changed, and the totals of both.
#pragma once

#include <array>

#include "opscope/document/field.h"
#include "opscope/document/model.h"
#include "opscope/document/text.h"

namespace opscope::doc {

// Something that is not the same on both sides: a setting of the models, a property of a node.
struct Difference {
  static constexpr std::string_view kTitle = "Difference";

  std::string what;
  std::optional<Arg> a, b;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("what", self.what);
    v("a", self.a, {"Null = not there or not known"});
    v("b", self.b, {"Null = not there or not known"});
  }
};

// A node that only one of the models has.
struct OneSided {
  static constexpr std::string_view kTitle = "OneSided";

  std::int64_t id = 0;
  std::string name;
  std::string op;
  Count macs;
  Count bytes;
  std::optional<Text> became;
  Map<std::string> formulas;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("id", self.id, {"Layer of its model"});
    v("name", self.name);
    v("op", self.op, {"With its domain unless that is ai.onnx"});
    v("macs", self.macs, {"", "MAC"});
    v("bytes", self.bytes, {"read + write + weight bytes of one execution", "bytes"});
    v("became", self.became, {"What took its place, or what it replaced; null = not provable"});
    v.Part("formulas", self.formulas,
           {"For integers above that hang on a free symbol and are null"});
  }
};

// A node of both models that is not the same in both.
struct Changed {
  static constexpr std::string_view kTitle = "Changed";

  std::int64_t a = 0;
  std::int64_t b = 0;
  std::string name;
  std::optional<std::string> was;
  std::string op;
  std::vector<std::string> what;
  std::array<Count, 2> macs;
  std::array<Count, 2> bytes;
  std::optional<std::array<std::optional<std::int64_t>, 2>> median_ns;
  std::vector<Difference> differences;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("a", self.a, {"Layer of model a"});
    v("b", self.b, {"Layer of model b"});
    v("name", self.name, {"In model b"});
    v("was", self.was, {"Its name in model a, where that is another"});
    v("op", self.op, {"In model b, with its domain unless that is ai.onnx"});
    v("what", self.what,
      {"op, dtype, shape, attributes, inputs, weights, times, macs, bytes, parameters, status"});
    v("macs", self.macs, {"In a and in b", "MAC"});
    v("bytes", self.bytes, {"read + write + weight bytes in a and in b", "bytes"});
    v("median_ns", self.median_ns, {"In a and in b; null without runs", "ns"});
    v("differences", self.differences, {"What differs with both values"});
  }
};

// A total of both models; `formula` holds "a", "b" and "delta" where they hang on a free symbol.
struct TotalDelta {
  static constexpr std::string_view kTitle = "TotalDelta";

  std::string name;
  Count a, b, delta;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name, {"Its key in static.totals"});
    v("a", self.a);
    v("b", self.b);
    v("delta", self.delta, {"b - a"});
    v.Part("formula", self.formula, {"For numbers above that hang on a free symbol and are null"});
  }
};

struct OpDelta {
  static constexpr std::string_view kTitle = "OpDelta";

  std::string op;
  std::array<std::int64_t, 2> nodes = {0, 0};
  std::array<Count, 2> macs;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("op", self.op, {"With its domain unless that is ai.onnx"});
    v("nodes", self.nodes, {"In a and in b", "1"});
    v("macs", self.macs, {"In a and in b; null where one is unknown or a formula", "MAC"});
  }
};

struct Comparison {
  static constexpr std::string_view kTitle = "Comparison";

  std::optional<std::string> verdict;
  std::string a;
  std::string b;
  std::vector<Model> models;
  std::vector<Difference> conditions_differ;
  std::vector<TotalDelta> totals;
  std::vector<OpDelta> ops;
  std::int64_t matched = 0;
  std::int64_t renamed = 0;
  std::vector<OneSided> added;
  std::vector<OneSided> removed;
  std::vector<Changed> changed;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("verdict", self.verdict,
      {"Null for two models without runs", "",
       "faster|slower|no change|inconclusive|not comparable"});
    v("a", self.a);
    v("b", self.b);
    v("models", self.models, {"a, then b"});
    v("conditions_differ", self.conditions_differ);
    v("totals", self.totals);
    v("ops", self.ops, {"Ops whose number or MACs differ, by name"});
    v("matched", self.matched, {"Nodes that both models have", "1"});
    v("renamed", self.renamed, {"Those of them with another name", "1"});
    v("added", self.added, {"Nodes of b alone, in file order"});
    v("removed", self.removed, {"Nodes of a alone, in file order"});
    v("changed", self.changed, {"In the file order of b"});
  }
};

}  // namespace opscope::doc
