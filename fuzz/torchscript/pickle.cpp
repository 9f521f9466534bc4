// Pickles of any bytes: an error, or values; nothing of them is run.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/formats/torchscript/tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope::torchscript;
  auto pickle = ReadPickle({reinterpret_cast<const char*>(data), size});
  if (!pickle.has_value()) return 0;
  std::vector<NamedTensor> tensors;
  (void)ListTensors(*pickle, tensors).has_value();
  return 0;
}
