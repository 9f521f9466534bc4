// What a convention makes of a model written as text; for the tests of conventions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cost/conventions/convention.h"
#include "support/cost_text.h"

namespace opscope {

struct Printed {
  ConventionCounts counts;
  std::int64_t value = 0, params = 0;
};

// Sequences have 128 tokens unless said.
inline Printed Print(const std::string& text, const Convention& convention,
                     std::int64_t tokens = 128) {
  const bool sequence = text.find("[1,T") != std::string::npos;
  Analysed out = AnalyseText(text, {sequence ? Bindings{{"T", tokens}} : Bindings{}, {}});
  Printed printed;
  printed.counts = ApplyConvention(out.model, out.analysis, convention);
  const auto number = [&](Dim dim) { return dim.is_number() ? dim.number() : -1; };
  printed.value = number(printed.counts.value);
  printed.params = number(printed.counts.params);
  // The rows add up to what is printed.
  Dim sum =
      convention.unit == ConventionUnit::kFlop ? out.totals().flops : out.totals().counts.macs;
  Dim params = out.totals().parameters;
  for (const ConventionRow& row : printed.counts.rows) {
    sum = out.model.dims.Add(sum, row.amount);
    params = out.model.dims.Add(params, row.params);
    EXPECT_FALSE(row.because.empty());
  }
  if (!printed.counts.stopped_at.empty()) return printed;
  EXPECT_EQ(sum, printed.counts.value);
  if (convention.prints_params) {
    EXPECT_EQ(params, printed.counts.params);
  }
  return printed;
}

inline const Convention& Named(std::string_view id) {
  const Convention* convention = FindConvention(id);
  CHECK(convention != nullptr);
  return *convention;
}

inline double Rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace opscope
