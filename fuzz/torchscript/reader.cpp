// The torchscript reader on any bytes: an error, or a model whose static analysis ends.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/torchscript/torchscript.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  torchscript::Probe(bytes, bytes.size());
  Source source = Source::FromBytes("model", bytes);
  ImportLog log;
  auto model = torchscript::Read({source, log, {}});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}
