// The safetensors reader on any bytes: an error, or a model whose static analysis ends.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/safetensors/safetensors.h"

// The bytes up to a line "---" are the file, those behind it the config.json beside it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string config;
  if (const std::size_t at = bytes.rfind("\n---\n"); at != std::string::npos) {
    config = bytes.substr(at + 5);
    bytes.resize(at);
  }
  safetensors::Probe(bytes, bytes.size());
  Source source = Source::FromBytes("m-00001-of-00002.safetensors", bytes);
  ImportLog log;
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    if (name == "config.json") return Source::FromBytes(name, config);
    if (name.ends_with(".safetensors")) return Source::FromBytes(name, bytes);
    return Error{"input.missing", "no such file", name};
  };
  auto model = safetensors::Read({source, log, sibling});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}
