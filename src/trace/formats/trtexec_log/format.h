// What `trtexec` prints: build, engine, table of layers, summary. 7.x to 11.
#pragma once

#include "trace/formats/format.h"

namespace opscope {

namespace trtexec_log {
TraceMatch Probe(std::string_view prefix, std::uint64_t size);
Result<Trace> Read(const TraceReadContext& context);
}  // namespace trtexec_log

constexpr TraceFormat kTrtexecLog = {{"trtexec-log", "trtexec log", ".log .txt",
                                      "table of layers (--dumpProfile), latency summary, engine "
                                      "layers with their types and tactics, "
                                      "what the build fused"},
                                     &trtexec_log::Probe,
                                     &trtexec_log::Read};

}  // namespace opscope
