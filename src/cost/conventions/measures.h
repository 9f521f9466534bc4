// What conventions weight: the amounts of layers, summed by group and op.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cost/conventions/convention.h"
#include "cost/conventions/origin.h"

namespace opscope {

// Places of the amounts, in the order of Weights, and their names as reports show them.
enum Measure : std::size_t {
  kMac,
  kBias,
  kIn,
  kOut,
  kRow,
  kAffine,
  kTap,
  kPair,
  kCell,
  kCellOneWay,
  kDeconvByOutput,
  kDeconvReduced,
  kDeconvGrouped,
  kScore,
};
constexpr std::array<std::string_view, 14> kMeasures = {
    "MAC",   "bias", "in",   "out",          "row",           "affine",
    "tap",   "pair", "cell", "cell one way", "out*(Cin/g)*k", "out*(Cout/g)*k",
    "MAC/g", "score"};
constexpr std::array<std::string_view, 5> kParamMeasures = {"parameters", "statistics", "constants",
                                                            "folded", "initializers"};
template <class T>
using Measured = std::array<T, kMeasures.size()>;
template <class T>
using ParamMeasured = std::array<T, kParamMeasures.size()>;

constexpr Measured<int> ToArray(const Weights& w) {
  return {w.mac,
          w.bias,
          w.in,
          w.out,
          w.row,
          w.affine,
          w.tap,
          w.pair,
          w.cell,
          w.cell_one_way,
          w.deconv_by_output,
          w.deconv_reduced,
          w.deconv_grouped,
          w.score};
}
constexpr ParamMeasured<int> ToArray(const ParamWeights& w) {
  return {w.parameters, w.statistics, w.constants, w.folded, w.initializers};
}

// The layers of one group, op and origin together.
struct Bucket {
  std::string_view group;
  std::string_view op;
  Origin origin;
  Measured<Dim> amounts = {};
  ParamMeasured<Dim> params = {};
};

// In the order in which groups and ops appear.
std::vector<Bucket> SumByGroup(Model& model, const StaticAnalysis& analysis);

}  // namespace opscope
