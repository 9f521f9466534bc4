#include "trace/memory_curve.h"

#include <algorithm>
#include <map>

#include "base/checked.h"

namespace opscope {

namespace {

// At most `points` of them: the largest of equally many neighbours.
void Thin(std::vector<std::pair<std::int64_t, std::int64_t>>& series, std::size_t points) {
  if (series.size() <= points) return;
  const std::size_t group = (series.size() + points - 1) / points;
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < series.size(); begin += group) {
    const std::size_t end = std::min(begin + group, series.size());
    const auto largest =
        std::max_element(series.begin() + static_cast<std::ptrdiff_t>(begin),
                         series.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    series[kept++] = *largest;
  }
  series.resize(kept);
}

// Changes that share a time are one: a tensor that changes its category is none in between.
void AddCategories(const Trace& trace, std::size_t points, MemoryCurve& curve) {
  if (trace.memory_categories.empty()) return;
  std::vector<std::int64_t> now(trace.memory_categories.size());
  curve.categories.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    curve.categories[i].name = trace.memory_categories[i];
  for (std::size_t i = 0; i < trace.memory.size(); ++i) {
    const MemoryChange& change = trace.memory[i];
    const auto place = static_cast<std::size_t>(change.category);
    const bool ours = change.device_type == curve.device_type && change.device == curve.device;
    if (!ours || change.category < 0 || place >= now.size()) continue;
    now[place] = SaturatingAdd(now[place], change.bytes);
    CategoryCurve& category = curve.categories[place];
    auto& series = category.series;
    if (!series.empty() && series.back().first == change.at)
      series.back().second = now[place];
    else
      series.emplace_back(change.at, now[place]);
    if (i <= curve.peak_change) category.at_peak_bytes = now[place];
  }
  std::erase_if(curve.categories, [](const CategoryCurve& row) { return row.series.empty(); });
  for (CategoryCurve& category : curve.categories) {
    for (const auto& [at, bytes] : category.series)
      category.peak_bytes = std::max(category.peak_bytes, bytes);
    Thin(category.series, points);
  }
}

}  // namespace

std::vector<MemoryCurve> MemoryCurves(const Trace& trace, std::size_t points) {
  std::map<std::pair<std::int32_t, std::int32_t>, MemoryCurve> curves;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> now;
  for (const MemoryChange& change : trace.memory) {
    const std::pair key(change.device_type, change.device);
    MemoryCurve& curve = curves[key];
    curve.device_type = change.device_type;
    curve.device = change.device;
    curve.absolute = change.total_allocated >= 0;
    std::int64_t& bytes = now[key];
    bytes = curve.absolute ? change.total_allocated : SaturatingAdd(bytes, change.bytes);
    if (!change.moved) ++(change.bytes < 0 ? curve.releases : curve.allocations);
    if (bytes > curve.peak_bytes || curve.series.empty()) {
      curve.peak_bytes = std::max(curve.peak_bytes, bytes);
      curve.peak_at_ns = change.at;
      curve.peak_change = static_cast<std::size_t>(&change - trace.memory.data());
    }
    curve.series.emplace_back(change.at, bytes);
  }
  for (auto& [key, curve] : curves) AddCategories(trace, points, curve);
  std::vector<MemoryCurve> out;
  for (auto& [key, curve] : curves) {
    Thin(curve.series, points);
    out.push_back(std::move(curve));
  }
  std::stable_sort(out.begin(), out.end(), [](const MemoryCurve& a, const MemoryCurve& b) {
    if ((a.device_type == 0) != (b.device_type == 0)) return b.device_type == 0;
    return a.peak_bytes > b.peak_bytes;
  });
  return out;
}

}  // namespace opscope
