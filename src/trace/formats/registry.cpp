#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "trace/formats/armnn/format.h"
#include "trace/formats/execution_trace/format.h"
#include "trace/formats/folded/format.h"
#include "trace/formats/foreign.h"
#include "trace/formats/format.h"
#include "trace/formats/key_averages/format.h"
#include "trace/formats/kineto/format.h"
#include "trace/formats/nsys/format.h"
#include "trace/formats/nsys_stats/format.h"
#include "trace/formats/openvino_counters/format.h"
#include "trace/formats/ort/format.h"
#include "trace/formats/tensorrt_profile/format.h"
#include "trace/formats/tflite_profile/format.h"
#include "trace/formats/torch_memory/format.h"
#include "trace/formats/trtexec_log/format.h"
#include "trace/formats/trtexec_times/format.h"

namespace opscope {

namespace {

constexpr std::size_t kPrefixBytes = 64 * 1024;

constexpr std::array kFormats = {
    kOrtProfile,   kKinetoTrace,   kExecutionTrace, kNsysExport,       kNsysStats,
    kKeyAverages,  kTorchMemory,   kFoldedStacks,   kTensorrtProfile,  kTrtexecLog,
    kTrtexecTimes, kTfliteProfile, kArmnnProfile,   kOpenvinoCounters,
};

std::string Ids(const std::vector<const TraceFormat*>& formats) {
  std::string list;
  for (const TraceFormat* format : formats)
    list += (list.empty() ? "" : ", ") + std::string(format->info.id);
  return list;
}

Result<const TraceFormat*> ByName(std::string_view id) {
  std::vector<const TraceFormat*> all;
  for (const TraceFormat& format : kFormats) {
    if (format.info.id == id) return &format;
    all.push_back(&format);
  }
  return Error{"trace.format-name",
               "\"" + std::string(id) + "\" is no profile format; known are " + Ids(all), ""};
}

// What the beginning looks like, for people who gave another kind of file.
std::string Appearance(std::string_view prefix) {
  const std::size_t at = prefix.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return "it holds only blanks";
  const bool text = std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  });
  if (!text) return "it is binary";
  if (prefix[at] == '{' || prefix[at] == '[') return "it is JSON, but of no known kind";
  return "it is text, but of no known kind";
}

Result<const TraceFormat*> ByContent(const TraceReadContext& context) {
  TRY_ASSIGN(const std::string_view prefix, context.source.Window(0, kPrefixBytes));
  std::vector<const TraceFormat*> yes, maybe;
  for (const TraceFormat& format : kFormats) {
    const TraceMatch match = format.probe(prefix, context.source.size());
    if (match == TraceMatch::kYes) yes.push_back(&format);
    if (match == TraceMatch::kMaybe) maybe.push_back(&format);
  }
  if (yes.size() > 1)
    return Error{"trace.ambiguous", "could be read as " + Ids(yes) + "; say which with --as FORMAT",
                 ""};
  if (!yes.empty()) return yes.front();
  if (!maybe.empty()) {
    context.log.Add("trace.guessed-format", Severity::kNotice, context.source.file_name(),
                    "read as " + std::string(maybe.front()->info.id) + " by its looks");
    return maybe.front();
  }
  const std::string foreign = DescribeForeignTrace(prefix, context.source.file_name());
  if (!foreign.empty()) return Error{"trace.unknown-format", foreign, ""};
  return Error{"trace.unknown-format",
               "no profile or trace that this build reads: " + Appearance(prefix) +
                   "; `opscope formats` lists what is read, --as FORMAT forces one",
               ""};
}

}  // namespace

std::span<const TraceFormat> TraceFormats() { return kFormats; }

Result<Trace> ReadTrace(const TraceReadContext& context, std::string_view as) {
  const std::string file = context.source.file_name();
  if (context.source.size() == 0)
    return Error{"trace.empty",
                 "0 bytes: the session was not ended, so its profile was never written; end the "
                 "session (or call EndProfiling) before the program exits",
                 file};
  Result<const TraceFormat*> format = as.empty() ? ByContent(context) : ByName(as);
  if (!format.has_value()) return WithContext(format.error(), file);
  Result<Trace> trace = (*format)->read(context);
  if (!trace.has_value()) return WithContext(trace.error(), file);
  return trace;
}

}  // namespace opscope
