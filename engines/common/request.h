// The engine's half of the protocol: requests from text, answers to text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/common/engine.h"

namespace opscope::child {

inline constexpr std::int64_t kProtocol = 1;

struct RunLimits {
  std::int64_t lead_runs = 0;
  std::int64_t min_runs = 1;
  std::int64_t max_runs = 1;
  std::int64_t min_time_ns = 0;
  std::int64_t max_time_ns = 0;
};

struct Request {
  std::int64_t id = 0;
  std::string op;
  LoadRequest load;
  RunLimits run;
};

// Errors: "protocol".
Result<Request> ParseRequest(std::string_view line);

// Answers, one line each, with its '\n'.
std::string HelloAnswer(std::int64_t id, std::string_view engine);
std::string LoadAnswer(std::int64_t id, const Description& description, std::int64_t load_ns);
std::string SamplesLine(std::int64_t id, const std::vector<std::int64_t>& wall_ns,
                        const std::vector<std::int64_t>& cpu_ns);
std::string RunAnswer(std::int64_t id, std::optional<std::int64_t> waited_ns);
std::string ProfileAnswer(std::int64_t id, const Profile& profile);
std::string OutputsAnswer(std::int64_t id, const std::vector<Output>& outputs);
std::string PlainAnswer(std::int64_t id);
std::string ErrorAnswer(std::int64_t id, const Error& error);

}  // namespace opscope::child
