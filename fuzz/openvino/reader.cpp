// The OpenVINO reader on any bytes: an error, or a model whose static analysis ends.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/openvino/openvino.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  openvino::Probe(bytes, size);
  Source source = Source::FromBytes("m.xml", bytes);
  ImportLog log;
  // Weights: the numbers 0 to 31 in 64 bits, small enough to be sizes and axes.
  std::string weights;
  for (int i = 0; i < 32; ++i)
    weights += std::string(1, static_cast<char>(i)) + std::string(7, '\0');
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    return Source::FromBytes(name, weights);
  };
  auto model = openvino::Read({source, log, sibling});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}
