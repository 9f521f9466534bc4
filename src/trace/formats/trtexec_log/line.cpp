#include "trace/formats/trtexec_log/line.h"

namespace opscope::trtexec_log {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "[07/07/2026-02:11:43] "; without a date in old releases.
bool TakeDate(std::string_view& text) {
  if (text.size() < 4 || text[0] != '[' || !IsDigit(text[1])) return false;
  const std::size_t end = text.find("] ");
  if (end == std::string_view::npos || end > 24) return false;
  text.remove_prefix(end + 2);
  return true;
}

}  // namespace

std::optional<std::string_view> After(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

LogLine ParseLine(std::string_view line) {
  LogLine out{line};
  std::string_view text = line;
  TakeDate(text);
  constexpr std::string_view kSeverities = "VIWEF";
  if (text.size() < 3 || text[0] != '[' || text[2] != ']' ||
      kSeverities.find(text[1]) == std::string_view::npos)
    return out;
  out.severity = text[1];
  text.remove_prefix(3);
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (const auto core = After(text, "[TRT] ")) {
    out.core = true;
    text = *core;
  }
  out.text = text;
  return out;
}

}  // namespace opscope::trtexec_log
