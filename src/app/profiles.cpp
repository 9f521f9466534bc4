#include "app/profiles.h"

#include <optional>

#include "app/load.h"
#include "base/result.h"
#include "base/source.h"
#include "join/join.h"
#include "join/program.h"
#include "report/build.h"
#include "trace/formats/format.h"

namespace opscope {

namespace {

Result<std::optional<Model>> ReadOptimized(const std::string& path) {
  if (path.empty()) return std::optional<Model>();
  ModelOptions options;
  options.path = path;
  ImportLog unused;  // its oddities are those of the engine's own file
  TRY_ASSIGN(LoadedModel loaded, LoadModel(options, unused));
  return std::optional<Model>(std::move(loaded.model));
}

std::int64_t NextRun(const doc::Document& document) {
  return static_cast<std::int64_t>(document.runs.size());
}

}  // namespace

Result<Trace> ReadProfile(const ProfileRequest& request, ImportLog& log) {
  // A cut archive still gives the events that are whole.
  UnpackLimits limits;
  limits.keep_partial = true;
  TRY_ASSIGN(Source source, Source::Open(request.file, limits));
  if (source.damage())
    log.Add(source.damage()->code, Severity::kLoss, source.damage()->place,
            source.damage()->message);
  auto trace = ReadTrace({source, log, 0, request.records}, request.as);
  if (!trace.has_value()) return std::move(trace.error());
  trace->file = ShownName(request.file, request.full_paths);
  return trace;
}

Result<void> AddProfile(const ProfileRequest& request, const Trace& trace, Model& model,
                        const StaticAnalysis& analysis, doc::Document& document) {
  TRY_ASSIGN(const std::optional<Model> optimized, ReadOptimized(request.optimized_model));
  JoinOptions options;
  options.optimized = optimized ? &*optimized : nullptr;
  options.warmup = request.warmup;
  const RunAnalysis run = Join(model, analysis, trace, options);
  const std::int64_t id = NextRun(document);
  document.runs.push_back(BuildRun(run, id, request.role));
  for (doc::Joined& joined : BuildJoined(model, analysis, run, id))
    document.joined.push_back(std::move(joined));
  return {};
}

Result<std::optional<RankTrace>> AddProfile(const ProfileRequest& request, Trace& trace,
                                            doc::Document& document) {
  if (!request.window.empty() && !FindWindow(trace, request.window))
    return Error{"usage.window", "no range of the program is called '" + request.window + "'",
                 trace.file};
  if (!trace.whole_program) {
    document.runs.push_back(BuildRun(Summarise(trace), NextRun(document), request.role));
    document.runs.back().coverage.reset();  // without a model nothing was placed
    return std::optional<RankTrace>();
  }
  const Timeline timeline = BuildTimeline(trace, request.window);
  document.runs.push_back(
      BuildRun(SummariseProgram(trace, timeline), NextRun(document), request.role));
  AddTimeline(trace, timeline, document.runs.back());
  return std::optional(SummariseRank(trace, timeline));
}

void AddRanks(std::vector<RankTrace> ranks, doc::Document& document, ImportLog& log) {
  const std::vector<RankRow> rows = CompareRanks(std::move(ranks));
  if (rows.empty()) return;
  if (!rows.front().begin_ns)
    log.Add("trace.clocks-apart", Severity::kNotice, rows.front().file,
            "the ranks have no common clock: their begins are not compared");
  std::vector<doc::RankTime> out;
  for (const RankRow& row : rows)
    out.push_back({row.rank, row.file, row.busy_ns, row.wait_ns, row.collectives, row.begin_ns,
                   row.straggler});
  for (doc::Run& run : document.runs)
    if (run.timeline) run.timeline->ranks = out;
}

}  // namespace opscope
