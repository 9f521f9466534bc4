// A reader of weights on any bytes: an error, or a model whose static analysis ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"

namespace opscope {

// The bytes up to a line "---" are the file (each of its parts, where it names several), those
// behind it the config.json beside it.
inline int ReadAnyWeights(const ModelFormat& format, const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string config;
  if (const std::size_t at = bytes.rfind("\n---\n"); at != std::string::npos) {
    config = bytes.substr(at + 5);
    bytes.resize(at);
  }
  format.probe(bytes, bytes.size());
  const std::string ending(format.info.endings);
  Source source = Source::FromBytes("m-00001-of-00002" + ending, bytes);
  ImportLog log;
  const auto sibling = [&](const std::string& name) -> Result<Source> {
    if (name == "config.json") return Source::FromBytes(name, config);
    if (name.ends_with(ending)) return Source::FromBytes(name, bytes);
    return Error{"input.missing", "no such file", name};
  };
  auto model = format.read({source, log, sibling});
  if (!model.has_value()) return 0;
  (void)AnalyzeStatic(*model, {}, log).has_value();
  return 0;
}

}  // namespace opscope
