// Interval algebra in integer nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace opscope {

// [begin, end), with the row it belongs to.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t row = 0;
};

// The union of intervals as they come. Those that come in the order of their begins are joined at
// once; others cost a sort at the end.
class UnionBuilder {
 public:
  void Add(const Interval& interval) {
    if (interval.begin >= interval.end) return;
    if (parts_.empty() || interval.begin > parts_.back().end) return parts_.push_back(interval);
    if (interval.begin >= parts_.back().begin) {
      parts_.back().end = std::max(parts_.back().end, interval.end);
    } else {
      sorted_ = false;
      parts_.push_back(interval);
    }
  }
  // Sorted and disjoint; the builder is empty afterwards.
  std::vector<Interval> Take();

 private:
  std::vector<Interval> parts_;
  bool sorted_ = true;
};

// The length of a union alone, of intervals that come in the order of their begins.
class SortedUnionLength {
 public:
  void Add(const Interval& interval) {
    const std::int64_t begin = any_ ? std::max(interval.begin, end_) : interval.begin;
    if (interval.end > begin) length_ += interval.end - begin;
    end_ = any_ ? std::max(end_, interval.end) : interval.end;
    any_ = true;
  }
  std::int64_t length() const { return length_; }

 private:
  std::int64_t end_ = 0, length_ = 0;
  bool any_ = false;
};

// Length of the union. Empty and reversed intervals count nothing.
std::int64_t UnionLength(std::vector<Interval> intervals);

// The sorted, disjoint union.
std::vector<Interval> Union(std::vector<Interval> intervals);

// `whole` without the union of `holes`, sorted; rows are that of `whole`.
std::vector<Interval> Subtract(const Interval& whole, std::vector<Interval> holes);

// Length of a set that Union made.
std::int64_t Length(const std::vector<Interval>& disjoint);
// What two sets that Union made have in common; rows are those of `a`. Linear.
std::vector<Interval> Intersect(const std::vector<Interval>& a, const std::vector<Interval>& b);
std::int64_t IntersectionLength(const std::vector<Interval>& a, const std::vector<Interval>& b);
// `a` without `b`, both made by Union; rows are those of `a`. Linear.
std::vector<Interval> Without(const std::vector<Interval>& a, const std::vector<Interval>& b);

// Every instant is shared in equal parts by the intervals that cover it; what does not divide goes
// to the lowest row of them. Returns the time of each interval, in the order given; the sum is
// exactly UnionLength. O(n log n), however many overlap.
std::vector<std::int64_t> ShareEqually(const std::vector<Interval>& intervals);

// Splits `total` >= 0 in proportion to `weights` (each >= 0), exactly: the parts sum to `total`.
// The largest remainders get the odd nanoseconds, the lowest index first among equals. All weights
// 0 = equal parts.
std::vector<std::int64_t> SplitByWeight(std::int64_t total,
                                        const std::vector<std::int64_t>& weights);

}  // namespace opscope
