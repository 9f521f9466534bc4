// The lines of a text, through windows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace opscope {

struct TextLine {
  std::string_view text;  // without its end ("\n", "\r\n"); valid until the next Next()
  std::uint64_t offset = 0;
  bool ended = true;  // false: the last bytes of the input, which no line end follows
  bool cut = false;   // longer than kMaxLine: the rest is passed over
};

class Lines {
 public:
  static constexpr std::size_t kMaxLine = 1 << 20;

  // A byte-order mark is passed over.
  explicit Lines(Source& source, std::uint64_t offset = 0) : source_(&source), at_(offset) {}
  Result<std::optional<TextLine>> Next();

 private:
  Result<void> SkipRest();

  Source* source_;
  std::uint64_t at_ = 0;
  bool skip_ = false;
};

}  // namespace opscope
