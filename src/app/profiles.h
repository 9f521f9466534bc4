// Profiles into a document: read, joined to a model when there is one, added as runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/import_log.h"
#include "cost/static_analysis.h"
#include "model/model.h"
#include "opscope/document.h"
#include "trace/ranks.h"
#include "trace/trace.h"

namespace opscope {

struct ProfileRequest {
  std::string file;
  std::string as;               // --as; empty = by content
  std::string optimized_model;  // the engine's saved model; empty = none
  std::string role = "imported";
  std::int64_t warmup = 0;  // iterations at the front known to be warm-up; 0 = the format's rule
  bool full_paths = false;
  bool records = false;  // an execution trace will be joined
  std::string window;    // of the critical path; empty = the last step
};

Result<Trace> ReadProfile(const ProfileRequest& request, ImportLog& log);

// Joined: a run and its layers' times are added to `document`.
Result<void> AddProfile(const ProfileRequest& request, const Trace& trace, Model& model,
                        const StaticAnalysis& analysis, doc::Document& document);
// Without a model: a run of rows; with a timeline where the trace is of a whole program, and then
// with what other ranks are compared with. Errors: usage.window.
Result<std::optional<RankTrace>> AddProfile(const ProfileRequest& request, Trace& trace,
                                            doc::Document& document);
// Puts ranks that were read together side by side, into each of their runs.
void AddRanks(std::vector<RankTrace> ranks, doc::Document& document, ImportLog& log);

}  // namespace opscope
