// Types and constants of ML programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire.h"
#include "model/formats/coreml/builder.h"

namespace opscope::coreml {

struct NamedType {
  std::string name;
  TypeInfo type;
};

struct Constant {
  TypeInfo type;
  Payload payload;
  std::vector<std::string> texts;
  // What unpacks it: scales, zero points, tables, masks, by their names.
  std::vector<std::pair<std::string, Payload>> beside;
};

// The elements that a shape of numbers has.
std::optional<std::int64_t> CountOf(const Shape& shape);
void SetType(const TypeInfo& type, Constant& out);

// A small constant as an attribute; nullopt for what is large or has no such form.
std::optional<AttributeValue> AttributeOf(const Constant& constant);
// What the elements of a packed constant are stored as, by the operation that unpacks them. Before
// iOS 18 indices of a few bits stand in a vector of bytes, so that the length tells how many; what
// is sparse counts as what is stored, which no dtype says.
DType PackedTypeOf(std::string_view op, DType stored, std::uint64_t length,
                   const TypeInfo& unpacked);

Result<NamedType> ReadNamedType(WireReader message, int depth);
// A constant in the program or in a file beside it.
Result<Constant> ReadValue(Building& building, WireReader message, int depth);

}  // namespace opscope::coreml
