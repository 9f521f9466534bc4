// The ncnn reader on any bytes: an error, or a model whose static analysis ends.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/ncnn/ncnn.h"

// The bytes up to a line "---" are the layers, those behind it the weights beside them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string weights;
  if (const std::size_t at = bytes.rfind("\n---\n"); at != std::string::npos) {
    weights = bytes.substr(at + 5);
    bytes.resize(at + 1);
  }
  ncnn::Probe(bytes, bytes.size());
  Source source = Source::FromBytes("net.param", bytes);
  ImportLog log;
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    return Source::FromBytes(name, weights);
  };
  auto model = ncnn::Read({source, log, sibling});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}
