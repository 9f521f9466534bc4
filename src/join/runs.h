// Which stretches of a trace are complete runs of the model, and which of them count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "join/analysis.h"
#include "trace/trace.h"

namespace opscope {

struct RunWindow {
  std::int64_t begin = 0, end = 0;
  TrackId track;  // invalid when the window is not one thread's
  bool used = true;
};

constexpr std::uint32_t kNoRun = 0xffffffffU;

struct Runs {
  std::vector<RunWindow> windows;  // by begin
  std::vector<std::uint32_t> of;   // by event: index into windows, or kNoRun
  std::int64_t outside = 0;        // ops in no window, and not part of a cut run
  bool has_sessions = false;       // the windows are model_run events
  Iterations iterations;
};

// model_run events; without any, whole executions; without those, or when the file is cut before
// the first of them ended, one span over all ops. The first
// run of every thread is warm-up unless nothing would be left. An op on a thread of its own belongs
// to the run that goes on at that time when there is exactly one.
// `warmup` runs of each thread are known to be warm-up; 0 = the first, unless nothing would be
// left.
Runs FindRuns(const Trace& trace, std::int64_t warmup = 0);

}  // namespace opscope
