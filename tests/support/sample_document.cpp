#include "support/sample_document.h"

#include <vector>

namespace opscope::testing {
namespace {

constexpr std::int64_t kRuns = 20;

struct LayerSpec {
  const char* name;
  const char* op;
  std::int64_t channels, side;  // of the output 1 x channels x side x side
  std::int64_t macs;
  std::int64_t parameters;
  std::int64_t mean_ns;  // of one iteration; 0 = folded
};

// A stem, two blocks of depthwise and pointwise convolutions, a head.
constexpr LayerSpec kLayers[] = {
    {"stem/conv", "Conv", 16, 112, 5'419'008, 448, 402'113},
    {"stem/relu", "Relu", 16, 112, 0, 0, 61'007},
    {"block1/depthwise", "Conv", 16, 56, 451'584, 160, 95'210},
    {"block1/pointwise", "Conv", 64, 56, 3'211'264, 1'088, 288'004},
    {"block1/relu", "Relu", 64, 56, 0, 0, 0},
    {"block2/depthwise", "Conv", 64, 28, 451'584, 640, 101'772},
    {"block2/pointwise", "Conv", 128, 28, 6'422'528, 8'320, 511'320},
    {"block2/add", "Add", 128, 28, 0, 0, 48'101},
    {"head/transpose", "Transpose", 128, 28, 0, 0, 130'450},
    {"head/fc", "MatMul", 96, 28, 9'633'792, 12'288, 702'654},
    {"head/softmax", "Softmax", 96, 28, 0, 0, 84'309},
    {"head/shape", "Constant", 1, 1, 0, 0, 0},
};
constexpr std::int64_t kRuntimeNs = 101'010;  // a reorder row and the session's own work
constexpr std::int64_t kReorderNs = 71'010;
constexpr std::int64_t kUnmatchedNs = 12'345;
constexpr std::int64_t kGapNs = 55'005;

doc::Shape ShapeOf(const LayerSpec& spec) {
  return std::vector<doc::Extent>{std::int64_t{1}, spec.channels, spec.side, spec.side};
}

doc::Counts CountsOf(const LayerSpec& spec) {
  const std::int64_t outputs = spec.channels * spec.side * spec.side;
  const std::string op = spec.op;
  doc::Counts counts;
  counts.macs = spec.macs;
  counts.bias_adds = op == "Conv" ? outputs : 0;
  counts.elementwise = op == "Add" ? outputs : op == "Softmax" ? 3 * outputs : 0;
  counts.transcendental = op == "Softmax" ? outputs : 0;
  counts.comparisons = op == "Relu" || op == "Softmax" ? outputs : 0;
  counts.flops = 2 * spec.macs;
  counts.operations = *counts.flops + *counts.bias_adds + *counts.elementwise +
                      *counts.transcendental + *counts.comparisons;
  return counts;
}

doc::Layer LayerOf(const LayerSpec& spec, std::int64_t id, const std::string& input) {
  doc::Layer layer;
  layer.id = id;
  layer.name = spec.name;
  layer.op = spec.op;
  layer.domain = "ai.onnx";
  const std::string name = spec.name;
  layer.scope = {name.substr(0, name.find('/')), name.substr(name.find('/') + 1)};
  layer.outputs = {{name + "_out", "float32", ShapeOf(spec)}};
  layer.counts = CountsOf(spec);
  layer.parameters = spec.parameters;
  layer.parameter_bytes = 4 * spec.parameters;
  layer.weight_bytes = 4 * spec.parameters;
  layer.write_bytes = 4 * spec.channels * spec.side * spec.side;
  layer.read_bytes = *layer.write_bytes;
  if (layer.op == "Constant") {
    layer.status = "constant";
    layer.parameters = layer.weight_bytes = layer.read_bytes = layer.write_bytes = 0;
    return layer;
  }
  layer.inputs = {{input, "float32", ShapeOf(spec)}};
  layer.status = "counted";
  layer.rule = layer.op == "Conv" ? "conv" : layer.op == "MatMul" ? "matmul" : "elementwise";
  layer.formula = layer.op == "Conv" ? "N*Cout*H*W * Cin/g * kh*kw" : "outputs";
  layer.intensity =
      static_cast<double>(*layer.counts.flops) /
      static_cast<double>(*layer.read_bytes + *layer.write_bytes + *layer.weight_bytes);
  return layer;
}

void AddTo(doc::Count& sum, const doc::Count& value) { sum = sum.value_or(0) + *value; }

doc::Static StaticPart() {
  doc::Static out;
  doc::Totals& totals = out.totals;
  std::string input = "x";
  for (const LayerSpec& spec : kLayers) {
    out.layers.push_back(LayerOf(spec, static_cast<std::int64_t>(out.layers.size()), input));
    const doc::Layer& layer = out.layers.back();
    input = layer.outputs.front().tensor;
    AddTo(totals.counts.macs, layer.counts.macs);
    AddTo(totals.counts.bias_adds, layer.counts.bias_adds);
    AddTo(totals.counts.elementwise, layer.counts.elementwise);
    AddTo(totals.counts.transcendental, layer.counts.transcendental);
    AddTo(totals.counts.comparisons, layer.counts.comparisons);
    AddTo(totals.counts.flops, layer.counts.flops);
    AddTo(totals.counts.operations, layer.counts.operations);
    AddTo(totals.parameters, layer.parameters);
    AddTo(totals.parameter_bytes, layer.parameter_bytes);
    AddTo(totals.weight_bytes, layer.weight_bytes);
    AddTo(totals.read_bytes, layer.read_bytes);
    AddTo(totals.write_bytes, layer.write_bytes);
  }
  totals.nodes = static_cast<std::int64_t>(out.layers.size());
  totals.runtime_nodes = totals.nodes - 1;
  totals.counted = totals.nodes;
  totals.statistics = 0;
  totals.constants = 4;
  totals.activation_bytes = *totals.write_bytes;
  totals.memory.live_peak_bytes = 1'605'632;
  totals.memory.live_peak_at = 1;
  totals.memory.live_tensors = {"stem/conv_out", "stem/relu_out"};
  totals.memory.naive_bytes = *totals.write_bytes;
  totals.memory.because = {{"arena_bytes", "arenas are not planned by this version"},
                           {"arena_inplace_bytes", "arenas are not planned by this version"}};
  totals.macs_by_dtype = {{"float32", "float32", "float32", totals.counts.macs}};
  return out;
}

doc::Model ModelPart() {
  doc::Model model;
  model.file = "detector.onnx";
  model.bytes = 95'123;
  model.structure_hash = "5f3c9a0e1d2b4c68";
  model.format = "onnx";
  model.producer = "pytorch 2.13";
  model.opsets = {{"ai.onnx", 17}};
  model.inputs = {{"x", "float32",
                   std::vector<doc::Extent>{std::int64_t{1}, std::int64_t{3}, std::int64_t{224},
                                            std::int64_t{224}}}};
  model.outputs = {{"head/softmax_out", "float32", ShapeOf(kLayers[10])}};
  return model;
}

doc::Conditions ConditionsPart() {
  doc::Conditions out;
  out.engine = doc::Engine{"onnxruntime", "1.32.0", "CPUExecutionProvider"};
  doc::Cpu cpu;
  cpu.name = "Example CPU @ 2.50GHz";
  cpu.architecture = "x86_64";
  cpu.physical_cores = 1;
  cpu.logical_cores = 2;
  cpu.l1d_bytes = 49'152;
  cpu.l2_bytes = 2'097'152;
  cpu.l3_bytes = 34'603'008;
  doc::Device device;
  device.id = "example-cpu-1x2";
  device.cpu = cpu;
  device.isa = {"avx2", "avx512_vnni"};
  device.memory_bytes = 17'179'869'184;
  device.system = "Linux 6.1.0";
  device.because = {{"name", "neither DMI nor a device tree names the computer"}};
  out.device = device;
  doc::Settings settings;
  settings.threads = 1;
  settings.level = "all";
  settings.warmup = 3;
  settings.runs = kRuns;
  settings.seed = 0;
  settings.spinning = false;
  settings.inputs = "random";
  settings.shapes = {{"x", ModelPart().inputs.front().shape}};
  out.settings = settings;
  doc::State state;
  state.load = 0.03;
  state.because = {{"governor", "the system does not control its clock"},
                   {"temperature_c", "the system has no thermal zone to read"}};
  out.state = state;
  return out;
}

std::vector<std::int64_t> Samples(std::int64_t mean_ns) {
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 0; i < kRuns; ++i)
    samples.push_back(mean_ns + (i % 2 == 0 ? 1 : -1) * (i / 2 % 5) * mean_ns / 400);
  return samples;
}

doc::Run TimingRun() {
  doc::Run run;
  run.id = 0;
  run.role = "timing";
  run.producer = doc::Producer{"onnxruntime", "1.32.0"};
  run.iterations = doc::Iterations{23, 3, kRuns, "model_run", std::nullopt};
  doc::Latency latency;
  latency.median = 2'541'118;
  latency.mean = 2'543'204;
  latency.trimmed_mean = 2'542'900;
  latency.min = 2'512'001;
  latency.max = 2'601'554;
  latency.p90 = 2'571'830;
  latency.p95 = 2'588'120;
  latency.p99 = 2'600'003;
  latency.cv = 0.0091;
  latency.ci95 = {2'535'440, 2'549'870};
  latency.throughput_per_s = 393.2;
  latency.cpu_median = 2'538'000;
  latency.stable = true;
  latency.samples = Samples(2'541'118);
  run.latency = latency;
  doc::RunMemory memory;
  memory.peak_bytes = 71'303'168;
  run.memory = memory;
  return run;
}

doc::Event EventOf(const LayerSpec& spec, std::int64_t id) {
  doc::Event event;
  event.kind = "layer";
  event.name = spec.name;
  event.op = spec.op;
  event.provider = "CPUExecutionProvider";
  event.dtype = "float32";
  event.calls = kRuns;
  event.busy_ns = event.wall_ns.emplace(spec.mean_ns * kRuns);
  event.layers = {{id, 1.0}};
  event.match = doc::Match{"name", "exact"};
  return event;
}

doc::Event RowOf(const char* kind, const char* name, const char* op, std::int64_t mean_ns) {
  doc::Event event;
  event.kind = kind;
  event.name = name;
  event.op = op;
  event.provider = "CPUExecutionProvider";
  event.calls = kRuns;
  event.busy_ns = event.wall_ns.emplace(mean_ns * kRuns);
  event.match = doc::Match{kind == std::string("runtime") ? "runtime-name" : "none",
                           kind == std::string("runtime") ? "exact" : "none"};
  return event;
}

std::int64_t LayersNs() {
  std::int64_t sum = 0;
  for (const LayerSpec& spec : kLayers) sum += spec.mean_ns;
  return sum;
}

constexpr std::int64_t kStemRelu = 1;

// The stem's Relu ran inside the stem's convolution.
std::vector<doc::Event> LayerEvents() {
  std::vector<doc::Event> events;
  for (std::size_t i = 0; i < std::size(kLayers); ++i) {
    const auto id = static_cast<std::int64_t>(i);
    if (kLayers[i].mean_ns == 0 || id == kStemRelu) continue;
    events.push_back(EventOf(kLayers[i], id));
  }
  doc::Event& fused = events.front();
  const double whole = static_cast<double>(kLayers[0].mean_ns + kLayers[1].mean_ns);
  fused.op = "FusedConv";
  fused.busy_ns = fused.wall_ns.emplace((kLayers[0].mean_ns + kLayers[1].mean_ns) * kRuns);
  fused.layers = {{0, static_cast<double>(kLayers[0].mean_ns) / whole},
                  {1, static_cast<double>(kLayers[1].mean_ns) / whole}};
  fused.match = doc::Match{"output-tensor", "estimated"};
  fused.because = "covers 2 layers; its time is divided by MACs";
  return events;
}

doc::Run ProfiledRun() {
  doc::Run run;
  run.id = 1;
  run.role = "profiled";
  run.profiling_overhead = 0.021;
  run.format = "ort-profile";
  run.file = "detector_profile.json";
  run.producer = doc::Producer{"onnxruntime", "1.32.0"};
  run.iterations = doc::Iterations{23, 3, kRuns, "model_run", "the first 3 runs are warm-up"};
  doc::Reconciliation sums;
  sums.layers_ns = LayersNs() * kRuns;
  sums.runtime_ns = kRuntimeNs * kRuns;
  sums.unmatched_ns = kUnmatchedNs * kRuns;
  sums.gap_ns = kGapNs * kRuns;
  sums.wall_ns = sums.layers_ns + sums.runtime_ns + sums.unmatched_ns + *sums.gap_ns;
  run.reconciliation = sums;
  run.events = LayerEvents();
  run.events.push_back(RowOf("runtime", "reorder_input_0", "ReorderInput", kReorderNs));
  run.events.push_back(RowOf("unmatched", "mystery_7", "Mystery", kUnmatchedNs));
  const double wall = static_cast<double>(*sums.wall_ns);
  for (doc::Event& event : run.events) event.share = static_cast<double>(*event.wall_ns) / wall;
  run.placement = {{"CPUExecutionProvider", 10, 1.0, 1.0, 0}};
  const std::int64_t rows_ns = sums.layers_ns + sums.runtime_ns + sums.unmatched_ns;
  run.coverage = doc::Coverage{11, 10, rows_ns, rows_ns - sums.unmatched_ns};
  run.setup_ns = 15'200'000;
  return run;
}

std::vector<doc::Joined> JoinedPart(const doc::Static& part, const doc::Run& run) {
  std::vector<doc::Joined> out;
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    const std::int64_t mean = kLayers[i].mean_ns;
    doc::Joined joined;
    joined.layer = static_cast<std::int64_t>(i);
    joined.run = run.id;
    joined.state = mean == 0 ? "folded" : i < 2 ? "estimated" : "measured";
    if (mean == 0) {
      joined.because = "hangs on no input: computed once, before the runs";
    } else {
      joined.wall_ns = mean * kRuns;
      joined.median_ns = mean;
      joined.share =
          static_cast<double>(mean * kRuns) / static_cast<double>(*run.reconciliation->wall_ns);
      joined.gflops_per_s =
          static_cast<double>(*part.layers[i].counts.flops) / static_cast<double>(mean);
      joined.gbytes_per_s =
          static_cast<double>(*part.layers[i].read_bytes * 2) / static_cast<double>(mean);
    }
    if (i < 2) joined.shared_with = {1 - static_cast<std::int64_t>(i)};
    out.push_back(joined);
  }
  return out;
}

std::vector<doc::DataQuality> QualityPart() {
  return {{"json-repaired", "notice", 1, "byte 10233", "a comma before a closing bracket"},
          {"ort.dropped-events", "loss", 3, std::nullopt, "events that lay outside every run"}};
}

}  // namespace

doc::Document MeasuredDocument() {
  doc::Document document;
  document.tool.version = "0.1.0";
  document.conditions = ConditionsPart();
  document.model = ModelPart();
  document.static_part = StaticPart();
  document.runs = {TimingRun(), ProfiledRun()};
  document.joined = JoinedPart(*document.static_part, document.runs[1]);
  document.data_quality = QualityPart();
  return document;
}

doc::Document SymbolicDocument() {
  doc::Document document;
  document.tool.version = "0.1.0";
  document.model = ModelPart();
  (*document.model->inputs.front().shape)[0] = "N";
  document.model->symbols = {{"N", std::nullopt}};
  document.model->external_files = {{"detector.bin", std::nullopt, false}};
  document.static_part = StaticPart();
  doc::Totals& totals = document.static_part->totals;
  totals.counted = 11;
  totals.complete = false;
  totals.uncounted = {{"com.acme.Foo", 1, "unknown op"}};
  totals.counts = {};
  totals.formula = {{"macs", "N*25589760"}, {"flops", "N*51179520"}};
  totals.memory.live_peak_bytes.reset();
  totals.memory.formula = {{"live_peak_bytes", "N*1605632"}};
  for (doc::Layer& layer : document.static_part->layers) {
    layer.formulas = {
        {"macs", "N*" + std::to_string(static_cast<std::int64_t>(*layer.counts.macs))}};
    layer.counts = {};
    (*layer.outputs.front().shape)[0] = "N";
  }
  doc::Layer& unknown = document.static_part->layers[8];
  unknown.op = "com.acme.Foo";
  unknown.status = "unknown";
  unknown.because = "unknown op";
  unknown.rule.reset();
  unknown.formulas.clear();
  return document;
}

doc::Document ProfileDocument() {
  doc::Document document;
  document.tool.version = "0.1.0";
  doc::Run run = ProfiledRun();
  run.id = 0;
  run.role = "imported";
  run.profiling_overhead.reset();
  for (doc::Event& event : run.events) event.layers.clear();
  doc::Latency latency;
  latency.median = latency.mean = latency.min = latency.max = *run.reconciliation->wall_ns / kRuns;
  latency.samples = Samples(*latency.median);
  run.latency = latency;
  run.notes = {"without a model rows cannot be placed on layers"};
  document.runs = {run};
  document.data_quality = QualityPart();
  return document;
}

doc::Document HostileDocument() {
  doc::Document document = MeasuredDocument();
  const std::vector<std::string> names = {
      "</td><script>alert(1)</script>",
      "=HYPERLINK(\"http://x\",\"y\")",
      "red\x1b[31m\x07name",
      "evil\xe2\x80\xae"
      "gpj.exe",
      "a|b`c`*d*_e_[f](g)",
      "quote\"comma,'apostrophe'",
      "\xe5\x8d\xb7\xe7\xa7\xaf\xe5\xb1\x82/\xe7\xac\xac\xe4\xb8\x80\xe5\xb1\x82",
      "broken\xff\xfe utf8",
      "line\nbreak\ttab\r",
      "-rf",
      std::string(3000, 'x'),
      "&amp;&lt;"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    doc::Layer& layer = document.static_part->layers[i];
    layer.name = names[i];
    if (i < 6) layer.op = names[i];
    if (i < document.runs[1].events.size()) document.runs[1].events[i].name = names[i];
  }
  document.model->file = "a\"b<img src=x onerror=alert(1)>'.onnx";
  document.model->inputs.front().name = names[0];
  document.conditions->engine->name = names[0];
  document.conditions->settings->shapes.front().first = names[2];
  document.data_quality[0].message = names[0];
  document.data_quality[0].where = names[3];
  return document;
}

doc::Document LargeDocument(std::size_t layers) {
  doc::Document document = MeasuredDocument();
  const std::vector<doc::Layer> pattern = document.static_part->layers;
  const std::vector<doc::Joined> times = document.joined;
  document.static_part->layers.clear();
  document.joined.clear();
  for (std::size_t i = 0; i < layers; ++i) {
    doc::Layer layer = pattern[i % pattern.size()];
    layer.id = static_cast<std::int64_t>(i);
    layer.name = "stage" + std::to_string(i / pattern.size()) + "/" + layer.name;
    doc::Joined joined = times[i % times.size()];
    joined.layer = layer.id;
    joined.shared_with.clear();
    document.static_part->layers.push_back(std::move(layer));
    document.joined.push_back(joined);
  }
  document.static_part->totals.nodes = static_cast<std::int64_t>(layers);
  doc::Reconciliation& sums = *document.runs[1].reconciliation;
  sums.layers_ns = 0;
  for (const doc::Joined& joined : document.joined) sums.layers_ns += joined.wall_ns.value_or(0);
  sums.wall_ns = sums.layers_ns + sums.runtime_ns + sums.unmatched_ns + *sums.gap_ns;
  for (doc::Joined& joined : document.joined) {
    if (joined.wall_ns)
      joined.share = static_cast<double>(*joined.wall_ns) / static_cast<double>(*sums.wall_ns);
  }
  return document;
}

}  // namespace opscope::testing
