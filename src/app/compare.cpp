// compare: two models side by side.

#include "app/load.h"
#include "app/version.h"
#include "base/result.h"
#include "opscope/requests.h"
#include "report/build.h"
#include "report/build_comparison.h"

namespace opscope {

namespace {

struct Analysed {
  LoadedModel loaded;
  StaticAnalysis analysis;
  doc::Model shown;
};

Result<Analysed> AnalyseSide(const ModelOptions& options, ImportLog& log) {
  TRY_ASSIGN(LoadedModel loaded, LoadModel(options, log));
  const Bindings bindings(options.bindings.begin(), options.bindings.end());
  auto analysis = AnalyzeStatic(loaded.model, {bindings, options.shapes}, log);
  if (!analysis.has_value()) return WithContext(std::move(analysis.error()), loaded.model.file);
  TRY(CheckStrict(log, options.strict));
  doc::Model shown = BuildModel(loaded.model, *analysis, bindings, loaded.hash);
  return Analysed{std::move(loaded), std::move(*analysis), std::move(shown)};
}

}  // namespace

Result<doc::Document> Compare(const CompareRequest& request, const Context&) {
  ImportLog log;
  TRY_ASSIGN(Analysed a, AnalyseSide(request.a, log));
  TRY_ASSIGN(Analysed b, AnalyseSide(request.b, log));
  doc::Document document;
  document.tool.version = kVersion;
  document.comparison = BuildComparison({&a.loaded.model, &a.analysis, std::move(a.shown)},
                                        {&b.loaded.model, &b.analysis, std::move(b.shown)});
  AddDataQuality(log, document.data_quality);
  return document;
}

}  // namespace opscope
