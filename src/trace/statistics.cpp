#include "trace/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/check.h"
#include "opscope/int128.h"

namespace opscope {
namespace {

// Two-sided 95 % points of Student's t for 1 .. 30 degrees of freedom; the normal's beyond.
constexpr std::array kStudent95 = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double kNormal95 = 1.960;
constexpr double kNormal99 = 2.576;

double StudentPoint(std::size_t degrees) {
  return degrees <= kStudent95.size() ? kStudent95[degrees - 1] : kNormal95;
}

Nanos RoundedMean(std::span<const Nanos> values) {
  Int128 sum = 0;
  for (const Nanos value : values) sum += value.value;
  const auto count = static_cast<Int128>(values.size());
  const Int128 twice = 2 * sum + count;  // floor((2s + n) / 2n) rounds half up
  const Int128 floor = twice / (2 * count) - (twice % (2 * count) < 0 ? 1 : 0);
  return {static_cast<std::int64_t>(floor)};
}

std::vector<Nanos> Sorted(std::span<const Nanos> values) {
  std::vector<Nanos> out(values.begin(), values.end());
  std::sort(out.begin(), out.end());
  return out;
}

Nanos MedianOf(std::span<const Nanos> values) { return Quantile(Sorted(values), 0.5); }

double Number(Nanos value) { return static_cast<double>(value.value); }

// Where a quantile lies: `part` of the way from the value at `index` to the next.
struct QuantilePlace {
  std::size_t index;
  double part;
};

QuantilePlace PlaceOf(std::size_t count, double q) {
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(count - 1);
  const auto index = static_cast<std::size_t>(position);
  return {index, position - static_cast<double>(index)};
}

Nanos Between(Nanos low, Nanos high, double part) {
  return low + Nanos{static_cast<std::int64_t>(std::floor(Number(high - low) * part + 0.5))};
}

double Deviation(std::span<const Nanos> values) {
  if (values.size() < 2) return 0;
  const double mean = Number(RoundedMean(values));
  double sum = 0;
  for (const Nanos value : values) sum += (Number(value) - mean) * (Number(value) - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

struct Interval {
  Nanos low, high;
};

// Order statistics x(l) .. x(u) that enclose the median with 95 %: the binomial(n, 1/2) ranks by
// their normal approximation, l = n/2 - 0.98 sqrt(n), u = 1 + n/2 + 0.98 sqrt(n) (Conover,
// Practical Nonparametric Statistics). n = 100: x(41) .. x(60) and one to spare on the right.
Interval OrderInterval(std::span<const Nanos> sorted) {
  const auto count = static_cast<double>(sorted.size());
  const double reach = kNormal95 / 2 * std::sqrt(count);
  const auto low = static_cast<std::int64_t>(std::floor(count / 2 - reach));
  const auto high = static_cast<std::int64_t>(std::ceil(1 + count / 2 + reach));
  const auto last = static_cast<std::int64_t>(sorted.size());
  return {sorted[static_cast<std::size_t>(std::clamp<std::int64_t>(low, 1, last) - 1)],
          sorted[static_cast<std::size_t>(std::clamp<std::int64_t>(high, 1, last) - 1)]};
}

Interval MedianInterval(std::span<const Nanos> sorted, std::span<const Nanos> session_medians,
                        double least) {
  Interval out = OrderInterval(sorted);
  const auto widen = [&](double centre, double half) {
    out.low.value = std::min(out.low.value, static_cast<std::int64_t>(std::floor(centre - half)));
    out.high.value = std::max(out.high.value, static_cast<std::int64_t>(std::ceil(centre + half)));
  };
  const double median = Number(Quantile(sorted, 0.5));
  if (least > 0) widen(median, least * median);
  if (session_medians.size() >= 2) {
    const double deviation =
        Deviation(session_medians) / std::sqrt(static_cast<double>(session_medians.size()));
    widen(Number(RoundedMean(session_medians)),
          StudentPoint(session_medians.size() - 1) * deviation);
  }
  out.low.value = std::max<std::int64_t>(0, out.low.value);
  return out;
}

// Spearman's rank correlation of the values with their order, as a normal score r * sqrt(n - 1).
double TrendScore(std::span<const double> values) {
  const std::size_t count = values.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  std::vector<double> rank(count);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      rank[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  const double middle = static_cast<double>(count - 1) / 2;
  double covariance = 0, rank_square = 0, order_square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = static_cast<double>(i) - middle;
    covariance += a * (rank[i] - middle);
    order_square += a * a;
    rank_square += (rank[i] - middle) * (rank[i] - middle);
  }
  if (rank_square == 0) return 0;
  return covariance / std::sqrt(order_square * rank_square) *
         std::sqrt(static_cast<double>(count - 1));
}

double MedianOfNumbers(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

// Change from the first to the last third, in units of the values; 0 when the order shows no trend.
double TrendOf(std::span<const double> values) {
  constexpr std::size_t kLeast = 9;
  if (values.size() < kLeast || std::abs(TrendScore(values)) < kNormal99) return 0;
  const std::size_t third = values.size() / 3;
  return MedianOfNumbers(values.last(third)) - MedianOfNumbers(values.first(third));
}

// The drift over all sessions in time order, or that within the sessions (each relative to its own
// median, aligned by position), whichever is larger. ORT issue 9208: 13.5 -> 23.3 ms in ten loops.
double Drift(std::span<const SessionSamples> sessions, Nanos median) {
  std::vector<double> chronological;
  std::vector<std::pair<double, double>> aligned;  // position in its session, relative value
  for (const SessionSamples& session : sessions) {
    if (session.wall.empty()) continue;
    const double own = std::max(1.0, Number(MedianOf(session.wall)));
    for (std::size_t i = 0; i < session.wall.size(); ++i) {
      chronological.push_back(Number(session.wall[i]) / std::max(1.0, Number(median)));
      aligned.emplace_back(static_cast<double>(i) / static_cast<double>(session.wall.size()),
                           Number(session.wall[i]) / own);
    }
  }
  std::stable_sort(aligned.begin(), aligned.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> within;
  for (const auto& [position, value] : aligned) within.push_back(value);
  const double over_all = TrendOf(chronological);
  const double inside = TrendOf(within);
  return std::abs(over_all) >= std::abs(inside) ? over_all : inside;
}

// Distance of two modes, 0 when there is one: the split with the largest variance between its sides
// (Otsu) of the middle 95 % of the runs, taken only when each side holds a fifth of them and the
// middle third between the sides' medians is nearly empty (a uniform distribution has a sixth of
// its runs there).
double ModeDistance(std::span<const Nanos> sorted) {
  constexpr std::size_t kLeast = 20;
  if (sorted.size() < kLeast) return 0;
  const std::size_t cut = sorted.size() / 40;
  const std::span<const Nanos> middle = sorted.subspan(cut, sorted.size() - 2 * cut);
  const std::size_t count = middle.size();
  double total = 0;
  for (const Nanos value : middle) total += Number(value);
  double below = 0, best = -1;
  std::size_t split = 0;
  for (std::size_t i = 1; i < count; ++i) {
    below += Number(middle[i - 1]);
    const auto left = static_cast<double>(i), right = static_cast<double>(count - i);
    const double distance = (total - below) / right - below / left;
    const double between = left * right * distance * distance;
    if (between > best) best = between, split = i;
  }
  if (split < count / 5 || count - split < count / 5) return 0;
  const double low = Number(Quantile(middle.first(split), 0.5));
  const double high = Number(Quantile(middle.subspan(split), 0.5));
  const double third = (high - low) / 3;
  const auto inside = std::count_if(middle.begin(), middle.end(), [&](Nanos value) {
    return Number(value) > low + third && Number(value) < high - third;
  });
  return static_cast<double>(inside) < 0.05 * static_cast<double>(count) ? high - low : 0;
}

// The standard deviation as the middle four fifths of the runs show it: a normal distribution has
// 2.563 of them between its tenth and its ninetieth percentile. A rare interrupt, which a model of
// 0.1 ms meets in one run of twenty, does not count.
double MiddleDeviation(std::span<const Nanos> sorted) {
  return Number(Quantile(sorted, 0.9) - Quantile(sorted, 0.1)) / 2.563;
}

// Share of the threads' time in which they had no processor. One thread: what it did not compute,
// as far as the scheduler says that it waited (a wait between runs, which the latter counts as
// well, is nobody's loss). Several threads may wait for each other, so the scheduler's count alone
// decides.
double Contention(std::span<const SessionSamples> sessions, int threads) {
  double wall = 0, cpu = 0, waited = 0;
  bool waits_known = true, cpu_known = true;
  for (const SessionSamples& session : sessions) {
    for (const Nanos value : session.wall) wall += Number(value);
    for (const Nanos value : session.cpu) cpu += Number(value);
    waits_known = waits_known && session.waited.has_value();
    cpu_known = cpu_known && session.cpu.size() == session.wall.size();
    waited += Number(session.waited.value_or(Nanos{}));
  }
  if (threads <= 0 || wall <= 0) return 0;
  const double queued = waited / (wall * threads);
  if (threads > 1 || !cpu_known) return waits_known ? queued : 0;
  const double idle = 1 - cpu / wall;
  return waits_known ? std::min(idle, queued) : idle;
}

struct Pool {
  std::vector<Nanos> all;              // sorted
  std::vector<Nanos> session_medians;  // in session order
  std::vector<Nanos> cpu;
};

Pool PoolSamples(std::span<const SessionSamples> sessions) {
  Pool pool;
  for (const SessionSamples& session : sessions) {
    if (session.wall.empty()) continue;
    pool.all.insert(pool.all.end(), session.wall.begin(), session.wall.end());
    pool.cpu.insert(pool.cpu.end(), session.cpu.begin(), session.cpu.end());
    pool.session_medians.push_back(MedianOf(session.wall));
  }
  std::sort(pool.all.begin(), pool.all.end());
  return pool;
}

std::vector<Instability> FindInstability(std::span<const SessionSamples> sessions, int threads,
                                         const Pool& pool, const LatencyStatistics& statistics,
                                         const StabilityLimits& limits) {
  const double median = std::max(1.0, Number(statistics.median));
  const double floor = Number(limits.floor) / median;
  std::vector<Instability> out;
  const auto judge = [&](InstabilityKind kind, double value, double limit) {
    if (std::abs(value) > limit) out.push_back({kind, value, limit});
  };
  if (pool.session_medians.size() < static_cast<std::size_t>(limits.sessions))
    out.push_back({InstabilityKind::kFewSessions, static_cast<double>(pool.session_medians.size()),
                   static_cast<double>(limits.sessions)});
  const auto [low, high] =
      std::minmax_element(pool.session_medians.begin(), pool.session_medians.end());
  judge(InstabilityKind::kContention, Contention(sessions, threads), limits.contention);
  judge(InstabilityKind::kSessionsDiffer, Number(*high - *low) / median,
        std::max(limits.session_spread, floor));
  judge(InstabilityKind::kWideInterval,
        Number(statistics.ci95_high - statistics.ci95_low) / 2 / median,
        std::max(limits.interval, floor));
  judge(InstabilityKind::kDrifts, Drift(sessions, statistics.median),
        std::max(limits.drift, floor));
  judge(InstabilityKind::kBimodal, ModeDistance(pool.all) / median,
        std::max(limits.bimodal, floor));
  judge(InstabilityKind::kVaries, MiddleDeviation(pool.all) / median,
        std::max(limits.variation, floor));
  return out;
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

std::string_view ToString(InstabilityKind kind) {
  switch (kind) {
    case InstabilityKind::kFewSessions:
      return "few-sessions";
    case InstabilityKind::kFewRuns:
      return "few-runs";
    case InstabilityKind::kWideInterval:
      return "wide-interval";
    case InstabilityKind::kVaries:
      return "varies";
    case InstabilityKind::kDrifts:
      return "drifts";
    case InstabilityKind::kBimodal:
      return "bimodal";
    case InstabilityKind::kSessionsDiffer:
      return "sessions-differ";
    case InstabilityKind::kContention:
      return "contention";
  }
  return "";
}

std::string Describe(const Instability& instability) {
  const std::string value = Percent(instability.value);
  const std::string limit = " (limit " + Percent(instability.limit) + ")";
  const auto whole = [](double number) { return std::to_string(std::llround(number)); };
  switch (instability.kind) {
    case InstabilityKind::kFewSessions:
      return "only " + whole(instability.value) + " of " + whole(instability.limit) +
             " sessions: the spread between sessions is unknown";
    case InstabilityKind::kFewRuns:
      return "only " + whole(instability.value) + " runs, " + whole(instability.limit) + " needed";
    case InstabilityKind::kWideInterval:
      return "the 95 % interval is +-" + value + " of the median" + limit;
    case InstabilityKind::kVaries:
      return "runs vary by " + value + limit;
    case InstabilityKind::kDrifts:
      return "latency drifts by " + value + " from the first to the last third" + limit;
    case InstabilityKind::kBimodal:
      return "two modes, " + value + " apart" + limit;
    case InstabilityKind::kSessionsDiffer:
      return "sessions differ by " + value + limit;
    case InstabilityKind::kContention:
      return "threads had no processor for " + value + " of their time" + limit +
             ": other work runs on this machine";
  }
  return "";
}

Nanos Quantile(std::span<const Nanos> sorted, double q) {
  CHECK(!sorted.empty());
  const QuantilePlace place = PlaceOf(sorted.size(), q);
  return Between(sorted[place.index], sorted[std::min(place.index + 1, sorted.size() - 1)],
                 place.part);
}

Nanos QuantileOf(std::span<Nanos> values, double q) {
  CHECK(!values.empty());
  const QuantilePlace place = PlaceOf(values.size(), q);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place.index);
  std::nth_element(values.begin(), at, values.end());
  return at + 1 == values.end() ? *at
                                : Between(*at, *std::min_element(at + 1, values.end()), place.part);
}

LatencyStatistics Summarize(std::span<const SessionSamples> sessions, int threads,
                            const StabilityLimits& limits) {
  LatencyStatistics out;
  const Pool pool = PoolSamples(sessions);
  const std::span<const Nanos> all = pool.all;
  out.count = static_cast<std::int64_t>(all.size());
  if (all.empty()) return out;

  out.median = Quantile(all, 0.5);
  out.mean = RoundedMean(all);
  out.min = all.front();
  out.max = all.back();
  out.p90 = Quantile(all, 0.90);
  out.p95 = Quantile(all, 0.95);
  out.p99 = Quantile(all, 0.99);
  if (all.size() >= 10) out.trimmed_mean = RoundedMean(all.subspan(1, all.size() - 2));
  if (out.mean.value > 0) {
    out.cv = Deviation(all) / Number(out.mean);
    out.throughput_per_s = 1e9 / Number(out.mean);
  }
  const Interval interval = MedianInterval(all, pool.session_medians, limits.repeatability);
  out.ci95_low = interval.low;
  out.ci95_high = interval.high;
  if (pool.cpu.size() == all.size()) out.cpu_median = MedianOf(pool.cpu);

  if (out.count < limits.runs) {
    out.why.push_back({InstabilityKind::kFewRuns, static_cast<double>(out.count),
                       static_cast<double>(limits.runs)});
    return out;
  }
  out.why = FindInstability(sessions, threads, pool, out, limits);
  out.stable = out.why.empty();
  return out;
}

}  // namespace opscope
