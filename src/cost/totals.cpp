#include "cost/totals.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "cost/dim_sum.h"

namespace opscope {

namespace {

struct Column {
  Dim Layer::*layer;
  Dim StaticTotals::*total;
  bool each_time;  // counted once for each execution
};

constexpr std::array kColumns = {
    Column{&Layer::parameters, &StaticTotals::parameters, false},
    Column{&Layer::statistics, &StaticTotals::statistics, false},
    Column{&Layer::constants, &StaticTotals::constants, false},
    Column{&Layer::parameter_bytes, &StaticTotals::parameter_bytes, false},
    Column{&Layer::read_bytes, &StaticTotals::read_bytes, true},
    Column{&Layer::write_bytes, &StaticTotals::write_bytes, true},
    Column{&Layer::weight_bytes, &StaticTotals::weight_bytes, true},
};

constexpr std::array kCounts = {&Counts::macs, &Counts::bias_adds, &Counts::elementwise,
                                &Counts::transcendental, &Counts::comparisons};

// Of a layer or of the totals.
template <class T>
void SumOperations(DimTable& dims, T& row) {
  const Counts& counts = row.counts;
  row.flops = dims.Mul(2, counts.macs);
  row.operations = dims.Sum(std::array{row.flops, counts.bias_adds, counts.elementwise,
                                       counts.transcendental, counts.comparisons});
}

void SumColumns(DimTable& dims, const std::vector<Layer>& layers, StaticTotals& totals) {
  std::array<DimSum, kColumns.size()> columns;
  std::array<DimSum, kCounts.size()> counts;
  for (const Layer& layer : layers) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const Dim value = layer.*kColumns[i].layer;
      columns[i].Add(kColumns[i].each_time ? dims.Mul(value, layer.times) : value);
    }
    for (std::size_t i = 0; i < kCounts.size(); ++i)
      counts[i].Add(dims.Mul(layer.counts.*kCounts[i], layer.times));
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    totals.*kColumns[i].total = columns[i].Total(dims);
  for (std::size_t i = 0; i < kCounts.size(); ++i)
    totals.counts.*kCounts[i] = counts[i].Total(dims);
  SumOperations(dims, totals);
}

// A layer is counted when its numbers are known and how often they count is known. What is never
// run takes nothing from the totals.
std::string WhyUncounted(const Layer& layer) {
  if (!layer.because.empty()) return layer.because;
  if (layer.times.is_unknown()) return "the number of trips of a loop is not known";
  return {};
}

void ListUncounted(const Model& model, const std::vector<Layer>& layers, StaticTotals& totals) {
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  for (const Layer& layer : layers) {
    const std::string because = WhyUncounted(layer);
    if (because.empty()) ++totals.counted;
    if (because.empty() || layer.dead) continue;
    const std::string op = OpName(model, model.node(layer.node));
    const auto [at, added] = index.try_emplace({op, because}, totals.uncounted.size());
    if (added) totals.uncounted.push_back({op, 0, because});
    ++totals.uncounted[at->second].nodes;
  }
  totals.complete = totals.uncounted.empty();
}

void SumByType(DimTable& dims, const std::vector<Layer>& layers, StaticTotals& totals) {
  using Key = std::tuple<DType, DType, DType>;
  std::map<Key, DimSum> sums;
  for (const Layer& layer : layers) {
    if (layer.counts.macs == Dim(0) || layer.status != LayerStatus::kCounted) continue;
    sums[{layer.mac_activation, layer.mac_weight, layer.mac_accumulator}].Add(
        dims.Mul(layer.counts.macs, layer.times));
  }
  for (const auto& [key, sum] : sums)
    totals.macs_by_type.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), sum.Total(dims)});
}

}  // namespace

std::string OpName(const Model& model, const Node& node) {
  const std::string_view domain = model.text(node.domain);
  std::string name = domain == "ai.onnx" ? "" : std::string(domain) + ".";
  return name.append(model.text(node.op));
}

void SumEachLayer(Model& model, StaticAnalysis& analysis) {
  DimTable& dims = model.dims;
  for (Layer& layer : analysis.layers) {
    SumOperations(dims, layer);
    layer.moved_bytes =
        dims.Sum(std::array{layer.read_bytes, layer.write_bytes, layer.weight_bytes});
  }
}

StaticTotals SumLayers(Model& model, const StaticAnalysis& analysis) {
  StaticTotals totals;
  totals.nodes = static_cast<std::int64_t>(analysis.layers.size());
  for (const Layer& layer : analysis.layers) totals.runtime_nodes += layer.runtime ? 1 : 0;
  SumColumns(model.dims, analysis.layers, totals);
  ListUncounted(model, analysis.layers, totals);
  SumByType(model.dims, analysis.layers, totals);
  return totals;
}

}  // namespace opscope
