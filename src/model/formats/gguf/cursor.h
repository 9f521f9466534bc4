// A position in a source that reads little-endian values through windows and never past the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace opscope::gguf {

class Cursor {
 public:
  explicit Cursor(Source& source) : source_(source) {}

  std::uint64_t position() const { return at_; }
  std::uint64_t left() const { return source_.size() - at_; }
  // 1 to 8 bytes as an unsigned number. Error: gguf.truncated.
  Result<std::uint64_t> Number(std::size_t bytes);
  // Of at most 64 KiB; valid until the next call.
  Result<std::string_view> Bytes(std::uint64_t length);
  Result<void> Skip(std::uint64_t length);

 private:
  Error Truncated(std::uint64_t wanted) const;

  Source& source_;
  std::uint64_t at_ = 0;
};

}  // namespace opscope::gguf
