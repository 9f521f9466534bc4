// Whatever was recorded, every nanosecond of the used runs has one owner, and the order of the file
// does not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "base/import_log.h"
#include "join/join.h"
#include "trace/interval.h"
#include "trace/trace.h"

namespace opscope {
namespace {

struct RandomEvent {
  EventKind kind;
  std::int64_t tid, begin, duration;
  int name;
};

// Anything goes: rows that overlap, stick out of their holders, lie outside every run.
std::vector<RandomEvent> Chaos(std::mt19937& random) {
  const auto upto = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random);
  };
  constexpr EventKind kKinds[] = {EventKind::kRun,  EventKind::kExecute, EventKind::kContainer,
                                  EventKind::kOp,   EventKind::kOp,      EventKind::kOp,
                                  EventKind::kSync, EventKind::kKernel,  EventKind::kSetup};
  std::vector<RandomEvent> events;
  for (std::int64_t i = upto(60); i >= 0; --i)
    events.push_back({kKinds[upto(8)], upto(2), upto(200), upto(upto(3) == 0 ? 120 : 12),
                      static_cast<int>(upto(5))});
  return events;
}

// Nests as a recorder writes them: runs > execution > ops, some of them with bodies.
void AddOps(std::mt19937& random, std::int64_t tid, std::int64_t begin, std::int64_t end, int depth,
            std::vector<RandomEvent>& events) {
  const auto upto = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random);
  };
  events.push_back({EventKind::kExecute, tid, begin, end - begin, 0});
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t from = at + upto(3);
    const std::int64_t to = from + upto(30);
    if (to > end) return;
    const bool body = depth < 3 && upto(4) == 0;
    events.push_back({body ? EventKind::kContainer : EventKind::kOp, tid, from, to - from,
                      static_cast<int>(upto(5))});
    if (body) AddOps(random, tid, from, to, depth + 1, events);
    at = to;
  }
}

std::vector<RandomEvent> Recording(std::mt19937& random) {
  std::vector<RandomEvent> events;
  for (std::int64_t tid = 0; tid < 3; ++tid) {
    for (std::int64_t run = 0; run < 4; ++run) {
      const std::int64_t begin = 1000 * run + 10 * tid;
      events.push_back({EventKind::kRun, tid, begin, 300, 0});
      AddOps(random, tid, begin + 5, begin + 290, 0, events);
    }
  }
  return events;
}

Trace TraceOf(const std::vector<RandomEvent>& events) {
  Trace trace;
  TraceBuilder builder(trace);
  for (const RandomEvent& event : events) {
    OpArgs args;
    args.op = trace.strings.Intern(event.name % 2 == 0 ? "If" : "Conv");
    args.node_index = event.name;
    builder.AddEvent(trace.strings.Intern("n" + std::to_string(event.name)),
                     builder.AddTrack(TrackKind::kThread, 1, event.tid), event.kind, event.begin,
                     event.duration, builder.AddArgs(args));
  }
  const NestingRule rule = {[](EventKind outer, EventKind inner) {
                              if (outer == EventKind::kRun || outer == EventKind::kExecute)
                                return inner > outer && inner <= EventKind::kSync;
                              return outer == EventKind::kContainer && inner == EventKind::kExecute;
                            },
                            1};
  Finish(trace, rule);
  return trace;
}

std::string Text(const RunAnalysis& run) {
  const Reconciliation& sums = run.reconciliation;
  std::string text = std::to_string(sums.wall_ns()) + "=" + std::to_string(sums.layers_ns()) + "+" +
                     std::to_string(sums.runtime_ns()) + "+" + std::to_string(sums.gap_ns()) + "\n";
  for (const Row& row : run.rows) {
    for (const std::string& container : row.path) text += container + "/";
    text += row.name + " " + std::to_string(row.calls) + " " + std::to_string(row.busy_ns) + " " +
            std::to_string(row.wall_ns) + "\n";
  }
  return text;
}

void ExpectReconciled(const Trace& trace, const RunAnalysis& run) {
  // That Settle could build its Reconciliation is the main promise; here what it must agree with.
  std::int64_t wall = 0, rows = 0;
  for (const std::int64_t sample : run.samples_ns) wall += sample;
  EXPECT_EQ(run.reconciliation.wall_ns(), wall);
  for (const Row& row : run.rows) {
    rows += row.wall_ns;
    EXPECT_GE(row.wall_ns, 0);
    std::int64_t samples = 0;
    for (const std::int64_t sample : row.samples_ns) samples += sample;
    EXPECT_EQ(samples, row.wall_ns);
  }
  EXPECT_EQ(rows + run.reconciliation.gap_ns(), wall);
  for (std::size_t event = 0; event < trace.size(); ++event) {
    const EventId parent = trace.parent_of(event);
    if (!parent.valid()) continue;
    EXPECT_LT(parent.index(), event);
    EXPECT_LE(trace.begin[parent.index()], trace.begin[event]);
    EXPECT_LE(trace.end[event], trace.end[parent.index()] + 1);
  }
}

TEST(JoinReconcile, RecordingsAndChaosAddUp) {
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    const auto events = round % 2 == 0 ? Chaos(random) : Recording(random);
    const Trace trace = TraceOf(events);
    ExpectReconciled(trace, Summarise(trace));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST(JoinReconcile, RowsThatDoNotOverlapHaveTheirBusyTime) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    const RunAnalysis run = Summarise(TraceOf(Recording(random)));
    std::vector<std::int64_t> inside(run.rows.size());
    for (const Row& row : run.rows)
      if (row.container != kNoRow) inside[row.container] += row.busy_ns;
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      ASSERT_EQ(run.rows[row].wall_ns + inside[row], run.rows[row].busy_ns)
          << run.rows[row].name << ", round " << round;
  }
}

TEST(JoinReconcile, TheOrderOfTheFileDoesNotMatter) {
  std::mt19937 random(9);
  for (int round = 0; round < 400; ++round) {
    auto events = round % 2 == 0 ? Chaos(random) : Recording(random);
    const std::string expected = Text(Summarise(TraceOf(events)));
    std::shuffle(events.begin(), events.end(), random);
    ASSERT_EQ(Text(Summarise(TraceOf(events))), expected) << "round " << round;
  }
}

TEST(JoinReconcile, SharesOfOverlapsAreExactAndFair) {
  std::mt19937 random(10);
  for (int round = 0; round < 500; ++round) {
    std::uniform_int_distribution<std::int64_t> time(0, 60);
    std::vector<Interval> intervals;
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::int64_t begin = time(random);
      intervals.push_back({begin, begin + time(random), row % 5});
    }
    const auto shares = ShareEqually(intervals);
    std::vector<std::int64_t> expected(intervals.size());
    for (std::int64_t now = 0; now < 120; ++now) {  // nanosecond by nanosecond, in units of 1/840
      std::int64_t running = 0;
      for (const Interval& interval : intervals)
        running += interval.begin <= now && now < interval.end ? 1 : 0;
      for (std::size_t i = 0; i < intervals.size(); ++i)
        if (intervals[i].begin <= now && now < intervals[i].end) expected[i] += 840 / running;
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      sum += shares[i];
      // Less than one nanosecond off for each stretch between two boundaries; 16 of those.
      EXPECT_LT(std::abs(shares[i] * 840 - expected[i]), 16 * 8 * 840);
      EXPECT_GE(shares[i], 0);
    }
    ASSERT_EQ(sum, UnionLength(intervals));
  }
}

TEST(JoinReconcile, TimeGrowsWithTheEventsNotWithTheirSquare) {
  // All events overlap, all begin in one instant: what an equal sharing by hand would square.
  const auto many = [](std::int64_t count) {
    std::vector<RandomEvent> events{{EventKind::kRun, 0, 0, 4 * count, 0}};
    for (std::int64_t i = 0; i < count; ++i)
      events.push_back({EventKind::kOp, 0, i % 2 == 0 ? 0 : i, 2 * count, static_cast<int>(i)});
    return events;
  };
  const auto seconds = [&](std::int64_t count) {
    const auto events = many(count);
    const std::clock_t begin = std::clock();
    ExpectReconciled(TraceOf(events), Summarise(TraceOf(events)));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double small = seconds(3'000);
  EXPECT_LT(seconds(30'000), 40 * small + 0.2);
}

}  // namespace
}  // namespace opscope
