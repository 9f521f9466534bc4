// Totals of networks with free dims: the formulas, with sizes put in, are the numbers of a run
// with these sizes.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/network_text.h"

namespace opscope {
namespace {

struct Symbol {
  std::string name;
  std::int64_t least, most;
};

struct Column {
  const char* name;
  Dim value;
};

std::vector<Column> ColumnsOf(const StaticTotals& totals) {
  return {{"macs", totals.counts.macs},
          {"bias_adds", totals.counts.bias_adds},
          {"elementwise", totals.counts.elementwise},
          {"transcendental", totals.counts.transcendental},
          {"comparisons", totals.counts.comparisons},
          {"flops", totals.flops},
          {"operations", totals.operations},
          {"parameters", totals.parameters},
          {"parameter_bytes", totals.parameter_bytes},
          {"read_bytes", totals.read_bytes},
          {"write_bytes", totals.write_bytes},
          {"weight_bytes", totals.weight_bytes},
          {"activation_bytes", totals.activation_bytes},
          {"naive_bytes", totals.memory.naive_bytes},
          {"live_peak_bytes", totals.memory.live_peak_bytes}};
}

void ExpectFormulasToHold(const std::string& text, const std::vector<Symbol>& symbols,
                          std::uint32_t seed) {
  Analysed symbolic = AnalyseText(text);
  for (const UncountedOp& op : symbolic.totals().uncounted) {
    // How much it compares hangs on the boxes themselves.
    EXPECT_EQ(op.op, "NonMaxSuppression") << op.because;
  }
  std::set<std::string> known;
  for (const Symbol& symbol : symbols) known.insert(symbol.name);
  for (const Column& column : ColumnsOf(symbolic.totals())) {
    // A peak of too many terms is given up, and says so.
    const bool given_up = column.name == std::string("live_peak_bytes") &&
                          !symbolic.totals().memory.live_peak_because.empty();
    EXPECT_TRUE(given_up || !column.value.is_unknown()) << column.name;
    for (const std::string& name : symbolic.model.dims.Symbols(column.value))
      EXPECT_EQ(known.count(name), 1U) << column.name << " hangs on " << name;
  }
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    Bindings bindings;
    std::string sizes;
    for (const Symbol& symbol : symbols) {
      bindings[symbol.name] =
          std::uniform_int_distribution<std::int64_t>(symbol.least, symbol.most)(random);
      sizes += " " + symbol.name + "=" + std::to_string(bindings[symbol.name]);
    }
    const Analysed bound = AnalyseText(text, {.bindings = bindings, .shapes = {}});
    const std::vector<Column> formulas = ColumnsOf(symbolic.totals());
    const std::vector<Column> numbers = ColumnsOf(bound.totals());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (formulas[i].value.is_unknown()) continue;
      const Dim value = symbolic.model.dims.Bind(formulas[i].value, bindings);
      EXPECT_TRUE(numbers[i].value.is_number()) << numbers[i].name << sizes;
      EXPECT_EQ(symbolic.Text(value), bound.Text(numbers[i].value)) << numbers[i].name << sizes;
    }
  }
}

TEST(CostDynamic, Bert) {
  ExpectFormulasToHold(DynamicBert(), {{"batch", 1, 8}, {"seq", 1, 512}}, 1);
  EXPECT_EQ(
      AnalyseText(DynamicBert()).model.dims.ToText(AnalyseText(DynamicBert()).totals().counts.macs),
      "batch*seq*seq*2048 + batch*seq*3145728 + batch*65536");
}

TEST(CostDynamic, Gpt2WithPast) {
  ExpectFormulasToHold(DynamicGpt2(), {{"batch", 1, 8}, {"seq", 1, 300}, {"past", 1, 700}}, 2);
}

TEST(CostDynamic, LlamaWithPast) {
  ExpectFormulasToHold(DynamicLlama(), {{"batch", 1, 8}, {"seq", 1, 300}, {"past", 1, 3000}}, 3);
}

TEST(CostDynamic, Vit) { ExpectFormulasToHold(DynamicVit(), {{"batch", 1, 64}}, 4); }

TEST(CostDynamic, Segmenter) {
  ExpectFormulasToHold(DynamicSegmenter(), {{"N", 1, 4}, {"H", 17, 700}, {"W", 17, 700}}, 5);
}

TEST(CostDynamic, DetectorWithComputedCount) {
  ExpectFormulasToHold(DynamicDetector(), {{"H", 80, 700}, {"W", 80, 700}, {"count(NMS)", 1, 100}},
                       6);
  const Analysed result = AnalyseText(DynamicDetector());
  ASSERT_EQ(result.analysis.propagation.computed.size(), 1U);
  // 5 classes, at most 20 of at most 100 boxes each.
  EXPECT_EQ(result.Text(result.analysis.propagation.computed[0].at_most),
            "min((H // 8)*(W // 8), 20)*5");
}

}  // namespace
}  // namespace opscope
