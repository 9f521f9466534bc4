// Join: a trace's rows onto a model's layers, with time that adds
// up (product contract, section 6).
#pragma once

#include "cost/static_analysis.h"
#include "join/analysis.h"
#include "model/model.h"
#include "trace/trace.h"

namespace opscope {

struct JoinOptions {
  // The engine's saved optimised model; decides where names alone do not. May be null.
  const Model* optimized = nullptr;
  // Runs at the front of each thread that are known to be warm-up; 0 = the rule of the format (the
  // first run of each thread, unless it is the only one).
  std::int64_t warmup = 0;
};

// Sums a trace without a model: rows, iterations, reconciliation.
RunAnalysis Summarise(const Trace& trace);

// Sums a trace and places its rows on the layers of `layers`, an analysis of `model`.
RunAnalysis Join(const Model& model, const StaticAnalysis& layers, const Trace& trace,
                 const JoinOptions& options = {});

}  // namespace opscope
