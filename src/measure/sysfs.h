// Small pieces of /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// The file's text without blanks at its ends; nullopt when it cannot be read or is empty.
std::optional<std::string> ReadLineOf(const std::string& path);
std::optional<std::int64_t> ReadNumberOf(const std::string& path);
// Numbers of "cpu0", "cpu1" … among a folder's entries, ascending.
std::vector<int> NumberedEntries(const std::string& folder, std::string_view prefix);
// "0-3,8" -> 5.
int CountList(std::string_view list);
// The number a text begins with, "K" and "M" after it multiplied in: "48K" -> 49152, "2299.998" ->
// 2299, "max" -> nullopt.
std::optional<std::int64_t> LeadingNumber(std::string_view text);
// The value after "key<blanks>:" in a text like /proc/cpuinfo; the first one.
std::optional<std::string> FieldOf(std::string_view text, std::string_view key);

}  // namespace opscope
