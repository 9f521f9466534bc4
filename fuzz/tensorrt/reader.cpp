// The TensorRT layer list reader on any bytes: an error, or a model whose static analysis ends.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fused_name.h"
#include "cost/static_analysis.h"
#include "model/formats/tensorrt/tensorrt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  tensorrt::Probe(bytes, size);
  ParseFusedName(bytes);
  OnnxLayersOf(bytes);
  Source source = Source::FromBytes("m.json", bytes);
  ImportLog log;
  auto model = tensorrt::Read({source, log, {}});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}
