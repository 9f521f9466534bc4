// What the functions that list facts share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/format.h"
#include "document/messages.h"
#include "report/emit/facts.h"

namespace opscope {

using Facts = std::vector<Fact>;

// Adds facts, leaving out those that are not known.
class FactList {
 public:
  explicit FactList(Language language) : language_(language) {}

  void Add(std::string_view id, std::string value) {
    if (!value.empty()) facts_.push_back({std::string(Word(id, language_)), std::move(value)});
  }
  void Add(std::string_view id, const std::optional<std::string>& value) {
    if (value) Add(id, *value);
  }
  void Integer(std::string_view id, const std::optional<std::int64_t>& value) {
    if (value) Add(id, FormatInteger(*value));
  }
  void Bytes(std::string_view id, const std::optional<std::int64_t>& value) {
    if (value) Add(id, FormatBytes(*value));
  }
  void Time(std::string_view id, const std::optional<std::int64_t>& value) {
    if (value) Add(id, FormatTime(*value));
  }
  Facts Take() { return std::move(facts_); }

 private:
  Language language_;
  Facts facts_;
};

inline const std::string* Find(const doc::Map<std::string>& map, std::string_view key) {
  for (const auto& [name, value] : map) {
    if (name == key) return &value;
  }
  return nullptr;
}

inline std::string Join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// "a, b, +7": at most `shown` of them, and how many there are besides.
inline std::string JoinFirst(std::vector<std::string> parts, std::size_t shown) {
  if (parts.size() > shown) {
    const std::size_t left_out = parts.size() - shown;
    parts.resize(shown);
    parts.push_back("+" + std::to_string(left_out));
  }
  return Join(parts, ", ");
}

}  // namespace opscope
