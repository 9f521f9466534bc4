// The element-wise table (data/elementwise.toml): what ops cost beside multiply-accumulates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/dim.h"

namespace opscope {

// What a count is a multiple of; the names and meanings stand at the head of the table.
enum class Basis : std::uint8_t { kOut, kIn, kRow, kPair, kTap, kAffine };
constexpr std::size_t kBases = 6;
std::string_view Name(Basis basis);

// A count as a sum of multiples: {0, 3, -1, 0, 0, 0} = 3*in - row.
using Multiples = std::array<int, kBases>;
using Amounts = std::array<Dim, kBases>;

struct ElementwiseRule {
  std::string_view op;  // "Add", "Resize.linear", "com.microsoft.Gelu"
  Multiples elementwise, transcendental, comparisons;
  std::string_view definition;
};

std::span<const ElementwiseRule> ElementwiseRules();  // sorted by op

// The rule of an op, or nullptr. A rule of "op.mode" goes before the one of "op".
const ElementwiseRule* FindElementwise(std::string_view domain, std::string_view op,
                                       std::string_view mode = {});

// The sum of the multiples.
Dim Apply(DimTable& dims, const Multiples& multiples, const Amounts& amounts);
// "3*802816 - 10", or with names for numbers "3*in - row"; empty when it is 0.
std::string ToText(const Multiples& multiples, std::span<const std::string> amounts);
std::string ToText(const Multiples& multiples);

}  // namespace opscope
