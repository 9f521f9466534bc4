// Internal to trace: two things at once, on the second core.
#pragma once

#include <cstddef>
#include <future>

namespace opscope {

// Runs `there` on a thread of its own while `here` runs on this one; one behind the other where so
// few rows are no work for a thread, or where there are no threads to be had. They share nothing
// that either writes.
template <class There, class Here>
void Beside(std::size_t rows, There there, Here here) {
  constexpr std::size_t kWorthAThread = 100'000;
  const auto policy =
      rows < kWorthAThread ? std::launch::deferred : std::launch::async | std::launch::deferred;
  std::future<void> other = std::async(policy, there);
  here();
  other.get();
}

}  // namespace opscope
