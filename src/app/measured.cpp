#include "app/measured.h"

#include <algorithm>

#include "document/messages.h"
#include "report/build.h"

namespace opscope {

namespace {

std::optional<std::string> NonEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::optional<std::int64_t> CacheBytes(const Machine& machine, int level) {
  if (!machine.caches.value) return std::nullopt;
  for (const CpuCache& cache : *machine.caches.value)
    if (cache.level == level && cache.kind != "instruction") return cache.bytes;
  return std::nullopt;
}

// A probe's value, or its reason in `because` under the report's key.
template <class T>
std::optional<T> Take(const Probe<T>& probe, const char* key, doc::Map<doc::Text>& because) {
  if (!probe.value && !probe.why.empty()) because.emplace_back(key, doc::Text(probe.why));
  return probe.value;
}

doc::Device BuildDevice(const Machine& machine) {
  doc::Device out;
  out.id = NonEmpty(machine.id);
  out.name = Take(machine.name, "name", out.because);
  out.system = NonEmpty(machine.system);
  out.virtualisation = Take(machine.virtualisation, "virtualisation", out.because);
  doc::Cpu cpu;
  cpu.name = machine.cpu.value;
  cpu.architecture = NonEmpty(machine.architecture);
  if (machine.cores.value) cpu.physical_cores = *machine.cores.value;
  cpu.logical_cores = machine.logical_processors;
  cpu.l1d_bytes = CacheBytes(machine, 1);
  cpu.l2_bytes = CacheBytes(machine, 2);
  cpu.l3_bytes = CacheBytes(machine, 3);
  out.cpu = std::move(cpu);
  out.isa = machine.isa;
  out.memory_bytes = Take(machine.memory_bytes, "memory_bytes", out.because);
  return out;
}

doc::Settings BuildSettings(const Measurement& measured, const RunOptions& options) {
  doc::Settings out;
  out.threads = options.threads;
  out.level = options.level;
  if (!measured.sessions.empty()) out.warmup = measured.sessions.front().warmup;
  if (options.runs) out.runs = *options.runs;
  out.seed = static_cast<std::int64_t>(options.seed);
  out.spinning = options.spinning;
  out.inputs = options.inputs.empty() ? "random"
                                      : options.inputs.substr(options.inputs.find_last_of('/') + 1);
  for (const EngineValue& input : measured.engine.inputs) {
    if (input.kind != "tensor") continue;
    out.shapes.emplace_back(
        input.name, std::vector<doc::Extent>(input.run_shape.begin(), input.run_shape.end()));
  }
  return out;
}

doc::State BuildState(const Measurement& measured) {
  doc::State out;
  const MachineState& after = measured.after;
  out.governor = Take(after.governor, "governor", out.because);
  if (const auto mhz = Take(after.frequency_mhz, "frequency_mhz", out.because))
    out.frequency_mhz.assign(mhz->begin(), mhz->end());
  out.temperature_c =
      Take(after.temperature_c, "temperature_c", out.because).value_or(std::vector<double>());
  out.because.emplace_back("energy", Say("reason.no-energy"));
  const auto load = Take(measured.before.load, "load", out.because);
  if (load && measured.machine.logical_processors > 0)
    out.load = *load / measured.machine.logical_processors;
  return out;
}

}  // namespace

doc::Conditions BuildConditions(const Measurement& measured, const RunOptions& options) {
  doc::Conditions out;
  doc::Engine engine;
  engine.name = measured.engine.name;
  engine.version = NonEmpty(measured.engine.version);
  if (!measured.engine.providers.empty()) engine.provider = measured.engine.providers.front();
  out.engine = std::move(engine);
  out.device = BuildDevice(measured.machine);
  out.settings = BuildSettings(measured, options);
  out.state = BuildState(measured);
  return out;
}

doc::Run BuildTimingRun(const Measurement& measured, std::int64_t id) {
  doc::Run out;
  out.id = id;
  out.role = "timing";
  out.producer = doc::Producer{measured.engine.name, NonEmpty(measured.engine.version)};
  doc::Iterations iterations;
  iterations.unit = "run";
  std::vector<std::int64_t> samples;
  for (const TimingSession& session : measured.sessions) {
    iterations.warmup += session.warmup;
    iterations.used += static_cast<std::int64_t>(session.samples.wall.size());
    for (const Nanos wall : session.samples.wall) samples.push_back(wall.value);
  }
  iterations.found = iterations.warmup + iterations.used;
  iterations.why =
      Say("cut.fresh-processes", {{"n", static_cast<std::int64_t>(measured.sessions.size())}});
  out.iterations = std::move(iterations);
  out.latency = BuildLatency(measured.latency, std::move(samples));
  doc::RunMemory memory;
  memory.peak_bytes = measured.peak_resident_bytes;
  out.memory = std::move(memory);
  return out;
}

void AddMeasurementQuality(const Measurement& measured, std::vector<doc::DataQuality>& out) {
  for (const std::string& warning : measured.warnings)
    out.push_back({"measure.warning", "notice", 1, std::nullopt, doc::Text(warning)});
  for (const auto* error :
       {&measured.timing_error, &measured.profile_error, &measured.optimized_model_error})
    if (error->has_value())
      out.push_back(
          {(*error)->code, "loss", 1, NonEmpty((*error)->place), doc::Text((*error)->message)});
  if (measured.interrupted)
    out.push_back({"measure.interrupted", "loss", 1, std::nullopt,
                   doc::Text("interrupted: what is here was complete by then")});
}

}  // namespace opscope
