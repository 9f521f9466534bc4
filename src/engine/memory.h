// How much memory is left, on the machine and in the control group we live in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace opscope {

// `root` is where /proc and /sys are found: "" on a machine, a folder in tests.
std::optional<std::int64_t> TotalMemoryBytes(const std::string& root = "");
// The smaller of MemAvailable and what the control group still allows.
std::optional<std::int64_t> AvailableMemoryBytes(const std::string& root = "");
// The smallest memory limit of our control group and those above it; nullopt without one.
std::optional<std::int64_t> ContainerMemoryLimit(const std::string& root = "");
// The resident size of a process, from /proc/<pid>/statm; and its largest, from VmHWM.
std::optional<std::int64_t> ResidentBytes(int pid);
std::optional<std::int64_t> PeakResidentBytes(int pid);

// The whole of a small file of /proc or /sys (64 KiB at most); nullopt when it cannot be read.
std::optional<std::string> ReadSmallFile(const std::string& path);

// The folder of our control group for `controller` ("memory", "cpu") in a mounted hierarchy of
// either version, and whether it is version 2; nullopt when there is none.
struct ControlGroup {
  std::string mount;  // "<root>/sys/fs/cgroup" or "<root>/sys/fs/cgroup/memory"
  std::string path;   // below it: "/a/b", "" at the top
  bool version2 = false;
};
std::optional<ControlGroup> FindControlGroup(const std::string& controller,
                                             const std::string& root = "");

}  // namespace opscope
