#include "compare/align.h"

#include <algorithm>
#include <unordered_map>

namespace opscope {

namespace {

using Keys = std::vector<std::uint64_t>;

// The part of both sequences that is left between equal ends.
struct Middle {
  std::size_t a_begin, a_end, b_begin, b_end;

  std::size_t a_size() const { return a_end - a_begin; }
  std::size_t b_size() const { return b_end - b_begin; }
};

bool Fits(const Keys& a, std::size_t i, const Keys& b, std::size_t j) {
  return a[i] != 0 && a[i] == b[j];
}

Middle TakeEnds(const Keys& a, const Keys& b, IndexPairs& pairs) {
  Middle middle{0, a.size(), 0, b.size()};
  while (middle.a_begin < middle.a_end && middle.b_begin < middle.b_end &&
         Fits(a, middle.a_begin, b, middle.b_begin))
    pairs.emplace_back(middle.a_begin++, middle.b_begin++);
  while (middle.a_begin < middle.a_end && middle.b_begin < middle.b_end &&
         Fits(a, middle.a_end - 1, b, middle.b_end - 1))
    pairs.emplace_back(--middle.a_end, --middle.b_end);
  return middle;
}

// The textbook table, from the back so that the pairs come out in order.
void AlignByTable(const Keys& a, const Keys& b, const Middle& middle, IndexPairs& pairs) {
  const std::size_t rows = middle.a_size(), columns = middle.b_size();
  std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return longest[i * (columns + 1) + j];
  };
  const auto fits = [&](std::size_t i, std::size_t j) {
    return Fits(a, middle.a_begin + i, b, middle.b_begin + j);
  };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = fits(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (fits(i, j) && at(i, j) == at(i + 1, j + 1) + 1)
      pairs.emplace_back(middle.a_begin + i++, middle.b_begin + j++);
    else if (at(i + 1, j) >= at(i, j + 1))
      ++i;
    else
      ++j;
  }
}

// Elements that occur once in each; of these a longest rising part.
void AlignUnique(const Keys& a, const Keys& b, const Middle& middle, IndexPairs& pairs) {
  struct Seen {
    std::size_t count_a = 0, count_b = 0, at_b = 0;
  };
  std::unordered_map<std::uint64_t, Seen> seen;
  for (std::size_t i = middle.a_begin; i < middle.a_end; ++i) ++seen[a[i]].count_a;
  for (std::size_t j = middle.b_begin; j < middle.b_end; ++j) {
    Seen& entry = seen[b[j]];
    ++entry.count_b;
    entry.at_b = j;
  }
  std::vector<std::size_t> at_a;
  std::vector<std::uint32_t> at_b;
  for (std::size_t i = middle.a_begin; i < middle.a_end; ++i) {
    const Seen& entry = seen[a[i]];
    if (a[i] == 0 || entry.count_a != 1 || entry.count_b != 1) continue;
    at_a.push_back(i);
    at_b.push_back(static_cast<std::uint32_t>(entry.at_b));
  }
  for (const std::size_t k : LongestRising(at_b)) pairs.emplace_back(at_a[k], at_b[k]);
}

}  // namespace

IndexPairs Align(const Keys& a, const Keys& b) {
  IndexPairs pairs;
  const Middle middle = TakeEnds(a, b, pairs);
  if (middle.a_size() == 0 || middle.b_size() == 0) return pairs;
  if (middle.a_size() <= kMaxAligned / middle.b_size())
    AlignByTable(a, b, middle, pairs);
  else
    AlignUnique(a, b, middle, pairs);
  return pairs;
}

// Patience: `ends[k]` is where the lowest-ending rising run of length k + 1 ends.
std::vector<std::size_t> LongestRising(const std::vector<std::uint32_t>& values) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> ends;
  std::vector<std::size_t> before(values.size(), kNone);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at =
        std::lower_bound(ends.begin(), ends.end(), values[i],
                         [&](std::size_t end, std::uint32_t value) { return values[end] < value; });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end())
      ends.push_back(i);
    else
      *at = i;
  }
  std::vector<std::size_t> out;
  for (std::size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = before[i])
    out.push_back(i);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace opscope
