// The table of `--dumpProfile`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opscope::trtexec_log {

struct TableRow {
  std::string_view name;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> median_ns;
  bool total = false;  // the last row, which sums the others
};

// Columns are told by their titles, of which the first decides the side of the name:
//   Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %      up to 8.6.0
//      Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer             since 8.6.1
class Table {
 public:
  // False: no such header.
  bool Begin(std::string_view header);
  std::optional<TableRow> Row(std::string_view line) const;

 private:
  bool name_first_ = false;
  bool median_ = false;
};

// "=== Profile (18362 iterations ) ===" -> 18362.
std::optional<std::int64_t> ProfileTitle(std::string_view text);

}  // namespace opscope::trtexec_log
