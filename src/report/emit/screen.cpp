#include "report/emit/screen.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace opscope {
namespace {

constexpr std::size_t kLeastWidth = 60;
constexpr std::array<std::string_view, 4> kBegin = {"", "\x1b[1m", "\x1b[2m", "\x1b[33m"};
constexpr std::string_view kEnd = "\x1b[0m";

}  // namespace

Screen::Screen(const EmitOptions& options, Sink& sink) : options_(options), sink_(sink) {
  options_.width = std::max(options.width, kLeastWidth);
  if (options_.ascii) options_.language = Language::kEnglish;
}

std::string Screen::Safe(std::string_view text) const {
  std::string out = Printable(text);
  if (!options_.ascii) return out;
  std::string ascii;
  for (const char c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) ascii += c;
    if (byte >= 0xc0) ascii += '?';  // one a code point
  }
  return ascii;
}

void Screen::Line(std::string_view text, Style style) {
  std::string safe = Safe(text);
  safe.erase(safe.find_last_not_of(' ') + 1);
  if (safe.empty()) return;
  constexpr std::string_view kIndent = "  ";
  const std::size_t width = options_.wide ? DisplayWidth(safe) : options_.width;
  const std::string first = Folded(safe, width).front();
  Styled(first, style);
  const std::size_t next = safe.find_first_not_of(' ', first.size());
  if (next == std::string::npos) return;
  for (const std::string& line :
       Folded(std::string_view(safe).substr(next), width - kIndent.size()))
    Styled(std::string(kIndent) + line, style);
}

void Screen::Spread(std::string_view left, std::string_view right, Style style) {
  const std::size_t used = DisplayWidth(Safe(left)) + DisplayWidth(Safe(right));
  constexpr std::size_t kGap = 3;
  if (right.empty() || left.empty() || used + kGap > options_.width) {
    Line(left, style);
    Line(right);
    return;
  }
  const std::size_t gap = std::min<std::size_t>(options_.width - used, 2 * kGap);
  Line(std::string(left) + std::string(gap, ' ') + std::string(right), style);
}

void Screen::Table(FittedTable table) {
  const std::string lines = table.Render(options_.wide ? 0 : options_.width);
  const std::size_t end_of_header = lines.find('\n');
  Styled(std::string_view(lines).substr(0, end_of_header), Style::kBold);
  sink_.Append(std::string_view(lines).substr(end_of_header + 1));
}

void Screen::Styled(std::string_view line, Style style) {
  const bool styled = options_.colour && style != Style::kPlain;
  if (styled) sink_.Append(kBegin[static_cast<std::size_t>(style)]);
  sink_.Append(line);
  if (styled) sink_.Append(kEnd);
  sink_.Append('\n');
}

}  // namespace opscope
