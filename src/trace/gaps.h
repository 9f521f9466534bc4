// Stretches in which a device did nothing, and what the host did meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "trace/launches.h"
#include "trace/threads.h"
#include "trace/trace.h"

namespace opscope {

enum class GapKind : std::uint8_t {
  kLaunch,   // the host was still busy with ops and launches when the device ran dry
  kSync,     // the host had waited for the device and so had nothing queued
  kLoading,  // the host was loading data
  kHost,     // the host did something that was not recorded, or nothing
  kUnknown   // the next work had been launched before, or its launch is not in the file
};
constexpr std::size_t kGapKinds = 5;
std::string_view Name(GapKind kind);  // "launch", "sync", "data loading", "host", "unknown"

struct Gap {
  std::int64_t device = 0;
  std::int64_t begin = 0, end = 0;
  GapKind kind = GapKind::kUnknown;
  std::uint32_t before = 0, after = 0;  // events of the device on both sides
};

// All gaps of all devices in the order of (device, begin); they sum to the idle time.
//
// A gap is judged by the launch of the work that ends it. Launched before the gap began: unknown.
// Otherwise by the thread that launched it, between the begin of the gap and the launch: a call
// that waits for the device was open = sync; more than half of it loading data = data loading; more
// than half in ops and calls = launch; else host.
void FindGaps(const Trace& trace, const std::vector<DeviceWork>& work, HostActivity host,
              const std::function<void(const Gap&)>& take);

}  // namespace opscope
