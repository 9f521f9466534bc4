// The element-wise table (data/elementwise.toml): what ops cost beside multiply-accumulates.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/dim.h"

namespace opscope {

// What a count is a multiple of, in this order; the head of the table says what each means.
constexpr std::array<std::string_view, 6> kBases = {"out", "in", "row", "pair", "tap", "affine"};

// A count as a sum of multiples: {0, 3, -1, 0, 0, 0} = 3*in - row.
using Multiples = std::array<int, kBases.size()>;
using Amounts = std::array<Dim, kBases.size()>;

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
// "3*802816 - 10", by default with the names: "3*in - row"; empty when it is 0.
std::string ToText(const Multiples& multiples, std::span<const std::string> amounts);
std::string ToText(const Multiples& multiples);

}  // namespace opscope
