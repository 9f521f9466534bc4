#include "measure/sysfs.h"

#include <dirent.h>

#include <algorithm>

#include "base/checked.h"
#include "base/trimmed.h"
#include "engine/memory.h"

namespace opscope {

std::optional<std::string> ReadLineOf(const std::string& path) {
  const auto text = ReadSmallFile(path);
  if (!text) return std::nullopt;
  // Device-tree texts end with a zero byte.
  std::string out(Trimmed(std::string_view(*text).substr(0, text->find('\0'))));
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::optional<std::int64_t> ReadNumberOf(const std::string& path) {
  const auto text = ReadLineOf(path);
  return text ? ParseInt64(*text) : std::nullopt;
}

std::vector<int> NumberedEntries(const std::string& folder, std::string_view prefix) {
  std::vector<int> out;
  DIR* directory = opendir(folder.c_str());
  if (!directory) return out;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, prefix.size()) != prefix) continue;
    const auto number = ParseInt64(name.substr(prefix.size()));
    if (number && *number >= 0 && *number < 1'000'000) out.push_back(static_cast<int>(*number));
  }
  closedir(directory);
  std::sort(out.begin(), out.end());
  return out;
}

int CountList(std::string_view list) {
  std::int64_t count = 0;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t dash = part.find('-');
    const auto first = ParseInt64(part.substr(0, dash));
    const auto last = dash == part.npos ? first : ParseInt64(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 1'000'000) return 0;
    count += *last - *first + 1;
  }
  return static_cast<int>(count);
}

std::optional<std::int64_t> LeadingNumber(std::string_view text) {
  constexpr std::size_t kMostDigits = 12;
  std::int64_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < kMostDigits; ++digits) {
    if (text[digits] < '0' || text[digits] > '9') break;
    value = value * 10 + (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  const std::string_view unit = text.substr(digits, 1);
  return value << (unit == "K" ? 10 : unit == "M" ? 20 : 0);
}

std::optional<std::string> FieldOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == line.npos || Trimmed(line.substr(0, colon)) != key) continue;
    return std::string(Trimmed(line.substr(colon + 1)));
  }
  return std::nullopt;
}

}  // namespace opscope
