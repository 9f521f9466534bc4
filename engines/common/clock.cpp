#include "engines/common/clock.h"

#include <dirent.h>
#include <time.h>

#include <cstdio>
#include <string>

namespace opscope::child {
namespace {

std::int64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t WallNanos() { return Read(CLOCK_MONOTONIC); }

std::int64_t CpuNanos() { return Read(CLOCK_PROCESS_CPUTIME_ID); }

// /proc/self/task/<tid>/schedstat: "<ns on a processor> <ns waiting for one> <time slices>".
std::optional<std::int64_t> WaitedNanos() {
  const std::string folder = "/proc/self/task";
  DIR* tasks = opendir(folder.c_str());
  if (!tasks) return std::nullopt;
  std::optional<std::int64_t> sum;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    FILE* file = std::fopen((folder + "/" + task->d_name + "/schedstat").c_str(), "re");
    if (!file) continue;
    long long waited = 0;
    if (std::fscanf(file, "%*s %lld", &waited) == 1) sum = sum.value_or(0) + waited;
    std::fclose(file);
  }
  closedir(tasks);
  return sum;
}

}  // namespace opscope::child
