#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "engine/memory.h"
#include "measure/conditions.h"
#include "measure/sysfs.h"

namespace opscope {
namespace {

// A flag of /proc/cpuinfo ("flags" on x86, "Features" on Arm) and what we call it. The kernel's
// list is that of usable features; CPUID alone also lists what the system has not enabled.
struct IsaName {
  std::string_view flag;
  std::string_view name;
};
constexpr IsaName kIsa[] = {
    {"sse4_2", "sse4_2"},
    {"avx", "avx"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"avx2", "avx2"},
    {"avx_vnni", "avx_vnni"},
    {"avx_vnni_int8", "avx_vnni_int8"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512_vnni", "avx512_vnni"},
    {"avx512_bf16", "avx512_bf16"},
    {"avx512_fp16", "avx512_fp16"},
    {"amx_tile", "amx_tile"},
    {"amx_int8", "amx_int8"},
    {"amx_bf16", "amx_bf16"},
    {"amx_fp16", "amx_fp16"},
    {"asimd", "neon"},
    {"neon", "neon"},
    {"asimdhp", "fp16"},
    {"asimddp", "dotprod"},
    {"i8mm", "i8mm"},
    {"bf16", "bf16"},
    {"sve", "sve"},
    {"sve2", "sve2"},
    {"sme", "sme"},
    {"sme2", "sme2"},
};

std::vector<std::string> IsaOf(std::string_view cpuinfo) {
  const auto x86 = FieldOf(cpuinfo, "flags");
  const std::string flags = x86 ? *x86 : FieldOf(cpuinfo, "Features").value_or("");
  std::set<std::string_view> have;
  for (std::string_view rest = flags; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    have.insert(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<std::string> out;
  for (const IsaName& isa : kIsa)
    if (have.count(isa.flag) != 0) out.emplace_back(isa.name);
  return out;
}

Probe<std::string> CpuName(std::string_view cpuinfo) {
  for (const char* key : {"model name", "Model", "Hardware", "cpu model", "uarch"})
    if (const auto name = FieldOf(cpuinfo, key)) return Probe<std::string>::Of(Printable(*name));
  const auto implementer = FieldOf(cpuinfo, "CPU implementer");
  const auto part = FieldOf(cpuinfo, "CPU part");
  if (implementer && part)
    return Probe<std::string>::Of("implementer " + *implementer + " part " + *part);
  return Probe<std::string>::Unknown("/proc/cpuinfo does not name the processor");
}

Probe<std::string> ComputerName(const std::string& root) {
  for (const char* file : {"/sys/class/dmi/id/product_name", "/proc/device-tree/model"})
    if (const auto name = ReadLineOf(root + file)) return Probe<std::string>::Of(Printable(*name));
  return Probe<std::string>::Unknown("neither DMI nor a device tree names the computer");
}

Probe<int> Distinct(const std::string& root, const char* first, const char* second) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  const std::string cpus = root + "/sys/devices/system/cpu";
  for (const int cpu : NumberedEntries(cpus, "cpu")) {
    const std::string topology = cpus + "/cpu" + std::to_string(cpu) + "/topology/";
    const auto a = ReadNumberOf(topology + first);
    const auto b = ReadNumberOf(topology + second);
    if (a && b) seen.insert({*a, *b});
  }
  if (seen.empty()) return Probe<int>::Unknown("the system does not show its processor topology");
  return Probe<int>::Of(static_cast<int>(seen.size()));
}

Probe<int> NumaNodes(const std::string& root) {
  const auto nodes = NumberedEntries(root + "/sys/devices/system/node", "node");
  if (nodes.empty()) return Probe<int>::Unknown("the system does not show its memory nodes");
  return Probe<int>::Of(static_cast<int>(nodes.size()));
}

Probe<std::vector<CpuCache>> Caches(const std::string& root) {
  std::vector<CpuCache> out;
  const std::string folder = root + "/sys/devices/system/cpu/cpu0/cache";
  for (const int index : NumberedEntries(folder, "index")) {
    const std::string cache = folder + "/index" + std::to_string(index) + "/";
    const auto level = ReadNumberOf(cache + "level");
    const auto kind = ReadLineOf(cache + "type");
    const auto size = ReadLineOf(cache + "size");
    const auto bytes = size ? LeadingNumber(*size) : std::nullopt;
    if (!level || !kind || !bytes) continue;
    std::string name = *kind;
    if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') name[0] += 'a' - 'A';
    out.push_back({static_cast<int>(*level), name, *bytes,
                   CountList(ReadLineOf(cache + "shared_cpu_list").value_or(""))});
  }
  if (out.empty())
    return Probe<std::vector<CpuCache>>::Unknown("the system does not show its caches");
  return Probe<std::vector<CpuCache>>::Of(std::move(out));
}

// Version 2: cpu.max is "<quota> <period>" or "max <period>"; version 1 has a file for each.
Probe<double> ContainerCpus(const std::string& root) {
  const Probe<double> none = Probe<double>::Unknown("no limit is set");
  const auto group = FindControlGroup("cpu", root);
  if (!group) return Probe<double>::Unknown("no control group is mounted");
  const std::string folder = group->mount + group->path;
  std::optional<std::int64_t> quota, period;
  if (group->version2) {
    const std::string text = ReadLineOf(folder + "/cpu.max").value_or("");
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return none;
    quota = LeadingNumber(text.substr(0, blank));
    period = LeadingNumber(text.substr(blank + 1));
  } else {
    quota = ReadNumberOf(folder + "/cpu.cfs_quota_us");
    period = ReadNumberOf(folder + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return none;
  return Probe<double>::Of(static_cast<double>(*quota) / static_cast<double>(*period));
}

Probe<std::string> Virtualisation(const std::string& root, std::string_view cpuinfo) {
  std::string out;
  const auto add = [&](std::string_view part) {
    out += (out.empty() ? "" : ", ") + std::string(part);
  };
  if (const auto type = ReadLineOf(root + "/sys/hypervisor/type")) add(Printable(*type));
  if ((" " + FieldOf(cpuinfo, "flags").value_or("") + " ").find(" hypervisor ") !=
      std::string::npos)
    add("virtual machine");
  for (const char* mark : {"/.dockerenv", "/run/.containerenv"})
    if (access((root + mark).c_str(), F_OK) == 0) {
      add("container");
      break;
    }
  if (out.empty()) return Probe<std::string>::Unknown("no sign of a hypervisor or a container");
  return Probe<std::string>::Of(out);
}

int UsableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

// "intel-r-xeon-r-processor-2c-x86-64": letters and digits of what does not change.
std::string MachineId(const Machine& machine) {
  std::string text = machine.cpu.value.value_or("cpu") + " " +
                     std::to_string(machine.cores.value.value_or(machine.logical_processors)) +
                     "c " + machine.architecture;
  std::string out;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept) out += c;
    if (!kept && !out.empty() && out.back() != '-') out += '-';
  }
  return out;
}

}  // namespace

Machine ReadMachine(const std::string& root) {
  Machine out;
  const std::string cpuinfo = ReadSmallFile(root + "/proc/cpuinfo").value_or("");
  utsname system{};
  if (uname(&system) == 0) {
    out.architecture = system.machine;
    out.system = std::string(system.sysname) + " " + system.release;
  }
  out.name = ComputerName(root);
  out.cpu = CpuName(cpuinfo);
  out.logical_processors = UsableProcessors();
  out.container_cpus = ContainerCpus(root);
  out.cores = Distinct(root, "physical_package_id", "core_id");
  out.sockets = Distinct(root, "physical_package_id", "physical_package_id");
  out.numa_nodes = NumaNodes(root);
  out.isa = IsaOf(cpuinfo);
  out.caches = Caches(root);
  out.memory_bytes =
      Probe<std::int64_t>::From(TotalMemoryBytes(root), "/proc/meminfo cannot be read");
  out.container_memory_bytes =
      Probe<std::int64_t>::From(ContainerMemoryLimit(root), "no limit is set");
  out.virtualisation = Virtualisation(root, cpuinfo);
  out.id = MachineId(out);
  return out;
}

}  // namespace opscope
