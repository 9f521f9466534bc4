#include "trace/formats/text_table.h"

#include <algorithm>

#include "base/trimmed.h"

namespace opscope::text_table {

namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Where the `count`-th code point from `at` on begins.
std::size_t Advance(std::string_view line, std::size_t at, std::size_t count) {
  for (; count > 0 && at < line.size(); --count) {
    ++at;
    while (at < line.size() && IsContinuation(line[at])) ++at;
  }
  return at;
}

// Stretches between double blanks.
std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find("  ", begin), line.size());
    const std::string_view word = Trimmed(line.substr(begin, end - begin));
    if (!word.empty()) out.push_back(word);
    at = end;
  }
  return out;
}

std::optional<std::vector<std::string_view>> ByBlanks(std::string_view line, std::size_t columns,
                                                      std::size_t wide) {
  std::vector<std::string_view> words = Words(line);
  if (words.size() < columns || wide >= columns) return std::nullopt;
  const std::size_t more = words.size() - columns;
  const std::string_view first = words[wide], last = words[wide + more];
  words[wide] = std::string_view(
      first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(wide) + 1,
              words.begin() + static_cast<std::ptrdiff_t>(wide + 1 + more));
  return words;
}

}  // namespace

std::vector<Column> Rule(std::string_view line) {
  constexpr std::size_t kLeastColumns = 3, kMostColumns = 64, kLeastDashes = 3;
  std::vector<Column> columns;
  if (line.find_first_not_of("- ") != std::string_view::npos) return columns;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find('-', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end - begin < kLeastDashes || columns.size() == kMostColumns) return {};
    columns.push_back({begin, end});
    at = end;
  }
  return columns.size() < kLeastColumns ? std::vector<Column>() : columns;
}

std::optional<std::vector<std::string_view>> Cells(std::string_view line,
                                                   const std::vector<Column>& columns,
                                                   std::size_t wide) {
  std::vector<std::string_view> cells;
  std::size_t at = 0, point = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t begin = Advance(line, at, columns[i].begin - point);
    const bool last = i + 1 == columns.size();
    const std::size_t end =
        last ? line.size() : Advance(line, begin, columns[i].end - columns[i].begin);
    if (!Trimmed(line.substr(at, begin - at)).empty()) return ByBlanks(line, columns.size(), wide);
    cells.push_back(Trimmed(line.substr(begin, end - begin)));
    at = end;
    point = columns[i].end;
  }
  return cells;
}

std::vector<std::string> Separated(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace opscope::text_table
