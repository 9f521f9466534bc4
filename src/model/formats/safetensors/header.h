// The header of one safetensors file, and the index of a model in several files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "base/source.h"
#include "model/dtype.h"

namespace opscope::safetensors {

struct Entry {
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<std::int64_t> dims;
  std::uint64_t begin = 0, end = 0;  // in the file
};

struct Header {
  std::vector<Entry> entries;  // by their place in the file
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Checks what is said against itself and the size of the file: bytes that the shape needs, no
// overlap, nothing beyond the end, no name twice.
Result<Header> ReadHeader(Source& source, ImportLog& log);

struct Index {
  std::vector<std::string> files;                            // in the order of first mention
  std::vector<std::pair<std::string, std::size_t>> weights;  // name, file
};
Result<Index> ReadIndex(Source& source);

}  // namespace opscope::safetensors
