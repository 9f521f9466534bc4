// Pictures of the HTML report, as SVG or boxes. Every one has its numbers as text beside it.
#pragma once

#include <string>
#include <vector>

#include "report/emit/view.h"

namespace opscope {

// A slice of the pie: a class of the style sheet and the mark that stands in it and in the legend.
struct PieSlice {
  std::string css;
  std::string mark;
  double share = 0;
};
// Clockwise from the top; slices too thin for their mark are drawn without.
std::string PieSvg(const std::vector<PieSlice>& slices, std::string_view label);

// The parts of one iteration side by side.
std::string BalanceStrip(const Balance& balance);

// Every iteration as a dot over its number, with the median as a line.
std::string SamplesSvg(const std::vector<std::int64_t>& samples, std::int64_t median);

// A bar of `share` of `largest`.
std::string BarHtml(double share, double largest, std::string_view css);

// The class of the heat map for a value between 0 and `largest`: square-root scale.
int HeatStep(double value, double largest);
// The smallest value of a step.
double HeatBound(int step, double largest);

}  // namespace opscope
