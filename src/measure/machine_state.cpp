#include <set>
#include <string_view>

#include "base/text.h"
#include "engine/memory.h"
#include "measure/conditions.h"
#include "measure/sysfs.h"

namespace opscope {
namespace {

Probe<std::string> Governor(const std::string& root) {
  std::set<std::string> seen;
  const std::string cpus = root + "/sys/devices/system/cpu";
  for (const int cpu : NumberedEntries(cpus, "cpu"))
    if (auto name = ReadLineOf(cpus + "/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor"))
      seen.insert(Printable(*name));
  std::string out;
  for (const std::string& name : seen) out += (out.empty() ? "" : ", ") + name;
  if (out.empty()) return Probe<std::string>::Unknown("the system does not control its clock");
  return Probe<std::string>::Of(out);
}

// cpufreq in kHz; without it, "cpu MHz" of /proc/cpuinfo.
Probe<std::vector<std::int64_t>> Frequencies(const std::string& root) {
  std::vector<std::int64_t> out;
  const std::string cpus = root + "/sys/devices/system/cpu";
  for (const int cpu : NumberedEntries(cpus, "cpu"))
    if (const auto khz =
            ReadNumberOf(cpus + "/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq"))
      out.push_back((*khz + 500) / 1000);
  if (out.empty()) {
    const std::string cpuinfo = ReadSmallFile(root + "/proc/cpuinfo").value_or("");
    for (std::size_t at = cpuinfo.find("cpu MHz"); at != cpuinfo.npos;
         at = cpuinfo.find("cpu MHz", at + 1)) {
      const auto mhz = FieldOf(std::string_view(cpuinfo).substr(at), "cpu MHz");
      const auto whole = mhz ? LeadingNumber(*mhz) : std::nullopt;
      if (whole) out.push_back(*whole);
    }
  }
  if (out.empty())
    return Probe<std::vector<std::int64_t>>::Unknown("the system does not show its clock");
  return Probe<std::vector<std::int64_t>>::Of(std::move(out));
}

Probe<std::vector<double>> Temperatures(const std::string& root) {
  std::vector<double> out;
  const std::string folder = root + "/sys/class/thermal";
  for (const int zone : NumberedEntries(folder, "thermal_zone"))
    if (const auto milli = ReadNumberOf(folder + "/thermal_zone" + std::to_string(zone) + "/temp"))
      out.push_back(static_cast<double>(*milli) / 1000);
  if (out.empty())
    return Probe<std::vector<double>>::Unknown("the system has no thermal zone to read");
  return Probe<std::vector<double>>::Of(std::move(out));
}

// "0.29 0.24 0.10 2/154 17243": the first is the average of the last minute, in hundredths.
Probe<double> Load(const std::string& root) {
  const std::string text = ReadLineOf(root + "/proc/loadavg").value_or("");
  const std::size_t dot = text.find('.');
  if (dot == text.npos || dot + 2 >= text.size())
    return Probe<double>::Unknown("/proc/loadavg cannot be read");
  const auto whole = LeadingNumber(text.substr(0, dot));
  const auto hundredths = LeadingNumber(text.substr(dot + 1, 2));
  if (!whole || !hundredths) return Probe<double>::Unknown("/proc/loadavg cannot be read");
  return Probe<double>::Of(static_cast<double>(*whole) + static_cast<double>(*hundredths) / 100);
}

}  // namespace

MachineState ReadMachineState(const std::string& root) {
  MachineState out;
  out.governor = Governor(root);
  out.frequency_mhz = Frequencies(root);
  out.temperature_c = Temperatures(root);
  out.load = Load(root);
  out.available_memory_bytes =
      Probe<std::int64_t>::From(AvailableMemoryBytes(root), "/proc/meminfo cannot be read");
  return out;
}

}  // namespace opscope
