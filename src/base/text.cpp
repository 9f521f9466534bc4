#include "base/text.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text_utf8.h"

namespace opscope {

namespace {

constexpr std::string_view kDots = "..";
// Longer words are nobody's misspelling of an option, and would be slow to compare.
constexpr std::size_t kMaxWord = 128;

// Characters that move, hide or reorder what stands around them.
bool IsHostile(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;                           // C0, DEL, C1
  if (c == 0x2028 || c == 0x2029) return true;                                    // line separators
  if (c == 0x061c || c == 0x200e || c == 0x200f) return true;                     // bidi marks
  if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)) return true;  // bidi overrides
  return c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);  // byte-order mark, tags
}

// The longest beginning of `text` that is at most `columns` wide.
std::string_view HeadOf(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t width = 0;
  while (bytes < text.size()) {
    const CodePoint c = NextCodePoint(text.substr(bytes));
    width += CodePointWidth(c.value);
    if (width > columns) break;
    bytes += c.bytes;
  }
  return text.substr(0, bytes);
}

// The longest end of `text` that is at most `columns` wide.
std::string_view TailOf(std::string_view text, std::size_t columns) {
  std::size_t width = DisplayWidth(text);
  std::size_t bytes = 0;
  while (width > columns) {
    const CodePoint c = NextCodePoint(text.substr(bytes));
    width -= CodePointWidth(c.value);
    bytes += c.bytes;
  }
  return text.substr(bytes);
}

// Where a line that goes on may end: at a blank, else behind an operator or a comma, both in its
// right half; else at its end.
std::size_t BreakOf(std::string_view line) {
  const auto in_right_half = [&](std::size_t at) {
    return at != std::string_view::npos && at > line.size() / 2;
  };
  if (const std::size_t blank = line.rfind(' '); in_right_half(blank)) return blank;
  if (const std::size_t sign = line.find_last_of("*,/+"); in_right_half(sign)) return sign + 1;
  return line.size();
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::size_t DisplayWidth(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const CodePoint c = NextCodePoint(utf8);
    width += CodePointWidth(c.value);
    utf8.remove_prefix(c.bytes);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = NextCodePoint(text);
    const bool blank = c.value == '\n' || c.value == '\t';
    AppendUtf8(blank ? U' ' : IsHostile(c.value) ? kReplacement : c.value, out);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string CutMiddle(std::string_view utf8, std::size_t columns) {
  if (DisplayWidth(utf8) <= columns) return std::string(utf8);
  if (columns <= kDots.size()) return std::string(kDots.substr(0, columns));
  const std::size_t room = columns - kDots.size();
  std::string_view head = HeadOf(utf8, room / 2);
  std::string_view tail = TailOf(utf8, room - room / 2);
  // Whole path components, unless that would throw away more than half of what fits.
  const std::size_t slash_in_head = head.rfind('/');
  if (slash_in_head != std::string_view::npos && slash_in_head + 1 >= head.size() / 2)
    head = head.substr(0, slash_in_head + 1);
  const std::size_t slash_in_tail = tail.find('/');
  if (slash_in_tail != std::string_view::npos && slash_in_tail <= tail.size() / 2)
    tail = tail.substr(slash_in_tail);
  return std::string(head).append(kDots).append(tail);
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = NextCodePoint(text);
    AppendUtf8(c.value, out);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string TextTable::Render(bool header) const {
  std::vector<std::vector<std::string>> lines;
  if (header) {
    lines.emplace_back();
    for (const Column& column : columns_) lines.back().push_back(column.title);
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size());
  for (auto& line : lines) {
    line.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].max_width != 0) line[i] = CutMiddle(line[i], columns_[i].max_width);
      widths[i] = std::max(widths[i], DisplayWidth(line[i]));
    }
  }

  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string padding(widths[i] - DisplayWidth(line[i]), ' ');
      const bool right = columns_[i].align == Align::kRight;
      out.append(i == 0 ? "" : "  ").append(right ? padding + line[i] : line[i] + padding);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out.push_back('\n');
  }
  return out;
}

std::vector<std::string> Folded(std::string_view utf8, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 2);  // room for the widest character
  std::vector<std::string> lines;
  while (true) {
    std::string_view head = HeadOf(utf8, columns);
    if (head.size() == utf8.size()) break;
    if (utf8[head.size()] != ' ') head = head.substr(0, BreakOf(head));
    lines.emplace_back(head);
    lines.back().erase(lines.back().find_last_not_of(' ') + 1);
    utf8.remove_prefix(head.size());
    utf8.remove_prefix(std::min(utf8.find_first_not_of(' '), utf8.size()));
  }
  if (!utf8.empty() || lines.empty()) lines.emplace_back(utf8);
  return lines;
}

std::vector<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kMaxWord) return {};
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& entry : near) out.push_back(std::move(entry.second));
  return out;
}

}  // namespace opscope
