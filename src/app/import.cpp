// import: profiles alone, or joined to a model.

#include <algorithm>
#include <vector>

#include "app/load.h"
#include "app/profiles.h"
#include "app/version.h"
#include "base/result.h"
#include "base/sink.h"
#include "opscope/requests.h"
#include "report/build.h"
#include "trace/execution_join.h"
#include "trace/export/export.h"
#include "trace/formats/execution_trace/format.h"

namespace opscope {

namespace {

ProfileRequest ProfileOf(const ImportRequest& request, const std::string& file) {
  ProfileRequest out;
  out.file = file;
  out.as = request.as;
  out.optimized_model = request.optimized_model;
  out.full_paths = request.full_paths;
  out.window = request.window;
  return out;
}

Result<void> Export(const Trace& trace, const std::vector<std::string>& files) {
  for (const std::string& file : files)
    TRY(WriteFileAtomically(
        file, [&](Sink& sink) { return TraceExportForFile(file)->write(trace, sink); }));
  return {};
}

// With a model the events are read apart: the join keeps rows only.
Result<void> ExportApart(const ImportRequest& request) {
  if (request.exports.empty()) return {};
  ImportLog log;
  TRY_ASSIGN(const Trace trace, ReadProfile(ProfileOf(request, request.files.front()), log));
  TRY(CheckStrict(log, request.strict));
  return Export(trace, request.exports);
}

// Execution traces among several files, read first: they are joined to the traces of their runs.
struct Executions {
  std::vector<Trace> traces;
  std::vector<bool> used;
};

Result<bool> IsExecution(const std::string& file) {
  constexpr std::size_t kPrefix = 64 * 1024;
  UnpackLimits limits;
  limits.keep_partial = true;
  TRY_ASSIGN(Source source, Source::Open(file, limits));
  TRY_ASSIGN(const std::string_view prefix, source.Window(0, kPrefix));
  return kExecutionTrace.probe(prefix, source.size()) == TraceMatch::kYes;
}

// Takes the execution traces out of `files`.
Result<Executions> ReadExecutions(const ImportRequest& request, std::vector<std::string>& files,
                                  ImportLog& log) {
  Executions out;
  if (files.size() < 2 || !request.as.empty()) return out;
  std::vector<std::string> others;
  for (const std::string& file : files) {
    TRY_ASSIGN(const bool execution, IsExecution(file));
    if (!execution) {
      others.push_back(file);
      continue;
    }
    TRY_ASSIGN(Trace trace, ReadProfile(ProfileOf(request, file), log));
    out.traces.push_back(std::move(trace));
  }
  out.used.assign(out.traces.size(), false);
  files = std::move(others);
  return out;
}

// The one that knows most of the events.
void JoinBest(Executions& executions, Trace& trace) {
  std::size_t best = executions.traces.size();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < executions.traces.size(); ++i) {
    const std::int64_t matched = MatchExecution(executions.traces[i], trace).matched;
    if (matched > most) best = i;
    most = std::max(most, matched);
  }
  if (best == executions.traces.size()) return;
  JoinExecution(executions.traces[best], trace);
  executions.used[best] = true;
}

}  // namespace

bool IsTraceExport(std::string_view file_name) { return TraceExportForFile(file_name) != nullptr; }

Result<doc::Document> Import(const ImportRequest& request, const Context& context) {
  if (!request.exports.empty() && request.files.size() != 1)
    return Error{"usage.output",
                 "the events of one file go into " + request.exports.front() + ", not those of " +
                     std::to_string(request.files.size()),
                 ""};
  if (request.model && !request.window.empty())
    return Error{"usage.window", "--window goes with a trace alone, not with --model", ""};
  if (request.model) {
    TRY(ExportApart(request));
    AnalyzeRequest analyze;
    analyze.model = *request.model;
    analyze.model.strict = request.strict;
    analyze.profiles = request.files;
    analyze.profile_as = request.as;
    analyze.optimized_model = request.optimized_model;
    TRY_ASSIGN(Outcome outcome, Analyze(analyze, context));
    return std::move(outcome.document);
  }
  ImportLog log;
  doc::Document document;
  document.tool.version = kVersion;
  std::vector<RankTrace> ranks;
  std::vector<std::string> files = request.files;
  TRY_ASSIGN(Executions executions, ReadExecutions(request, files, log));
  for (const std::string& file : files) {
    ProfileRequest profile = ProfileOf(request, file);
    profile.records = !executions.traces.empty();
    TRY_ASSIGN(Trace trace, ReadProfile(profile, log));
    JoinBest(executions, trace);
    TRY(CheckStrict(log, request.strict));
    TRY(Export(trace, request.exports));
    TRY_ASSIGN(std::optional<RankTrace> rank, AddProfile(profile, trace, document));
    if (rank) ranks.push_back(std::move(*rank));
  }
  for (std::size_t i = 0; i < executions.traces.size(); ++i) {
    if (executions.used[i]) continue;
    ProfileRequest profile = ProfileOf(request, executions.traces[i].file);
    profile.window.clear();
    TRY(AddProfile(profile, executions.traces[i], document));
  }
  AddRanks(std::move(ranks), document, log);
  TRY(CheckStrict(log, request.strict));
  AddDataQuality(log, document.data_quality);
  return document;
}

}  // namespace opscope
