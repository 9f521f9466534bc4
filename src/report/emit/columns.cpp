#include "report/emit/columns.h"

#include <algorithm>

#include "base/check.h"

namespace opscope {
namespace {

constexpr std::size_t kBetween = 2;

std::size_t WidthOf(const FittedColumn& column) {
  std::size_t width = DisplayWidth(column.title);
  for (const std::string& cell : column.cells) width = std::max(width, DisplayWidth(cell));
  return width;
}

// The width below which a column does not go.
std::size_t LeastWidth(const FittedColumn& column) {
  const std::size_t width = WidthOf(column);
  return column.flexible ? std::min(width, FittedColumn::kNarrowest) : width;
}

std::size_t LeastWidth(const std::vector<FittedColumn>& columns) {
  std::size_t width = columns.empty() ? 0 : (columns.size() - 1) * kBetween;
  for (const FittedColumn& column : columns) width += LeastWidth(column);
  return width;
}

void DropUntilItFits(std::vector<FittedColumn>& columns, std::size_t width) {
  while (LeastWidth(columns) > width) {
    const auto least = std::min_element(
        columns.begin(), columns.end(),
        [](const FittedColumn& a, const FittedColumn& b) { return a.importance < b.importance; });
    if (least == columns.end() || least->importance >= FittedColumn::kKept) return;
    columns.erase(least);
  }
}

// The widths of the flexible columns (0 = not one): what is left over goes to the first of them,
// then to the next.
std::vector<std::size_t> Grants(const std::vector<FittedColumn>& columns, std::size_t width) {
  const std::size_t least = LeastWidth(columns);
  std::size_t left = width > least ? width - least : 0;
  std::vector<std::size_t> granted;
  for (const FittedColumn& column : columns) {
    const std::size_t more = std::min(left, WidthOf(column) - LeastWidth(column));
    granted.push_back(column.flexible ? LeastWidth(column) + more : 0);
    left -= more;
  }
  return granted;
}

}  // namespace

void FittedTable::AddRow(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) columns_[i].cells.push_back(std::move(cells[i]));
}

std::string FittedTable::Render(std::size_t width) {
  std::vector<std::size_t> granted(columns_.size(), 0);
  if (width > 0) {
    DropUntilItFits(columns_, width);
    granted = Grants(columns_, width);
  }
  std::vector<TextTable::Column> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    shown.push_back({columns_[i].title, columns_[i].align, granted[i]});
  TextTable table(std::move(shown));
  const std::size_t rows = columns_.empty() ? 0 : columns_.front().cells.size();
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> cells;
    for (const FittedColumn& column : columns_) cells.push_back(column.cells[row]);
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

}  // namespace opscope
