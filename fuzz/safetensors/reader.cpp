// The safetensors reader on any bytes.
#include <cstddef>
#include <cstdint>

#include "../weights_reader.h"
#include "cost/static_analysis.h"
#include "model/formats/safetensors/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return opscope::ReadAnyWeights(opscope::safetensors::kFormat, data, size);
}
