// The code of archives from any bytes: an error, or statements.
#include "model/formats/torchscript/code.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)opscope::torchscript::ParseCode({reinterpret_cast<const char*>(data), size}).has_value();
  return 0;
}
