// Text for people: display width (CJK is two columns), safe to print, cut in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// Columns on a terminal; combining marks are 0 wide, East Asian wide and emoji 2.
std::size_t DisplayWidth(std::string_view utf8);
// Valid UTF-8 without control characters, escape sequences and bidi overrides: names in files are
// hostile. Every removed code point becomes U+FFFD (newline and tab become a space).
std::string Printable(std::string_view text);
// At most `columns` wide; what is left out in the middle becomes "..": layers.0/../MatMul.
std::string CutMiddle(std::string_view utf8, std::size_t columns);
// Lines of at most `columns`, folded at blanks, else behind operators and commas.
std::vector<std::string> Folded(std::string_view utf8, std::size_t columns);
// UTF-8 with every invalid sequence replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

enum class Align : std::uint8_t { kLeft, kRight };

// A table of text cells with columns aligned by display width, two blanks between columns.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    std::size_t max_width = 0;  // 0 = as wide as needed; else cells are cut in the middle
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::size_t rows() const { return rows_.size(); }
  // Lines ended by '\n', no trailing blanks. `header` false leaves the titles out.
  std::string Render(bool header = true) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The words nearest to `word` by edit distance (at most a third of its length), best first.
std::vector<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace opscope
