#include "trace/formats/tflite_profile/run_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>

namespace opscope::tflite_profile {

namespace {

// Cuts are tried one by one: 110 * rows^3 steps, of inner rows 110 * rows^2. Larger tables stay as
// printed.
constexpr std::size_t kMostRows = 100, kMostInner = 400;
constexpr std::size_t kMostNegative = 9, kMostSmall = 10;  // values of -9 .. -1 and 9 .. 0

// Sizes of the parts: k <= -10 | k >= 10 | -9 .. -1 | 9 .. 0.
struct Cut {
  std::size_t far = 0, large = 0, negative = 0, small = 0;
};

// Places of the printed list in the order in which they ran.
std::vector<std::size_t> Restored(const Cut& cut) {
  std::vector<std::size_t> order;
  const auto forward = [&](std::size_t from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) order.push_back(from + i);
  };
  const auto backward = [&](std::size_t from, std::size_t count) {
    for (std::size_t i = count; i-- > 0;) order.push_back(from + i);
  };
  forward(cut.far, cut.large);
  forward(cut.far + cut.large + cut.negative, cut.small);
  backward(cut.far + cut.large, cut.negative);
  backward(0, cut.far);
  return order;
}

// How the k of a part is bounded, for the part in which a place of the restored order lies.
struct Range {
  std::int64_t least, most;
};
Range RangeAt(const Cut& cut, std::size_t place) {
  constexpr std::int64_t kFar = 1 << 30;
  if (place < cut.large) return {10, kFar};
  if (place < cut.large + cut.small) return {0, 9};
  if (place < cut.large + cut.small + cut.negative) return {-9, -1};
  return {-kFar, -10};
}

// Whether k = rows - place - (inner events so far) can lie in its part everywhere, when inner
// events come only behind delegates and are `inner` in all.
bool CanBe(const std::vector<OpRow>& rows, const Cut& cut, const std::vector<std::size_t>& order,
           std::int64_t inner) {
  const auto count = static_cast<std::int64_t>(rows.size());
  std::int64_t least = 0, most = 0;  // inner events before this place
  bool behind_delegate = false;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Range range = RangeAt(cut, place);
    const std::int64_t plain = count - static_cast<std::int64_t>(place);
    if (behind_delegate) most = inner;
    least = std::max(least, plain - range.most);
    most = std::min(most, plain - range.least);
    if (least > most) return false;
    behind_delegate = rows[order[place]].is_delegate();
  }
  return behind_delegate || most == inner;
}

// How often a later row has a smaller index, among delegates and among the others.
std::size_t Falls(const std::vector<OpRow>& rows, const std::vector<std::size_t>& order) {
  std::size_t falls = 0;
  for (std::size_t b = 1; b < order.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const OpRow &first = rows[order[a]], &second = rows[order[b]];
      if (first.is_delegate() == second.is_delegate() && first.index > second.index) ++falls;
    }
  return falls;
}

// Neighbours of which the second is neither the next operator nor the first of a delegate.
std::size_t Breaks(const std::vector<OpRow>& rows, const std::vector<std::size_t>& order) {
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::int32_t index = rows[order[i]].index;
    if (index != 0 && index != rows[order[i - 1]].index + 1) ++breaks;
  }
  return breaks;
}

template <class Visit>
void EachCut(std::size_t rows, Visit&& visit) {
  for (std::size_t small = 0; small <= std::min(kMostSmall, rows); ++small)
    for (std::size_t negative = 0; negative <= std::min(kMostNegative, rows - small); ++negative)
      for (std::size_t far = 0; far + small + negative <= rows; ++far)
        visit(Cut{far, rows - far - small - negative, negative, small});
}

std::vector<OpRow> Ordered(std::vector<OpRow> rows, const std::vector<std::size_t>& order) {
  std::vector<OpRow> out;
  out.reserve(rows.size());
  for (const std::size_t place : order) out.push_back(std::move(rows[place]));
  return out;
}

bool ByStart(std::vector<OpRow>& rows) {
  const bool all = std::all_of(rows.begin(), rows.end(),
                               [](const OpRow& row) { return row.start_ns.has_value(); });
  if (!all) return false;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OpRow& a, const OpRow& b) { return *a.start_ns < *b.start_ns; });
  return true;
}

}  // namespace

std::vector<OpRow> InRunOrder(std::vector<OpRow> printed, std::int64_t inner) {
  if (printed.size() < 2 || ByStart(printed) || inner <= 0 || printed.size() > kMostRows)
    return printed;
  using Score = std::tuple<std::size_t, std::size_t>;  // falls; rows that stand before a delegate
  std::optional<Score> best;
  std::vector<std::size_t> chosen;
  EachCut(printed.size(), [&](const Cut& cut) {
    if (cut.large > 0 && printed.size() < 10) return;
    std::vector<std::size_t> order = Restored(cut);
    if (!CanBe(printed, cut, order, inner)) return;
    const Score score = {Falls(printed, order), cut.large + cut.small};
    if (best && score >= *best) return;
    best = score;
    chosen = std::move(order);
  });
  return best ? Ordered(std::move(printed), chosen) : printed;
}

std::vector<OpRow> InnerInRunOrder(std::vector<OpRow> printed) {
  if (printed.size() < 2 || ByStart(printed) || printed.size() > kMostInner) return printed;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> chosen;
  EachCut(printed.size(), [&](const Cut& cut) {
    std::vector<std::size_t> order = Restored(cut);
    const std::size_t breaks = Breaks(printed, order);
    if (breaks >= fewest) return;
    fewest = breaks;
    chosen = std::move(order);
  });
  return Ordered(std::move(printed), chosen);
}

}  // namespace opscope::tflite_profile
