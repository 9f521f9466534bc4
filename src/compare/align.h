// Internal to compare: pairs of equal elements of two sequences, in the order of both.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace opscope {

using IndexPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Pairs (i, j) with a[i] = b[j], rising in both: a longest common subsequence where the sequences
// are short enough (a.size() * b.size() <= kMaxAligned after equal ends are taken off), else the
// equal ends and the elements that occur once on both sides. 0 = pairs with nothing.
constexpr std::size_t kMaxAligned = 1'000'000;
IndexPairs Align(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

// Positions of a longest rising subsequence.
std::vector<std::size_t> LongestRising(const std::vector<std::uint32_t>& values);

}  // namespace opscope
