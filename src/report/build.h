// From analyses to the Document: values are copied and named, nothing is computed that an analysis
// should have computed. One function a part.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/import_log.h"
#include "cost/static_analysis.h"
#include "join/analysis.h"
#include "opscope/document.h"
#include "trace/statistics.h"
#include "trace/timeline.h"

namespace opscope {

// `bindings`: what --bind gave; `hash`: of the whole file, empty when it was not asked for.
doc::Model BuildModel(const Model& model, const StaticAnalysis& analysis, const Bindings& bindings,
                      const std::string& hash);
doc::Static BuildStatic(Model& model, const StaticAnalysis& analysis);
// What other tools would print, in the order of their list.
doc::Map<doc::ConventionTotals> BuildConventions(Model& model, const StaticAnalysis& analysis);
// Absent for a model without attention.
std::optional<doc::Llm> BuildLlm(Model& model, const StaticAnalysis& analysis);
doc::Totals BuildTotals(Model& model, const StaticAnalysis& analysis);

// A profile, with its samples' statistics. `role`: "profiled" or "imported".
doc::Run BuildRun(const RunAnalysis& run, std::int64_t id, const std::string& role);
// Statistics of iterations as the report holds them; `samples` in time order.
doc::Latency BuildLatency(const LatencyStatistics& statistics, std::vector<std::int64_t> samples);
// The same for the iterations of one session, a file's or a process's.
doc::Latency BuildLatency(std::vector<std::int64_t> samples);
// What a trace of a whole program says beside its rows: sets `timeline` and `memory` of `run`.
void AddTimeline(const Trace& trace, const Timeline& timeline, doc::Run& run);
// Every layer with what run `id` says of it, in graph order; only measured and estimated ones have
// times.
std::vector<doc::Joined> BuildJoined(Model& model, const StaticAnalysis& analysis,
                                     const RunAnalysis& run, std::int64_t id);

void AddDataQuality(const ImportLog& log, std::vector<doc::DataQuality>& out);

}  // namespace opscope
