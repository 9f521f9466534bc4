// Internal to document: what kinds of members the structs of a Document have.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opscope/document/field.h"

namespace opscope {

// A struct that lists its fields.
template <class T>
concept Described = requires {
  T::kTitle;
};

template <class T>
bool Absent(const std::optional<T>& value) {
  return !value.has_value();
}
template <class T>
bool Absent(const std::vector<T>& value) {
  return value.empty();
}
inline bool Absent(const std::string& value) { return value.empty(); }

}  // namespace opscope
