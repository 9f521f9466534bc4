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
  auto trace = ReadTrace({source, log}, request.as);
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

void AddProfile(const ProfileRequest& request, Trace& trace, doc::Document& document) {
  if (!trace.whole_program) {
    document.runs.push_back(BuildRun(Summarise(trace), NextRun(document), request.role));
    document.runs.back().coverage.reset();  // without a model nothing was placed
    return;
  }
  const Timeline timeline = BuildTimeline(trace);
  document.runs.push_back(
      BuildRun(SummariseProgram(trace, timeline), NextRun(document), request.role));
  AddTimeline(trace, timeline, document.runs.back());
}

}  // namespace opscope
