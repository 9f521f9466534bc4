#include "trace/formats/trtexec_log/table.h"

#include <array>

#include "base/decimal.h"
#include "base/trimmed.h"
#include "trace/formats/trtexec_log/line.h"

namespace opscope::trtexec_log {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::size_t kMostNumbers = 4;

// The last word of `text`, taken off.
std::string_view TakeLast(std::string_view& text) {
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  const std::size_t blank = text.find_last_of(" \t");
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = text.substr(begin);
  text = text.substr(0, begin);
  return word;
}

std::string_view TakeFirst(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

std::optional<std::int64_t> ProfileTitle(std::string_view text) {
  const auto rest = After(text, "=== Profile (");
  if (!rest) return std::nullopt;
  return ParseIntegral(rest->substr(0, rest->find(' ')));
}

bool Table::Begin(std::string_view header) {
  const auto has = [&](std::string_view word) {
    return header.find(word) != std::string_view::npos;
  };
  if (!has("Layer") || !has("Time") || !has("Avg.")) return false;
  name_first_ = header.find("Layer") < header.find("Time");
  median_ = has("Median");
  return true;
}

std::optional<TableRow> Table::Row(std::string_view line) const {
  const std::size_t count = median_ ? kMostNumbers : kMostNumbers - 1;
  std::array<std::string_view, kMostNumbers> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers[name_first_ ? count - 1 - i : i] = name_first_ ? TakeLast(line) : TakeFirst(line);
  TableRow row;
  row.name = Trimmed(line);
  const auto total = ParseDecimalTime(numbers[0], kMillisecond);
  if (!total || row.name.empty()) return std::nullopt;
  row.total_ns = total->value;
  if (median_)
    if (const auto median = ParseDecimalTime(numbers[2], kMillisecond))
      row.median_ns = median->value;
  row.total = row.name == "Total";
  return row;
}

}  // namespace opscope::trtexec_log
