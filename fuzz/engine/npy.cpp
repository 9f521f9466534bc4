// The beginning of an .npy array.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engines/common/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view begin(reinterpret_cast<const char*>(data), size);
  const auto header = opscope::child::ParseNpyHeader(begin);
  if (header.has_value()) CHECK(header->data_offset <= size);
  return 0;
}
