// One line of a log without its prefixes.
#pragma once

#include <optional>
#include <string_view>

namespace opscope::trtexec_log {

struct LogLine {
  std::string_view text;
  char severity = ' ';  // 'V' 'I' 'W' 'E'; ' ' = the line has no prefix (a continuation)
  bool core = false;    // of the library itself ("[TRT]"), not of trtexec
};

// "[07/07/2026-02:11:43] [I] [TRT] Loaded engine size: 6 MiB" -> "Loaded engine size: 6 MiB". The
// blanks that set out a table stay.
LogLine ParseLine(std::string_view line);

// What stands behind `start`; nullopt when the text does not begin with it.
std::optional<std::string_view> After(std::string_view text, std::string_view start);

}  // namespace opscope::trtexec_log
