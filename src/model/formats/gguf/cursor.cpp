#include "model/formats/gguf/cursor.h"

#include <algorithm>

#include "base/import_log.h"

namespace opscope::gguf {

namespace {

constexpr std::size_t kWindow = 256 * 1024;  // the header is read from front to back

}  // namespace

Error Cursor::Truncated(std::uint64_t wanted) const {
  return {"gguf.truncated",
          "the file ends in its header: " + std::to_string(wanted) + " bytes are wanted where " +
              std::to_string(left()) + " are left; it was cut or damaged, get it again",
          AtByte(at_)};
}

Result<std::string_view> Cursor::Bytes(std::uint64_t length) {
  if (length > left()) return Truncated(length);
  const auto wanted = static_cast<std::size_t>(length);
  std::string_view bytes = source_.Buffered(at_);
  if (bytes.size() < wanted) {
    TRY_ASSIGN(bytes, source_.Window(at_, std::max(wanted, kWindow)));
    if (bytes.size() < wanted) return Truncated(length);
  }
  at_ += length;
  return bytes.substr(0, wanted);
}

Result<std::uint64_t> Cursor::Number(std::size_t bytes) {
  TRY_ASSIGN(const std::string_view raw, Bytes(bytes));
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
  return value;
}

Result<void> Cursor::Skip(std::uint64_t length) {
  if (length > left()) return Truncated(length);
  at_ += length;
  return {};
}

}  // namespace opscope::gguf
