#include "engine/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/checked.h"
#include "base/trimmed.h"

namespace opscope {
namespace {

// The number after `key` at the start of a line: "MemAvailable:   1234 kB", "inactive_file 4096".
std::optional<std::int64_t> LineValue(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.substr(0, key.size()) != key) continue;
    line = Trimmed(line.substr(key.size()));
    return ParseInt64(line.substr(0, line.find_first_of(" \t")));
  }
  return std::nullopt;
}

std::optional<std::int64_t> KilobytesIn(const std::string& file, std::string_view key) {
  const auto text = ReadSmallFile(file);
  const auto kilobytes = text ? LineValue(*text, key) : std::nullopt;
  return kilobytes ? CheckedMul<std::int64_t>(*kilobytes, 1024) : std::nullopt;
}

std::optional<std::int64_t> NumberIn(const std::string& file) {
  const auto text = ReadSmallFile(file);
  return text ? ParseInt64(Trimmed(*text)) : std::nullopt;
}

// A limit that is "max", or as large as version 1 writes "none" (2^63 cut to pages), is no limit.
std::optional<std::int64_t> LimitIn(const std::string& file) {
  constexpr std::int64_t kNone = std::int64_t{1} << 60;
  const auto limit = NumberIn(file);
  return limit && *limit < kNone ? limit : std::nullopt;
}

struct GroupMemory {
  std::int64_t limit = 0;
  std::optional<std::int64_t> left;
};

// The control group and every one above it may hold a limit; `best` picks what counts.
template <class Better>
std::optional<GroupMemory> WalkGroups(const std::string& root, Better better) {
  const auto group = FindControlGroup("memory", root);
  if (!group) return std::nullopt;
  std::optional<GroupMemory> out;
  for (std::string path = group->path;; path.resize(std::min(path.size(), path.rfind('/')))) {
    const std::string folder = group->mount + path + "/";
    const auto limit = LimitIn(folder + (group->version2 ? "memory.max" : "memory.limit_in_bytes"));
    if (limit) {
      GroupMemory found{*limit, std::nullopt};
      const auto used =
          NumberIn(folder + (group->version2 ? "memory.current" : "memory.usage_in_bytes"));
      const auto statistics = ReadSmallFile(folder + "memory.stat");
      const std::string_view key = group->version2 ? "inactive_file " : "total_inactive_file ";
      const auto cache = statistics ? LineValue(*statistics, key) : std::nullopt;
      if (used) found.left = std::max<std::int64_t>(0, *limit - *used + cache.value_or(0));
      if (!out || better(found, *out)) out = found;
    }
    if (path.empty()) return out;
  }
}

}  // namespace

std::optional<std::string> ReadSmallFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  constexpr std::size_t kMost = 64 << 10;
  std::string out(kMost, '\0');
  std::size_t size = 0;
  bool good = true;
  while (size < kMost) {
    const ssize_t got = read(file, out.data() + size, kMost - size);
    good = got >= 0;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  close(file);
  if (!good) return std::nullopt;
  out.resize(size);
  return out;
}

// A line of /proc/self/cgroup is "<id>:<controllers>:<path>"; version 2 is "0::<path>".
std::optional<ControlGroup> FindControlGroup(const std::string& controller,
                                             const std::string& root) {
  const auto text = ReadSmallFile(root + "/proc/self/cgroup");
  if (!text) return std::nullopt;
  const std::string mount = root + "/sys/fs/cgroup";
  std::optional<ControlGroup> version2;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    std::string path(line.substr(second + 1));
    if (path == "/") path.clear();
    if (names.find("," + controller + ",") != names.npos) {
      // Inside a container the path is that of the host, and the mount shows our group at its top.
      const std::string folder = mount + "/" + controller;
      if (access((folder + path).c_str(), F_OK) != 0) path.clear();
      return ControlGroup{folder, path, false};
    }
    if (names == ",,") {
      if (access((mount + path).c_str(), F_OK) != 0) path.clear();
      version2 = ControlGroup{mount, path, true};
    }
  }
  return version2;
}

std::optional<std::int64_t> TotalMemoryBytes(const std::string& root) {
  return KilobytesIn(root + "/proc/meminfo", "MemTotal:");
}

std::optional<std::int64_t> AvailableMemoryBytes(const std::string& root) {
  auto available = KilobytesIn(root + "/proc/meminfo", "MemAvailable:");
  const auto group = WalkGroups(root, [](const GroupMemory& a, const GroupMemory& b) {
    return a.left && (!b.left || *a.left < *b.left);
  });
  if (group && group->left) available = std::min(available.value_or(*group->left), *group->left);
  return available;
}

std::optional<std::int64_t> ContainerMemoryLimit(const std::string& root) {
  const auto group = WalkGroups(
      root, [](const GroupMemory& a, const GroupMemory& b) { return a.limit < b.limit; });
  return group ? std::optional(group->limit) : std::nullopt;
}

// "statm" counts pages: size resident shared text lib data dt.
std::optional<std::int64_t> ResidentBytes(int pid) {
  const auto text = ReadSmallFile("/proc/" + std::to_string(pid) + "/statm");
  if (!text) return std::nullopt;
  const std::string_view line = *text;
  const std::size_t begin = line.find(' ');
  if (begin == line.npos) return std::nullopt;
  const std::size_t end = line.find(' ', begin + 1);
  if (end == line.npos) return std::nullopt;
  const auto pages = ParseInt64(line.substr(begin + 1, end - begin - 1));
  return pages ? CheckedMul<std::int64_t>(*pages, sysconf(_SC_PAGESIZE)) : std::nullopt;
}

std::optional<std::int64_t> PeakResidentBytes(int pid) {
  return KilobytesIn("/proc/" + std::to_string(pid) + "/status", "VmHWM:");
}

}  // namespace opscope
