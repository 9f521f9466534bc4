// Internal to trace: searching sorted rows from where the last search ended.
#pragma once

#include <algorithm>
#include <iterator>

namespace opscope {

// The first of [begin, end) for which `is_before` is false, like std::partition_point: as fast as
// looking at the neighbours of `near` when it stands there, logarithmic when it stands far away.
template <class Iterator, class IsBefore>
Iterator LowerBoundNear(Iterator begin, Iterator end, Iterator near, IsBefore is_before) {
  typename std::iterator_traits<Iterator>::difference_type step = 1;
  Iterator low = near, high = near;
  if (near != end && is_before(*near)) {
    for (; high != end && is_before(*high); step *= 2) {
      low = high;
      high += std::min(step, end - high);
    }
  } else {
    for (; low != begin && !is_before(*std::prev(low)); step *= 2) {
      high = low;
      low -= std::min(step, low - begin);
    }
  }
  return std::partition_point(low, high, is_before);
}

}  // namespace opscope
