// What the machine is and what state it is in. Every probe answers with a value or with the reason
// why there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opscope {

template <class T>
struct Probe {
  std::optional<T> value;
  std::string why;  // "not available, because …" when there is no value

  static Probe Of(T found) { return {std::move(found), {}}; }
  static Probe From(std::optional<T> found, std::string reason) {
    return found ? Of(std::move(*found)) : Unknown(std::move(reason));
  }
  static Probe Unknown(std::string reason) { return {std::nullopt, std::move(reason)}; }
};

struct CpuCache {
  int level = 0;
  std::string kind;        // "data", "instruction", "unified"
  std::int64_t bytes = 0;  // as the system reports it; a guest may see its host's
  int shared_by = 0;       // logical processors; 0 = unknown
};

// What does not change while we run.
struct Machine {
  std::string id;                // stable and short, from processor, cores and architecture
  Probe<std::string> name;       // of the computer or board
  std::string architecture;      // "x86_64"
  std::string system;            // "Linux 6.1.0"
  Probe<std::string> cpu;        // "Intel(R) Xeon(R) …"
  int logical_processors = 0;    // that this process may use
  Probe<double> container_cpus;  // the quota of the control group
  Probe<int> cores;
  Probe<int> sockets;
  Probe<int> numa_nodes;
  std::vector<std::string> isa;  // as in the device catalogue: "avx2", "avx512_vnni", "dotprod"
  Probe<std::vector<CpuCache>> caches;
  Probe<std::int64_t> memory_bytes;
  Probe<std::int64_t> container_memory_bytes;  // the limit of the control group
  Probe<std::string> virtualisation;           // "hypervisor", "container", …
};

struct MachineState {
  Probe<std::string> governor;
  Probe<std::vector<std::int64_t>> frequency_mhz;  // one per logical processor
  Probe<std::vector<double>> temperature_c;        // one per zone
  Probe<double> load;                              // average of the last minute
  Probe<std::int64_t> available_memory_bytes;
};

// `root` is where /proc and /sys are found: "" on a machine, a folder in tests.
Machine ReadMachine(const std::string& root = "");
MachineState ReadMachineState(const std::string& root = "");

}  // namespace opscope
