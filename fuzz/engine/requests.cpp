// A line on an engine program's standard input.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/common/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  static_cast<void>(opscope::child::ParseRequest(line).has_value());
  return 0;
}
