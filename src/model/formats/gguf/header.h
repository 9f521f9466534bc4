// The header of one GGUF file: metadata that matter here, and where its tensors lie.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/import_log.h"
#include "base/source.h"
#include "model/dtype.h"

namespace opscope::gguf {

struct Entry {
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<std::int64_t> dims;  // outermost first, as everywhere here; the file has it reversed
  std::uint64_t offset = 0;        // in the file
  std::uint64_t bytes = 0;         // 0 where the type is not known
};

struct Header {
  std::uint32_t version = 0;
  std::map<std::string, std::int64_t, std::less<>> integers;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> lists;  // short ones, of integers
  std::map<std::string, std::string, std::less<>> texts;                // short ones
  std::vector<Entry> entries;                                           // in the order of the file

  std::optional<std::int64_t> Integer(const std::string& key) const;
};

Result<Header> ReadHeader(Source& source, ImportLog& log);

}  // namespace opscope::gguf
