#include "join/attribute.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/interval.h"

namespace opscope {

namespace {

// A row over more layers than this does not name all of them at each.
constexpr std::size_t kMaxShared = 64;
// Splits of samples over all rows and layers; beyond, a row is divided as a whole.
constexpr std::size_t kMaxSplits = 8 << 20;
constexpr Int128 kMaxWeight = Int128{1} << 62;

bool IsWork(const Layer& layer) {
  return layer.status == LayerStatus::kCounted || layer.status == LayerStatus::kUnknown ||
         layer.status == LayerStatus::kContainer;
}

class Attributor {
 public:
  Attributor(const ModelIndex& index, const StaticAnalysis& layers, std::int64_t iterations,
             RowTable& table)
      : model_(&index.model()),
        layers_(&layers),
        iterations_(iterations),
        table_(&table),
        times_(layers.layers.size()),
        samples_(layers.layers.size()) {
    for (std::uint32_t layer = 0; layer < times_.size(); ++layer) times_[layer].layer = {layer};
  }

  std::vector<LayerTime> Run(const std::vector<std::vector<std::uint32_t>>& rows_of) {
    // In the order of layers, so that the shares of a row are as well.
    for (std::uint32_t layer = 0; layer < times_.size(); ++layer)
      for (const std::uint32_t row : rows_of[layers_->layers[layer].node.index()])
        table_->rows[row].layers.push_back({LayerId{layer}, 1.0, 0});
    for (std::uint32_t row = 0; row < table_->rows.size(); ++row)
      if (!table_->rows[row].layers.empty()) Divide(row);
    for (std::size_t layer = 0; layer < times_.size(); ++layer) Finish(layer);
    return std::move(times_);
  }

 private:
  struct Weights {
    std::vector<std::int64_t> values;
    std::string_view by;
  };

  template <class Measure>
  std::optional<std::vector<std::int64_t>> WeightsBy(const Row& row, Measure measure) const {
    std::vector<std::int64_t> values;
    bool any = false;
    for (const LayerShare& share : row.layers) {
      Int128 sum = 0;
      for (const Dim part : measure(layers_->layer(share.layer))) {
        const std::optional<Int128> value = model_->dims.Value(part);
        if (!value || *value < 0) return std::nullopt;
        sum += std::min(*value, kMaxWeight);
      }
      any |= sum > 0;
      values.push_back(static_cast<std::int64_t>(std::min(sum, kMaxWeight)));
    }
    return any ? std::optional(std::move(values)) : std::nullopt;
  }

  // One for the only layer that has MACs, however many; nullopt when several or none have.
  std::optional<std::vector<std::int64_t>> OnlyMacs(const Row& row) const {
    std::vector<std::int64_t> values;
    for (const LayerShare& share : row.layers)
      values.push_back(layers_->layer(share.layer).counts.macs == Dim(0) ? 0 : 1);
    const auto with_macs = std::count(values.begin(), values.end(), 1);
    return with_macs == 1 ? std::optional(std::move(values)) : std::nullopt;
  }

  Weights WeightsOf(const Row& row) const {
    if (row.layers.size() == 1) return {{1}, ""};
    if (auto only = OnlyMacs(row)) return {std::move(*only), "MACs"};
    if (auto macs =
            WeightsBy(row, [](const Layer& layer) { return std::vector<Dim>{layer.counts.macs}; }))
      return {std::move(*macs), "MACs"};
    if (auto bytes = WeightsBy(row, [](const Layer& layer) {
          return std::vector<Dim>{layer.read_bytes, layer.write_bytes, layer.weight_bytes};
        }))
      return {std::move(*bytes), "bytes"};
    std::vector<std::int64_t> equal;
    for (const LayerShare& share : row.layers)
      equal.push_back(IsWork(layers_->layer(share.layer)) ? 1 : 0);
    return {std::move(equal), "equal parts"};
  }

  void Divide(std::uint32_t row_index) {
    Row& row = table_->rows[row_index];
    const Weights weights = WeightsOf(row);
    std::int64_t works = 0;
    Int128 sum = 0;
    for (std::size_t i = 0; i < row.layers.size(); ++i) {
      works += IsWork(layers_->layer(row.layers[i].layer)) ? 1 : 0;
      sum += weights.values[i];
    }
    for (std::size_t i = 0; i < row.layers.size(); ++i)
      row.layers[i].weight =
          sum == 0 ? 1.0 / static_cast<double>(row.layers.size())
                   : static_cast<double>(weights.values[i]) / static_cast<double>(sum);
    if (works > 1) {
      row.confidence = Confidence::kEstimated;
      if (row.because.empty())
        row.because = "covers " + std::to_string(works) + " layers; its time is divided by " +
                      std::string(weights.by);
    }
    SplitSamples(row_index, weights.values);
    for (const LayerShare& share : row.layers) AddTo(share, row_index, works);
  }

  void SplitSamples(std::uint32_t row_index, const std::vector<std::int64_t>& weights) {
    Row& row = table_->rows[row_index];
    const std::vector<Sample>& samples = table_->samples[row_index];
    splits_ += samples.size() * weights.size();
    const bool sums = !table_->typical_ns.empty();
    if (sums || (splits_ > kMaxSplits && weights.size() > 1)) {
      const auto parts = SplitByWeight(row.wall_ns, weights);
      const auto medians = SplitByWeight(
          sums ? table_->typical_ns[row_index] : MedianOf(samples, iterations_), weights);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        row.layers[i].wall_ns += parts[i];
        times_[row.layers[i].layer.index()].median_ns += medians[i];
      }
      return;
    }
    for (const Sample& sample : samples) {
      const auto parts = SplitByWeight(sample.ns, weights);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        row.layers[i].wall_ns += parts[i];
        samples_[row.layers[i].layer.index()].push_back({sample.iteration, parts[i]});
      }
    }
  }

  void AddTo(const LayerShare& share, std::uint32_t row_index, std::int64_t works) {
    const Row& row = table_->rows[row_index];
    LayerTime& time = times_[share.layer.index()];
    const bool work = IsWork(layers_->layer(share.layer));
    time.rows.push_back(row_index);
    time.wall_ns += share.wall_ns;
    if (iterations_ == 0) {  // it is known what it is, not what it takes
      time.because = row.because;
      return;
    }
    if (!work && works > 0) {
      if (time.state == LayerRun::kUnknown) time.state = LayerRun::kFolded;
      if (time.because.empty()) time.because = "no work of its own; part of row " + row.name;
    } else if (works > 1 || row.confidence == Confidence::kEstimated) {
      time.state = LayerRun::kEstimated;
      time.because = works > 1 ? "part of row " + row.name + ", which covers " +
                                     std::to_string(works) + " layers"
                               : "row " + row.name + ": " + row.because;
    } else if (time.state != LayerRun::kEstimated) {
      time.state = LayerRun::kMeasured;
      time.because.clear();
    }
    if (row.layers.size() > kMaxShared) return;
    for (const LayerShare& other : row.layers)
      if (other.layer != share.layer) time.shared_with.push_back(other.layer);
  }

  void Finish(std::size_t layer) {
    LayerTime& time = times_[layer];
    std::sort(time.shared_with.begin(), time.shared_with.end());
    time.shared_with.erase(std::unique(time.shared_with.begin(), time.shared_with.end()),
                           time.shared_with.end());
    std::vector<Sample>& samples = samples_[layer];
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.iteration < b.iteration; });
    std::vector<Sample> merged;
    for (const Sample& sample : samples) {
      if (merged.empty() || merged.back().iteration != sample.iteration)
        merged.push_back(sample);
      else
        merged.back().ns += sample.ns;
    }
    time.median_ns += MedianOf(merged, iterations_);
  }

  const Model* model_;
  const StaticAnalysis* layers_;
  std::int64_t iterations_;
  RowTable* table_;
  std::size_t splits_ = 0;
  std::vector<LayerTime> times_;
  std::vector<std::vector<Sample>> samples_;  // by layer
};

}  // namespace

std::vector<LayerTime> AttributeTime(const ModelIndex& index, const StaticAnalysis& layers,
                                     const std::vector<std::vector<std::uint32_t>>& rows_of,
                                     std::int64_t iterations, RowTable& table) {
  return Attributor(index, layers, iterations, table).Run(rows_of);
}

}  // namespace opscope
