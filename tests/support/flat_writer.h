// Flatbuffers for tests: a tree of tables, vectors and texts becomes bytes. Whatever a table refers
// to stands behind it, each table with a description of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opscope::testing {

class FlatNode;
using FlatPointer = std::shared_ptr<const FlatNode>;

// A number of `width` bytes that stands in its table.
struct FlatNumber {
  std::uint64_t value;
  std::size_t width;
};
using FlatField = std::variant<FlatNumber, FlatPointer>;
using FlatFields = std::map<int, FlatField>;

class FlatNode {
 public:
  enum class Kind { kTable, kBytes, kNodes };
  Kind kind = Kind::kTable;
  FlatFields fields;               // of a table, by slot
  std::uint32_t count = 0;         // of a vector of numbers, or the length of a text
  std::string bytes;               // its elements
  std::vector<FlatPointer> nodes;  // of a vector of tables or texts
};

inline FlatField I8(std::int64_t value) { return FlatNumber{static_cast<std::uint64_t>(value), 1}; }
inline FlatField I32(std::int64_t value) {
  return FlatNumber{static_cast<std::uint64_t>(value), 4};
}
inline FlatField I64(std::int64_t value) {
  return FlatNumber{static_cast<std::uint64_t>(value), 8};
}
FlatPointer FlatTable(FlatFields fields);
FlatPointer FlatText(std::string_view text);
FlatPointer FlatBytes(std::string bytes);
FlatPointer FlatInts(const std::vector<std::int32_t>& numbers);
FlatPointer FlatLongs(const std::vector<std::int64_t>& numbers);
FlatPointer FlatFloats(const std::vector<float>& numbers);
FlatPointer FlatList(std::vector<FlatPointer> nodes);

// The file: offset of the root, four letters, the tree.
std::string WriteFlat(const FlatPointer& root, std::string_view identifier);

}  // namespace opscope::testing
