// Our half of the engine protocol (docs/engine-protocol.md): requests to text, answers from text.
// Pure: no process is involved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace opscope {

inline constexpr std::int64_t kEngineProtocol = 1;

// Requests, one line each, without '\n'.
std::string HelloRequest(std::int64_t id);
std::string LoadRequest(std::int64_t id, const EngineOptions& options);
std::string AboutRequest(std::int64_t id, const std::string& library);
std::string RunRequestLine(std::int64_t id, const RunRequest& request);
std::string PlainRequest(std::int64_t id, std::string_view op);

// A line of the engine, of which exactly one part is set.
struct EngineLine {
  std::int64_t id = 0;
  std::optional<std::string> ok;      // the answer, as JSON text of an object
  std::optional<Error> error;         // code with "engine." in front
  std::optional<RunSamples> samples;  // part of a run
};

// Errors: engine.protocol, quoting what was said.
Result<EngineLine> ParseEngineLine(std::string_view line);

struct EngineHello {
  std::int64_t protocol = 0;
  std::string engine;
};
Result<EngineHello> ParseHello(std::string_view json);
Result<EngineDescription> ParseDescription(std::string_view json);
Result<ProfileFile> ParseProfile(std::string_view json);
Result<std::vector<OutputShape>> ParseOutputs(std::string_view json);
// "waited_ns" of a finished run.
Result<std::optional<Nanos>> ParseRunEnd(std::string_view json);

}  // namespace opscope
