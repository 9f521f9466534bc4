// What other tools would print for the same model, and why that is another number.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"

namespace opscope::doc {

// What one group of ops adds to the exact count, or takes from it.
struct ConventionDifference {
  static constexpr std::string_view kTitle = "ConventionDifference";

  std::string group;
  Count amount;
  Count params;
  Map<std::string> formula;
  Text because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("group", self.group, {"conv, linear, attention, batch-norm, activation, embedding …"});
    v("amount", self.amount, {"In the unit of the convention; negative: the tool misses it"});
    v("params", self.params, {"Likewise for the parameters", "elements"});
    v.Part("formula", self.formula, {"For numbers above that hang on a free symbol and are null"});
    v("because", self.because);
  }
};

// The exact count (`macs`, or `flops` = 2 * macs) plus all differences is what the tool prints.
struct ConventionTotals {
  static constexpr std::string_view kTitle = "ConventionTotals";

  std::string unit;
  Count macs;
  Count flops;
  Count params;
  std::vector<ConventionDifference> differences;
  bool undercounts = false;
  std::optional<Text> note;
  Map<std::string> formula;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("unit", self.unit, {"What the tool's number is, whatever it calls it", "", "MAC|FLOP"});
    v("macs", self.macs, {"What the tool prints; null where it prints FLOPs", "MAC"});
    v("flops", self.flops, {"What the tool prints; null where it prints MACs", "FLOP"});
    v("params", self.params, {"What the tool prints", "elements"});
    v("differences", self.differences, {"To the exact counts, by group of ops; they add up"});
    v("undercounts", self.undercounts,
      {"True: the tool misses multiply-accumulates of this model"});
    v("note", self.note);
    v.Part("formula", self.formula, {"For numbers above that hang on a free symbol and are null"});
    v.Part("because", self.because, {"Why a number above is null, by its key"});
  }
};

}  // namespace opscope::doc
