#include "trace/interval.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"
#include "opscope/int128.h"
#include "trace/sort_runs.h"

namespace opscope {

namespace {

void SortByBegin(std::vector<Interval>& intervals) {
  SortRuns(intervals, [](const Interval& a, const Interval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
}

template <class Take>
void ForEachCommon(const std::vector<Interval>& a, const std::vector<Interval>& b, Take take) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t begin = std::max(a[i].begin, b[j].begin);
    const std::int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) take(Interval{begin, end, a[i].row});
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
}

// What every running interval has got so far. `each_` is what one interval would have got if it had
// run from the start: an interval's share is the difference of it between end and begin, plus the
// odd nanoseconds of the stretches in which its row was the lowest.
class Sharing {
 public:
  explicit Sharing(std::size_t count) : share_(count), ended_(count) {}

  void Begin(std::size_t interval, std::uint32_t row) {
    share_[interval] = -each_;
    lowest_.push({row, interval});
    ++running_;
  }
  void End(std::size_t interval) {
    share_[interval] += each_;
    ended_[interval] = true;
    --running_;
  }
  void Pass(std::int64_t length) {
    if (running_ == 0) return;
    each_ += length / running_;
    while (ended_[lowest_.top().second]) lowest_.pop();
    share_[lowest_.top().second] += length % running_;
  }
  std::vector<std::int64_t> Take() { return std::move(share_); }

 private:
  using RowAndInterval = std::pair<std::uint32_t, std::size_t>;
  std::vector<std::int64_t> share_;
  std::vector<bool> ended_;
  std::priority_queue<RowAndInterval, std::vector<RowAndInterval>, std::greater<>> lowest_;
  std::int64_t each_ = 0;
  std::int64_t running_ = 0;
};

}  // namespace

std::vector<Interval> UnionBuilder::Take() {
  if (!std::exchange(sorted_, true)) parts_ = Union(std::move(parts_));
  return std::exchange(parts_, {});
}

std::vector<Interval> Union(std::vector<Interval> intervals) {
  SortByBegin(intervals);
  UnionBuilder joined;
  for (const Interval& interval : intervals) joined.Add(interval);
  return joined.Take();
}

std::int64_t UnionLength(std::vector<Interval> intervals) {
  std::int64_t length = 0;
  for (const Interval& interval : Union(std::move(intervals)))
    length += interval.end - interval.begin;
  return length;
}

std::vector<Interval> Subtract(const Interval& whole, std::vector<Interval> holes) {
  std::vector<Interval> left;
  std::int64_t at = whole.begin;
  for (const Interval& hole : Union(std::move(holes))) {
    if (hole.end <= at) continue;
    if (hole.begin >= whole.end) break;
    if (hole.begin > at) left.push_back({at, hole.begin, whole.row});
    at = hole.end;
  }
  if (at < whole.end) left.push_back({at, whole.end, whole.row});
  return left;
}

std::int64_t Length(const std::vector<Interval>& disjoint) {
  std::int64_t length = 0;
  for (const Interval& interval : disjoint) length += interval.end - interval.begin;
  return length;
}

std::vector<Interval> Intersect(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> out;
  ForEachCommon(a, b, [&](const Interval& common) { out.push_back(common); });
  return out;
}

std::int64_t IntersectionLength(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::int64_t length = 0;
  ForEachCommon(a, b, [&](const Interval& common) { length += common.end - common.begin; });
  return length;
}

std::vector<Interval> Without(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> out;
  std::size_t j = 0;
  for (Interval rest : a) {
    while (j < b.size() && b[j].end <= rest.begin) ++j;
    for (std::size_t k = j; k < b.size() && b[k].begin < rest.end; ++k) {
      if (rest.begin < b[k].begin) out.push_back({rest.begin, b[k].begin, rest.row});
      rest.begin = std::max(rest.begin, b[k].end);
    }
    if (rest.begin < rest.end) out.push_back(rest);
  }
  return out;
}

std::vector<std::int64_t> ShareEqually(const std::vector<Interval>& intervals) {
  struct Boundary {
    std::int64_t time;
    bool begins;
    std::size_t interval;
  };
  std::vector<Boundary> boundaries;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].begin >= intervals[i].end) continue;
    boundaries.push_back({intervals[i].begin, true, i});
    boundaries.push_back({intervals[i].end, false, i});
  }
  std::sort(boundaries.begin(), boundaries.end(), [](const Boundary& a, const Boundary& b) {
    return a.time != b.time ? a.time < b.time : a.interval < b.interval;
  });
  Sharing sharing(intervals.size());
  std::int64_t now = boundaries.empty() ? 0 : boundaries.front().time;
  for (const Boundary& boundary : boundaries) {
    sharing.Pass(boundary.time - now);
    now = boundary.time;
    if (boundary.begins)
      sharing.Begin(boundary.interval, intervals[boundary.interval].row);
    else
      sharing.End(boundary.interval);
  }
  return sharing.Take();
}

std::vector<std::int64_t> SplitByWeight(std::int64_t total,
                                        const std::vector<std::int64_t>& weights) {
  CHECK(total >= 0);
  if (weights.empty()) {
    CHECK(total == 0);
    return {};
  }
  Int128 sum = 0;
  for (const std::int64_t weight : weights) {
    CHECK(weight >= 0);
    sum += weight;
  }
  if (sum == 0) return SplitByWeight(total, std::vector<std::int64_t>(weights.size(), 1));
  std::vector<std::int64_t> parts(weights.size());
  std::vector<Int128> remainders(weights.size());
  std::int64_t left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Int128 product = static_cast<Int128>(total) * weights[i];
    parts[i] = static_cast<std::int64_t>(product / sum);
    remainders[i] = product % sum;
    left -= parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++parts[order[i]];
  return parts;
}

}  // namespace opscope
