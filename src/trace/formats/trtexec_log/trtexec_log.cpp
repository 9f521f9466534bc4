// &&&& RUNNING TensorRT.trtexec [TensorRT v101601] [b11] # trtexec --loadEngine=m.trt --dumpProfile
// [07/07/2026-02:11:43] [I] === Profile (18362 iterations ) ===
// [07/07/2026-02:11:43] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
// [07/07/2026-02:11:43] [I]      193.50       0.0105       0.0098      12.7   node_conv2d_myl0_1
// &&&& PASSED TensorRT.trtexec [TensorRT v101601] [b11] # trtexec …
#include <string>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "trace/formats/trtexec_log/format.h"
#include "trace/formats/trtexec_log/session.h"

namespace opscope::trtexec_log {

namespace {

// The sessions of one log; the last that says most is read.
class Sessions {
 public:
  void Begin() { Keep(std::exchange(current_, Session())); }
  Session& current() { return current_; }

  const Session* Best() {
    Keep(std::exchange(current_, Session()));
    return best_rank_ > 0 ? &best_ : nullptr;
  }
  std::int64_t profiled() const { return profiled_; }

 private:
  static int RankOf(const Session& session) {
    if (session.has_rows()) return 3;
    if (session.has_layers()) return 2;
    return session.has_latency() ? 1 : 0;
  }
  void Keep(Session session) {
    const int rank = RankOf(session);
    profiled_ += session.has_rows() ? 1 : 0;
    if (rank == 0 || rank < best_rank_) return;
    best_ = std::move(session);
    best_rank_ = rank;
  }

  Session current_, best_;
  int best_rank_ = 0;
  std::int64_t profiled_ = 0;
};

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const auto has = [&](std::string_view text) {
    return prefix.find(text) != std::string_view::npos;
  };
  if (has("&&&& RUNNING TensorRT.trtexec")) return TraceMatch::kYes;
  const bool frame = has("] [I] === ") || has("[I] === Profile (");
  const bool layers = has("[TRT] Engine Layer Information:");
  return frame || layers || has("=== Profile (") ? TraceMatch::kMaybe : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kTrtexecLog.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "device time of each layer, summed over all iterations";
  Sessions sessions;
  Lines lines(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) break;
    if (line->text.starts_with("&&&& RUNNING ")) sessions.Begin();
    sessions.current().Take(ParseLine(line->text), line->offset, context.log);
  }
  const Session* best = sessions.Best();
  if (best == nullptr)
    return Error{"trtexec-log.none",
                 "the log holds no table of layers, no list of engine layers and no latency: run "
                 "trtexec with --dumpProfile --separateProfileRun",
                 ""};
  if (sessions.profiled() > 1)
    context.log.Add("trtexec-log.several-runs", Severity::kNotice, context.source.file_name(),
                    "the log holds " + std::to_string(sessions.profiled()) +
                        " profiled runs; the last is read");
  best->Fill(trace, context.log);
  return trace;
}

}  // namespace opscope::trtexec_log
