// The clocks of a run.
#pragma once

#include <cstdint>
#include <optional>

namespace opscope::child {

// Monotonic wall clock, and CPU time of all threads of this process.
std::int64_t WallNanos();
std::int64_t CpuNanos();
// How long threads of this process were ready to run but had no processor, summed over the threads
// that live now. nullopt where the kernel does not count it.
std::optional<std::int64_t> WaitedNanos();

}  // namespace opscope::child
