// ============================== Run Order ==============================
// \t [node type]\t [first]\t [avg ms]\t [%]\t [cdf%]\t [mem KB]\t[times called]\t[Name]
// \t TfLiteXNNPackDelegate\t 0.251\t 0.115\t 0.254%\t 0.254%\t 0.000\t 5\t[Xq.1]:85
#include "base/lines.h"
#include "trace/formats/tflite_profile/console.h"
#include "trace/formats/tflite_profile/format.h"

namespace opscope::tflite_profile {

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const auto has = [&](std::string_view text) {
    return prefix.find(text) != std::string_view::npos;
  };
  const bool table = has("[node type]") || has("node type,");
  if (table && has("times called")) return TraceMatch::kYes;
  return has("STARTING!") && has("Inference timings in us:") ? TraceMatch::kMaybe : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kTfliteProfile.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "wall time of each op, mean of all runs";
  Console console;
  Lines lines(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) break;
    console.Take(line->text, line->offset, context.log);
  }
  if (console.empty())
    return Error{
        "tflite-profile.none",
        "no table of ops in run order: run benchmark_model with --enable_op_profiling=true", ""};
  console.Fill(trace, context.log);
  return trace;
}

}  // namespace opscope::tflite_profile
