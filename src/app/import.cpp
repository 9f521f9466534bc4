// import: profiles alone, or joined to a model.

#include "app/load.h"
#include "app/profiles.h"
#include "app/version.h"
#include "base/result.h"
#include "opscope/requests.h"
#include "report/build.h"

namespace opscope {

namespace {

ProfileRequest ProfileOf(const ImportRequest& request, const std::string& file) {
  ProfileRequest out;
  out.file = file;
  out.as = request.as;
  out.optimized_model = request.optimized_model;
  out.full_paths = request.full_paths;
  return out;
}

}  // namespace

Result<doc::Document> Import(const ImportRequest& request, const Context& context) {
  if (request.model) {
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
  for (const std::string& file : request.files) {
    const ProfileRequest profile = ProfileOf(request, file);
    TRY_ASSIGN(Trace trace, ReadProfile(profile, log));
    AddProfile(profile, trace, document);
  }
  TRY(CheckStrict(log, request.strict));
  AddDataQuality(log, document.data_quality);
  return document;
}

}  // namespace opscope
