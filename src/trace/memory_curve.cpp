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
    ++(change.bytes < 0 ? curve.releases : curve.allocations);
    if (bytes > curve.peak_bytes || curve.series.empty()) {
      curve.peak_bytes = std::max(curve.peak_bytes, bytes);
      curve.peak_at_ns = change.at;
    }
    curve.series.emplace_back(change.at, bytes);
  }
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
