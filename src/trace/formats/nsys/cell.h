// One row of a table as its readers hand it over.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace opscope::nsys {

// A cell that is NULL, of an absent column, or holds no integer where one belongs.
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

struct Cell {
  std::int64_t integer = kNone;
  std::string_view text;  // valid as long as the row; empty where there is none
};

// Columns by their place in the list that the walk was given.
class Row {
 public:
  explicit Row(const Cell* cells) : cells_(cells) {}

  std::int64_t Integer(std::size_t column) const { return cells_[column].integer; }
  std::string_view Text(std::size_t column) const { return cells_[column].text; }

 private:
  const Cell* cells_;
};

}  // namespace opscope::nsys
