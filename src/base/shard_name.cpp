#include "base/shard_name.h"

#include <algorithm>
#include <charconv>

namespace opscope {

namespace {

constexpr std::size_t kDigits = 5;
constexpr std::string_view kBetween = "-of-";

std::optional<std::int64_t> FiveDigits(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const bool whole = text.size() == kDigits && error == std::errc() && end == last;
  return whole && text[0] != '-' ? std::optional(number) : std::nullopt;
}

std::string Padded(std::int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kDigits - std::min(digits.size(), kDigits), '0') + digits;
}

}  // namespace

std::optional<ShardName> ParseShardName(std::string_view file_name) {
  const std::size_t between = file_name.rfind(kBetween);
  if (between == std::string_view::npos || between < kDigits + 1) return std::nullopt;
  const std::size_t dash = between - kDigits - 1;
  const std::string_view behind = file_name.substr(between + kBetween.size());
  const auto number = FiveDigits(file_name.substr(dash + 1, kDigits));
  const auto of = FiveDigits(behind.substr(0, kDigits));
  if (file_name[dash] != '-' || !number || !of || behind.size() < kDigits + 2 ||
      behind[kDigits] != '.')
    return std::nullopt;
  return ShardName{std::string(file_name.substr(0, dash)), *number, *of,
                   std::string(behind.substr(kDigits))};
}

std::string ToText(const ShardName& shard) {
  return shard.stem + "-" + Padded(shard.number) + std::string(kBetween) + Padded(shard.of) +
         shard.ending;
}

}  // namespace opscope
