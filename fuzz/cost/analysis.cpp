// Any bytes that read as a model must be analysed: totals add up, every layer can be explained.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/import_log.h"
#include "base/source.h"
#include "cost/conventions/convention.h"
#include "cost/explain.h"
#include "cost/static_analysis.h"
#include "model/formats/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  Source source = Source::FromBytes("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  ImportLog log;
  Result<Model> model = ReadModel({source, log, {}});
  if (!model.has_value()) return 0;
  Result<StaticAnalysis> analysis = AnalyzeStatic(*model, {}, log);
  if (!analysis.has_value()) return 0;

  const StaticTotals& totals = analysis->totals;
  CHECK(totals.nodes == static_cast<std::int64_t>(analysis->layers.size()));
  CHECK(totals.counted <= totals.nodes);
  CHECK(totals.complete == totals.uncounted.empty());
  std::int64_t uncounted = 0;
  for (const UncountedOp& op : totals.uncounted) uncounted += op.nodes;
  CHECK(totals.counted + uncounted <= totals.nodes);
  for (const ConventionCounts& counts : ApplyConventions(*model, *analysis))
    for (const ConventionRow& row : counts.rows) CHECK(!row.because.empty());
  constexpr std::size_t kMaxExplained = 100;
  for (std::size_t i = 0; i < analysis->layers.size() && i < kMaxExplained; ++i)
    Explain(*model, *analysis, LayerId{static_cast<std::uint32_t>(i)});
  return 0;
}
