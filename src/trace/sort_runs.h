// Internal to trace: sorting what is sorted but for a few seams, as recorders write it: several
// threads, tables or streams one behind the other, each in time order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace opscope {

// Sorts [begin, end) like std::stable_sort. Linear in the length times the logarithm of the number
// of ascending runs; `spare` is room that several calls can share.
template <class T, class Less>
void SortRuns(T* begin, T* end, std::vector<T>& spare, Less less) {
  constexpr std::size_t kShortRun = 16;  // on average: below, runs are no help
  const auto count = static_cast<std::size_t>(end - begin);
  std::vector<T*> seams{begin};
  for (T* at = begin; at != end; at = seams.back()) {
    T* seam = std::is_sorted_until(at, end, less);
    if (seams.size() > count / kShortRun + 1) return std::stable_sort(begin, end, less);
    seams.push_back(seam);
  }
  if (seams.size() <= 2) return;
  if (spare.size() < count) spare.resize(count);
  T *from = begin, *to = spare.data();
  while (seams.size() > 2) {
    // Two neighbours become one; a last one without a neighbour is moved along.
    std::vector<T*> merged{to};
    for (std::size_t i = 0; i + 1 < seams.size(); i += 2) {
      T* const middle = seams[i + 1];
      T* const last = i + 2 < seams.size() ? seams[i + 2] : middle;
      merged.push_back(std::merge(seams[i], middle, middle, last, merged.back(), less));
    }
    seams = std::move(merged);
    std::swap(from, to);
  }
  if (from != begin) std::copy(from, from + count, begin);
}

template <class T, class Less>
void SortRuns(std::vector<T>& values, Less less) {
  std::vector<T> spare;
  SortRuns(values.data(), values.data() + values.size(), spare, less);
}

}  // namespace opscope
