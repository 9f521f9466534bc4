// What was measured: iterations, latency, the rows of a profile and where they belong.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"
#include "opscope/document/timeline.h"

namespace opscope::doc {

struct Producer {
  static constexpr std::string_view kTitle = "Producer";

  std::string name;
  std::optional<std::string> version;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("version", self.version);
  }
};

struct Iterations {
  static constexpr std::string_view kTitle = "Iterations";

  std::int64_t found = 0;
  std::int64_t warmup = 0;
  std::int64_t used = 0;
  std::string unit;  // "model_run"
  std::optional<Text> why;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("found", self.found, {"", "1"});
    v("warmup", self.warmup, {"Cut from the front", "1"});
    v("used", self.used, {"", "1"});
    v("unit", self.unit, {"What one iteration is in the file"});
    v.Part("why", self.why, {"Why these were cut"});
  }
};

struct Latency {
  static constexpr std::string_view kTitle = "Latency";

  std::optional<std::int64_t> median, mean, trimmed_mean, min, max, p90, p95, p99;
  std::optional<double> cv;
  std::optional<std::array<std::int64_t, 2>> ci95;
  std::optional<double> throughput_per_s;
  std::optional<std::int64_t> cpu_median;
  std::optional<bool> stable;
  std::optional<Text> why;
  std::vector<std::int64_t> samples;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("median", self.median, {"", "ns"});
    v("mean", self.mean, {"", "ns"});
    v("trimmed_mean", self.trimmed_mean, {"Without the highest and the lowest", "ns"});
    v("min", self.min, {"", "ns"});
    v("max", self.max, {"", "ns"});
    v("p90", self.p90, {"", "ns"});
    v("p95", self.p95, {"", "ns"});
    v("p99", self.p99, {"", "ns"});
    v("cv", self.cv, {"Standard deviation / mean", "1"});
    v("ci95", self.ci95, {"95 % confidence interval of the median", "ns"});
    v("throughput_per_s", self.throughput_per_s, {"Iterations a second", "1/s"});
    v("cpu_median", self.cpu_median, {"CPU time of the process in one iteration", "ns"});
    v("stable", self.stable, {"Null = cannot be told (a single iteration)"});
    v("why", self.why, {"Why it is not stable"});
    v("samples", self.samples, {"Every used iteration, in time order", "ns"});
  }
};

// Sums over the used iterations. layers + runtime + unmatched + gap = wall, exactly.
struct Reconciliation {
  static constexpr std::string_view kTitle = "Reconciliation";

  std::optional<std::int64_t> wall_ns;
  std::int64_t layers_ns = 0;
  std::int64_t runtime_ns = 0;
  std::int64_t unmatched_ns = 0;
  std::optional<std::int64_t> gap_ns;
  std::optional<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("wall_ns", self.wall_ns, {"Null when the file holds averages only", "ns"});
    v("layers_ns", self.layers_ns, {"Rows that belong to layers", "ns"});
    v("runtime_ns", self.runtime_ns, {"Rows the runtime made itself, and its own time", "ns"});
    v("unmatched_ns", self.unmatched_ns, {"Rows that could not be placed", "ns"});
    v("gap_ns", self.gap_ns, {"Wall time in which nothing that was recorded ran", "ns"});
    v.Part("because", self.because, {"Why a number above is null"});
  }
};

struct LayerShare {
  static constexpr std::string_view kTitle = "LayerShare";

  std::int64_t id = 0;
  double weight = 1;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("id", self.id);
    v("weight", self.weight, {"Share of the row's time", "1"});
  }
};

struct Match {
  static constexpr std::string_view kTitle = "Match";

  std::string method;
  std::string confidence;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("method", self.method);
    v("confidence", self.confidence, {"", "", "exact|strong|estimated|none"});
  }
};

// One row of the profile: all calls of one kernel or runtime step.
struct Event {
  static constexpr std::string_view kTitle = "Event";

  std::string kind;
  std::string name;
  std::optional<std::string> op;
  std::optional<std::string> provider;
  std::optional<std::string> dtype;
  std::optional<Text> because;
  std::int64_t calls = 0;
  std::int64_t busy_ns = 0;
  std::optional<std::int64_t> wall_ns;
  std::optional<double> share;
  std::optional<std::vector<std::int64_t>> samples_ns;
  std::vector<std::string> path;
  std::vector<LayerShare> layers;
  std::optional<Match> match;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("kind", self.kind, {"", "", "layer|runtime|container|unmatched"});
    v("name", self.name);
    v("op", self.op);
    v("provider", self.provider);
    v("dtype", self.dtype);
    v("because", self.because, {"For example why it was not fused"});
    v("calls", self.calls, {"In the used iterations", "1"});
    v("busy_ns", self.busy_ns, {"Plain sum of durations", "ns"});
    v("wall_ns", self.wall_ns,
      {"Its part of the wall: rows that run at once share the time", "ns"});
    v("share", self.share, {"Of the wall", "1"});
    v("samples_ns", self.samples_ns, {"One an iteration, where the file has them", "ns"});
    v.Part("path", self.path, {"Names of the containers around it, outermost first"});
    v("layers", self.layers);
    v("match", self.match);
  }
};

struct ProviderShare {
  static constexpr std::string_view kTitle = "ProviderShare";

  std::string provider;
  std::int64_t layers = 0;
  std::optional<double> macs_share;
  std::optional<double> wall_share;
  std::optional<std::int64_t> boundary_bytes;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("provider", self.provider);
    v("layers", self.layers, {"", "1"});
    v("macs_share", self.macs_share, {"", "1"});
    v("wall_share", self.wall_share, {"", "1"});
    v("boundary_bytes", self.boundary_bytes, {"Tensors that cross into it", "bytes"});
  }
};

// How much of the profile found its place. Rows count by name, time without gaps.
struct Coverage {
  static constexpr std::string_view kTitle = "Coverage";

  std::int64_t rows = 0;
  std::int64_t placed = 0;
  std::int64_t rows_ns = 0;
  std::int64_t placed_ns = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("rows", self.rows, {"", "1"});
    v("placed", self.placed, {"On layers, or named runtime rows", "1"});
    v("rows_ns", self.rows_ns, {"layers_ns + runtime_ns + unmatched_ns", "ns"});
    v("placed_ns", self.placed_ns, {"layers_ns + runtime_ns", "ns"});
  }
};

// What kind of tensors filled the memory.
struct MemoryCategory {
  static constexpr std::string_view kTitle = "MemoryCategory";

  std::string name;
  std::int64_t peak_bytes = 0, at_peak_bytes = 0;
  std::vector<std::array<std::int64_t, 2>> series;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("peak_bytes", self.peak_bytes, {"Largest of its own", "bytes"});
    v("at_peak_bytes", self.at_peak_bytes, {"When the whole was largest", "bytes"});
    v("series", self.series, {"Pairs of time in ns and bytes"});
  }
};

struct RunMemory {
  static constexpr std::string_view kTitle = "RunMemory";

  std::optional<std::int64_t> peak_bytes;
  std::optional<std::int64_t> peak_at_ns;
  std::optional<std::int64_t> allocations;
  std::optional<std::int64_t> allocation_ns;
  std::vector<std::array<std::int64_t, 2>> series;
  std::vector<MemoryCategory> categories;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("peak_bytes", self.peak_bytes, {"Largest resident size of the process that ran", "bytes"});
    v("peak_at_ns", self.peak_at_ns, {"", "ns"});
    v("allocations", self.allocations, {"", "1"});
    v("allocation_ns", self.allocation_ns, {"", "ns"});
    v("series", self.series, {"Pairs of time in ns and bytes"});
    v.Part("categories", self.categories, {"They sum to the whole"});
  }
};

struct Run {
  static constexpr std::string_view kTitle = "Run";

  std::int64_t id = 0;
  std::string role;
  std::optional<double> profiling_overhead;
  std::optional<std::string> format;
  std::optional<std::string> file;
  std::optional<Producer> producer;
  std::optional<Iterations> iterations;
  std::optional<Latency> latency;
  std::optional<Reconciliation> reconciliation;
  std::vector<Event> events;
  std::vector<ProviderShare> placement;
  std::optional<Timeline> timeline;
  std::optional<RunMemory> memory;
  std::optional<Coverage> coverage;
  std::optional<std::int64_t> setup_ns;
  std::vector<Text> notes;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("id", self.id);
    v("role", self.role, {"", "", "timing|profiled|imported"});
    v("profiling_overhead", self.profiling_overhead,
      {"Median with profiling / median without - 1; null when there is no pair", "1"});
    v("format", self.format, {"Of the profile that was read"});
    v("file", self.file);
    v("producer", self.producer);
    v("iterations", self.iterations);
    v("latency_ns", self.latency);
    v("reconciliation", self.reconciliation, {"Sums over the used iterations"});
    v("events", self.events, {"In order of first appearance"});
    v("placement", self.placement, {"By execution provider"});
    v.Part("timeline", self.timeline, {"Of traces with threads or devices"});
    v.Part("memory", self.memory);
    v.Part("coverage", self.coverage);
    v.Part("setup_ns", self.setup_ns, {"Loading the model and making the session", "ns"});
    v.Part("notes", self.notes, {"What a reader of the figures must know"});
  }
};

// A layer with its time in one run.
struct Joined {
  static constexpr std::string_view kTitle = "Joined";

  std::int64_t layer = 0;
  std::int64_t run = 0;
  std::optional<std::int64_t> wall_ns;
  std::optional<std::int64_t> median_ns;
  std::optional<double> share;
  std::optional<double> gflops_per_s;
  std::optional<double> gbytes_per_s;
  std::string bound = "unknown";
  std::optional<std::int64_t> roof_ns;
  std::optional<double> roof_share;
  std::vector<std::int64_t> shared_with;
  std::string state = "measured";
  std::optional<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("layer", self.layer);
    v("run", self.run);
    v("wall_ns", self.wall_ns, {"Sum over the used iterations", "ns"});
    v("median_ns", self.median_ns, {"Of one iteration", "ns"});
    v("share", self.share, {"Of the wall of the run", "1"});
    v("gflops_per_s", self.gflops_per_s, {"Achieved", "GFLOP/s"});
    v("gbytes_per_s", self.gbytes_per_s, {"Achieved", "GB/s"});
    v("bound", self.bound, {"", "", "compute|memory|overhead|unknown"});
    v("roof_ns", self.roof_ns, {"Least time the device allows", "ns"});
    v("roof_share", self.roof_share, {"roof_ns / median_ns", "1"});
    v("shared_with", self.shared_with, {"Layers that ran in the same row"});
    v("state", self.state,
      {"folded: computed or removed before the run; estimated: a part of a row of several layers",
       "", "measured|estimated|folded|not-run|unknown"});
    v.Part("because", self.because, {"Why there is no time, or why it is estimated"});
  }
};

}  // namespace opscope::doc
