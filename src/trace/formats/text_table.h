// Tables that people read: columns told by a rule of dashes under or above the titles.
//
//   -------------  ------------  ------------
//            Name    Self CPU %      Self CPU
//   -------------  ------------  ------------
//     aten::empty         1.93%     475.842us
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::text_table {

// [begin, end) in code points.
struct Column {
  std::size_t begin = 0, end = 0;
};

// The columns of a rule: nothing but dashes and blanks, three columns or more. Empty: no rule.
std::vector<Column> Rule(std::string_view line);

// The cells of a row, trimmed. A cell that is wider than its column moves those behind it: then
// the row is split at double blanks, and what is too much belongs to the column `wide` (the name).
// Nullopt: the row does not have as many cells.
std::optional<std::vector<std::string_view>> Cells(std::string_view line,
                                                   const std::vector<Column>& columns,
                                                   std::size_t wide);

// Comma-separated: quoted cells may hold commas and doubled quotes.
std::vector<std::string> Separated(std::string_view line, char separator);

}  // namespace opscope::text_table
