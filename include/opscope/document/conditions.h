// Under what conditions the numbers were obtained: engine, device, settings, state.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"

namespace opscope::doc {

struct Tool {
  static constexpr std::string_view kTitle = "Tool";

  std::string name = "opscope";
  std::string version;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("version", self.version);
  }
};

struct Engine {
  static constexpr std::string_view kTitle = "Engine";

  std::string name;  // "onnxruntime"
  std::optional<std::string> version;
  std::optional<std::string> provider;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("version", self.version);
    v("provider", self.provider, {"Execution provider or delegate that was asked for"});
  }
};

struct Cpu {
  static constexpr std::string_view kTitle = "Cpu";

  std::optional<std::string> name;
  std::optional<std::string> architecture;
  std::optional<std::int64_t> physical_cores;
  std::optional<std::int64_t> logical_cores;
  std::optional<std::int64_t> max_frequency_mhz;
  std::optional<std::int64_t> l1d_bytes;  // of one core
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> l3_bytes;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("architecture", self.architecture, {"x86_64, aarch64 …"});
    v("physical_cores", self.physical_cores, {"Cores this process may use", "1"});
    v("logical_cores", self.logical_cores, {"Hardware threads this process may use", "1"});
    v("max_frequency_mhz", self.max_frequency_mhz, {"", "MHz"});
    v("l1d_bytes", self.l1d_bytes, {"Data cache of one core", "bytes"});
    v("l2_bytes", self.l2_bytes, {"", "bytes"});
    v("l3_bytes", self.l3_bytes, {"", "bytes"});
  }
};

struct Accelerator {
  static constexpr std::string_view kTitle = "Accelerator";

  std::string kind;  // "gpu", "npu"
  std::string name;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("kind", self.kind);
    v("name", self.name);
  }
};

struct Device {
  static constexpr std::string_view kTitle = "Device";

  std::optional<std::string> id;  // of the device catalogue
  std::optional<std::string> name;
  std::optional<Cpu> cpu;
  std::vector<std::string> isa;
  std::optional<std::int64_t> memory_bytes;
  std::vector<Accelerator> accelerators;
  std::optional<std::string> system;
  std::optional<std::string> virtualisation;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("id", self.id, {"Entry of the device catalogue"});
    v("name", self.name);
    v("cpu", self.cpu);
    v("isa", self.isa, {"Instruction sets that matter for kernels: avx2, avx512_vnni, dotprod …"});
    v("memory_bytes", self.memory_bytes, {"Main memory", "bytes"});
    v("accelerators", self.accelerators);
    v.Part("system", self.system, {"Operating system and release"});
    v.Part("virtualisation", self.virtualisation, {"hypervisor, container …"});
    v.Part("because", self.because, {"Why something above is null or empty, by its key"});
  }
};

struct Settings {
  static constexpr std::string_view kTitle = "Settings";

  std::optional<std::int64_t> threads;
  std::optional<std::string> level;  // none, basic, extended, all
  std::optional<std::int64_t> warmup;
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> seed;
  std::optional<bool> spinning;
  std::optional<std::string> inputs;  // "random", or the name of the file they came from
  Map<Shape> shapes;
  Map<std::string> provider_options;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("threads", self.threads, {"Threads inside an op", "1"});
    v("level", self.level, {"Graph optimisation level", "", "none|basic|extended|all"});
    v("warmup", self.warmup, {"Iterations run first and left out of every statistic", "1"});
    v("runs", self.runs, {"Iterations asked for; null = until the interval was tight", "1"});
    v("seed", self.seed, {"Of the random inputs"});
    v("spinning", self.spinning, {"Whether idle threads of the engine spin"});
    v("inputs", self.inputs, {"random, or the file they were read from"});
    v("shapes", self.shapes, {"Of every input as it was run"});
    v.Part("provider_options", self.provider_options);
  }
};

struct Energy {
  static constexpr std::string_view kTitle = "Energy";

  double joules = 0;
  std::string source;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("joules", self.joules, {"Of one iteration", "J"});
    v("source", self.source);
  }
};

struct State {
  static constexpr std::string_view kTitle = "State";

  std::optional<std::string> governor;
  std::vector<double> frequency_mhz;  // of each core used, while running
  std::vector<double> temperature_c;
  std::optional<Energy> energy;
  std::optional<double> load;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("governor", self.governor, {"Frequency governor of the processor"});
    v("frequency_mhz", self.frequency_mhz,
      {"Of the cores while running; empty = not readable", "MHz"});
    v("temperature_c", self.temperature_c, {"Empty = not readable", "degrees Celsius"});
    v("energy", self.energy);
    v("load", self.load, {"Share of the processor that others used before the run", "1"});
    v.Part("because", self.because, {"Why something above is null or empty, by its key"});
  }
};

struct Conditions {
  static constexpr std::string_view kTitle = "Conditions";

  std::optional<Engine> engine;
  std::optional<Device> device;  // null when a file does not say where it was recorded
  std::optional<Settings> settings;
  std::optional<State> state;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("engine", self.engine);
    v("device", self.device, {"Null when a file does not say where it was recorded"});
    v("settings", self.settings);
    v("state", self.state);
  }
};

}  // namespace opscope::doc
