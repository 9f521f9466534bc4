// The steps of a training or inference loop, and what each spent its time on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/interval.h"
#include "trace/launches.h"
#include "trace/trace.h"

namespace opscope {

// "ProfilerStep#3".
inline bool IsStepMark(std::string_view name) { return name.starts_with("ProfilerStep#"); }

// The name of all steps together, where rows are by name.
constexpr std::string_view kAllSteps = "ProfilerStep*";

// In order of precedence: an instant belongs to the first of these that goes on.
enum class StepPart : std::uint8_t {
  kKernel,
  kCopy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataLoader,
  kCpu,
  kOther
};
constexpr std::size_t kStepParts = 8;

struct Step {
  Str name{0};
  std::int64_t begin = 0, end = 0;
  std::array<std::int64_t, kStepParts> parts_ns{};  // they sum to end - begin
  // In which a thread worked (ops, calls that do not wait); in which a device did.
  std::int64_t host_ns = 0, device_ns = 0;
};

struct Steps {
  std::vector<Step> steps;
  std::int64_t found = 0;  // marks in the file; those beyond `steps` were cut off at the tail
};

// By the marks ProfilerStep#N. Where devices work, a step ends with the last device work that was
// launched in it and the next begins there; a last step with less than 0.8 times the work of the
// one before is cut off (the definition of torch's TensorBoard plugin).
Steps FindSteps(const Trace& trace, const std::vector<DeviceWork>& work);

}  // namespace opscope
