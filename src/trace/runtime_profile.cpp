#include "trace/runtime_profile.h"

namespace opscope {

namespace {
constexpr std::int64_t kMostNs = std::int64_t{1} << 60;
constexpr std::size_t kMostRows = std::size_t{1} << 24;
}  // namespace

bool ProfileBuilder::Add(const RuntimeRow& row) {
  if (row.total_ns < 0 || row.total_ns > kMostNs - total_ns_) return false;
  if (profile_->rows.size() >= kMostRows) return false;
  for (const std::int64_t sample : row.samples_ns)
    if (sample < 0 || sample > kMostNs) return false;
  total_ns_ += row.total_ns;
  profile_->rows.push_back(row);
  return true;
}

}  // namespace opscope
