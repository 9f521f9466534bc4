// import: profiles alone, or joined to a model.

#include "app/load.h"
#include "app/profiles.h"
#include "app/version.h"
#include "base/result.h"
#include "base/sink.h"
#include "opscope/requests.h"
#include "report/build.h"
#include "trace/export/export.h"

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
  for (const std::string& file : request.files) {
    const ProfileRequest profile = ProfileOf(request, file);
    TRY_ASSIGN(Trace trace, ReadProfile(profile, log));
    TRY(CheckStrict(log, request.strict));
    TRY(Export(trace, request.exports));
    TRY_ASSIGN(std::optional<RankTrace> rank, AddProfile(profile, trace, document));
    if (rank) ranks.push_back(std::move(*rank));
  }
  AddRanks(std::move(ranks), document, log);
  TRY(CheckStrict(log, request.strict));
  AddDataQuality(log, document.data_quality);
  return document;
}

}  // namespace opscope
