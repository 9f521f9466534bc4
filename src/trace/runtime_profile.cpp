#include "trace/runtime_profile.h"

#include <algorithm>
#include <utility>

namespace opscope {

namespace {
constexpr std::int64_t kMostNs = std::int64_t{1} << 60;
constexpr std::size_t kMostRows = std::size_t{1} << 24;
}  // namespace

bool ProfileBuilder::Add(RuntimeRow row) {
  if (row.total_ns < 0 || row.total_ns > kMostNs - total_ns_) return false;
  if (profile_->rows.size() >= kMostRows) return false;
  const auto cannot_be = [](const RunSample& sample) {
    return sample.ns < 0 || sample.ns > kMostNs;
  };
  if (std::any_of(row.samples.begin(), row.samples.end(), cannot_be)) return false;
  total_ns_ += row.total_ns;
  profile_->rows.push_back(std::move(row));
  return true;
}

}  // namespace opscope
