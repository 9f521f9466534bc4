// A text table that fits a width: one column gives way (its names are cut in the middle), then
// whole columns go, the least important first.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace opscope {

struct FittedColumn {
  std::string title;
  Align align = Align::kLeft;
  int importance = 0;     // the lowest goes first; a column at kKept never goes
  bool flexible = false;  // gives way down to kNarrowest
  std::vector<std::string> cells = {};

  static constexpr int kKept = 100;
  static constexpr std::size_t kNarrowest = 16;
};

class FittedTable {
 public:
  explicit FittedTable(std::vector<FittedColumn> columns) : columns_(std::move(columns)) {}
  void AddRow(std::vector<std::string> cells);
  // Lines of at most `width` columns; 0 = as wide as needed.
  std::string Render(std::size_t width);

 private:
  std::vector<FittedColumn> columns_;
};

}  // namespace opscope
