// What is read of a machine, from trees of /proc and /sys written here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/memory.h"
#include "measure/conditions.h"
#include "measure/sysfs.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

class Tree : public testing::Test {
 protected:
  Tree() : root_(testing::TempDir() + "/conditions-" + std::to_string(getpid())) {
    fs::create_directories(root_);
  }
  ~Tree() override { fs::remove_all(root_); }
  void Write(const std::string& name, const std::string& text) {
    const fs::path path = root_ + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string root_;
};

TEST_F(Tree, AnEmptyMachineAnswersWithReasons) {
  const Machine machine = ReadMachine(root_);
  EXPECT_FALSE(machine.cpu.value);
  EXPECT_EQ(machine.cpu.why, "/proc/cpuinfo does not name the processor");
  for (const std::string* why :
       {&machine.name.why, &machine.cores.why, &machine.caches.why, &machine.memory_bytes.why,
        &machine.virtualisation.why, &machine.container_cpus.why, &machine.numa_nodes.why})
    EXPECT_FALSE(why->empty());
  EXPECT_GT(machine.logical_processors, 0);
  const MachineState state = ReadMachineState(root_);
  for (const std::string* why :
       {&state.governor.why, &state.frequency_mhz.why, &state.temperature_c.why, &state.load.why})
    EXPECT_FALSE(why->empty());
}

TEST_F(Tree, AVirtualXeon) {
  Write("/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\ncpu MHz\t\t: 2299.998\n"
        "flags\t\t: fpu sse4_2 avx avx2 fma hypervisor avx512f avx512_vnni amx_int8\n\n"
        "processor\t: 1\ncpu MHz\t\t: 2300.001\n");
  Write("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    900 kB\n");
  Write("/proc/loadavg", "1.25 0.24 0.10 2/154 17243\n");
  for (const char* cpu : {"0", "1"}) {
    const std::string topology = std::string("/sys/devices/system/cpu/cpu") + cpu + "/topology/";
    Write(topology + "physical_package_id", "0\n");
    Write(topology + "core_id", cpu);
  }
  const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index3/";
  Write(cache + "level", "3\n");
  Write(cache + "type", "Unified\n");
  Write(cache + "size", "266240K\n");
  Write(cache + "shared_cpu_list", "0-1\n");
  Write("/.dockerenv", "");

  const Machine machine = ReadMachine(root_);
  EXPECT_EQ(machine.cpu.value, "Intel(R) Xeon(R) Processor");
  EXPECT_EQ(machine.cores.value, 2);
  EXPECT_EQ(machine.sockets.value, 1);
  EXPECT_EQ(machine.isa, (std::vector<std::string>{"sse4_2", "avx", "fma", "avx2", "avx512f",
                                                   "avx512_vnni", "amx_int8"}));
  ASSERT_TRUE(machine.caches.value);
  EXPECT_EQ((*machine.caches.value)[0].bytes, 272'629'760);
  EXPECT_EQ((*machine.caches.value)[0].shared_by, 2);
  EXPECT_EQ((*machine.caches.value)[0].kind, "unified");
  EXPECT_EQ(machine.memory_bytes.value, 1'024'000);
  EXPECT_EQ(machine.virtualisation.value, "virtual machine, container");
  EXPECT_EQ(machine.id.rfind("intel-r-xeon-r-processor-2c-", 0), 0U);

  const MachineState state = ReadMachineState(root_);
  EXPECT_EQ(state.frequency_mhz.value, (std::vector<std::int64_t>{2299, 2300}));
  EXPECT_EQ(state.load.value, 1.25);
  EXPECT_EQ(state.available_memory_bytes.value, 921'600);
}

TEST_F(Tree, ASmallArmBoard) {
  Write("/proc/cpuinfo",
        "processor\t: 0\nFeatures\t: fp asimd asimdhp asimddp i8mm\n"
        "CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n");
  Write("/proc/device-tree/model", std::string("Raspberry Pi 5\0", 15));
  const std::string frequency = "/sys/devices/system/cpu/cpu0/cpufreq/";
  Write(frequency + "scaling_governor", "ondemand\n");
  Write(frequency + "scaling_cur_freq", "1500000\n");
  Write("/sys/class/thermal/thermal_zone0/temp", "48312\n");

  const Machine machine = ReadMachine(root_);
  EXPECT_EQ(machine.cpu.value, "implementer 0x41 part 0xd0b");
  EXPECT_EQ(machine.name.value, "Raspberry Pi 5");
  EXPECT_EQ(machine.isa, (std::vector<std::string>{"neon", "fp16", "dotprod", "i8mm"}));
  const MachineState state = ReadMachineState(root_);
  EXPECT_EQ(state.governor.value, "ondemand");
  EXPECT_EQ(state.frequency_mhz.value, std::vector<std::int64_t>{1500});
  ASSERT_TRUE(state.temperature_c.value);
  EXPECT_DOUBLE_EQ((*state.temperature_c.value)[0], 48.312);
}

TEST_F(Tree, ContainerLimitsOfVersion2) {
  Write("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 7000000 kB\n");
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  Write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  Write("/sys/fs/cgroup/a/memory.max", "1000000\n");
  Write("/sys/fs/cgroup/a/memory.current", "700000\n");
  Write("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 200000\n");
  EXPECT_EQ(ContainerMemoryLimit(root_), 1'000'000);
  EXPECT_EQ(AvailableMemoryBytes(root_), 500'000);
  EXPECT_EQ(ReadMachine(root_).container_cpus.value, 1.5);
}

TEST_F(Tree, ContainerLimitsOfVersion1) {
  Write("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 100 kB\n");
  Write("/proc/self/cgroup", "4:memory:/host/path\n1:cpu,cpuacct:/\n0::/\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ContainerMemoryLimit(root_), std::nullopt);
  EXPECT_EQ(AvailableMemoryBytes(root_), 102'400);
  EXPECT_EQ(ReadMachine(root_).container_cpus.value, std::nullopt);
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
  Write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "8192\n");
  EXPECT_EQ(ContainerMemoryLimit(root_), 4096);
  EXPECT_EQ(AvailableMemoryBytes(root_), 0);
}

TEST(Conditions, ThisMachineIsRead) {
  const Machine machine = ReadMachine();
  EXPECT_FALSE(machine.architecture.empty());
  EXPECT_TRUE(machine.memory_bytes.value);
  EXPECT_GT(ResidentBytes(getpid()).value_or(0), 0);
  EXPECT_GE(PeakResidentBytes(getpid()).value_or(0), ResidentBytes(getpid()).value_or(0) / 2);
  EXPECT_FALSE(ResidentBytes(-1));
}

TEST(Sysfs, Numbers) {
  EXPECT_EQ(LeadingNumber("48K"), 49'152);
  EXPECT_EQ(LeadingNumber("2M"), 2'097'152);
  EXPECT_EQ(LeadingNumber("2299.998"), 2299);
  EXPECT_EQ(LeadingNumber("max"), std::nullopt);
  EXPECT_EQ(CountList("0-3,8"), 5);
  EXPECT_EQ(CountList("0"), 1);
  EXPECT_EQ(CountList("3-1"), 0);
  EXPECT_EQ(FieldOf("a : 1\nbc\t: 2 3\n", "bc"), "2 3");
  EXPECT_EQ(FieldOf("a : 1\n", "b"), std::nullopt);
}

}  // namespace
}  // namespace opscope
