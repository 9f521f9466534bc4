#include "model/decoder/decoder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "model/decoder/layer_builder.h"
#include "model/decoder/names.h"
#include "model/graph_builder.h"

namespace opscope::decoder {

namespace {

// "model.layers.0.mlp.up_proj.weight" -> "model.layers.0.mlp.up_proj"; a name without dots is a
// module itself.
std::string_view ModuleOf(std::string_view weight) {
  const std::size_t dot = weight.rfind('.');
  return dot == std::string_view::npos ? weight : weight.substr(0, dot);
}

// A node of unknown work for every module whose weights nobody reads. Returns how many weights.
std::int64_t AddModules(Model& model, const Weights& weights, const std::vector<bool>& used,
                        const std::string& because) {
  GraphBuilder graph(model);
  TensorId input = model.main().inputs.empty() ? TensorId{} : model.main().inputs.front();
  std::unordered_map<std::string_view, NodeId> nodes;
  std::int64_t count = 0;
  for (const TensorId tensor : weights.all()) {
    const std::string_view name = weights.name(tensor);
    if (used[tensor.index()] || IsBuffer(name)) continue;
    ++count;
    if (!input.valid()) input = graph.Input("input", DType::kUnknown, {});
    const std::string_view module = ModuleOf(name);
    const auto [place, added] = nodes.try_emplace(module, NodeId{});
    if (added) {
      place->second = graph.Add({kDomain, "Module", module, {input}, {}});
      graph.Attribute("because", because);
    }
    model.nodes[place->second.index()].inputs.push_back(tensor);
  }
  return count;
}

// Several numbers to a word (GPTQ, AWQ, bitsandbytes, compressed-tensors), which only the names
// tell.
bool IsPacked(std::string_view weight) {
  return weight.ends_with(".qweight") || weight.ends_with(".weight_packed") ||
         weight.ends_with(".weight.absmax");
}

void Clear(Model& model, std::size_t tensors, std::size_t weights) {
  model.nodes.clear();
  model.tensors.resize(tensors);
  model.payloads.resize(weights);
  Graph& graph = model.graphs[0];
  graph.initializers.resize(weights);
  graph.nodes.clear();
  graph.inputs.clear();
  graph.outputs.clear();
}

// Why there is no graph; empty = there is one, and `used` says what it reads.
std::string TryArchitecture(Model& model, const Weights& weights,
                            const std::optional<Config>& config, std::vector<bool>& used) {
  if (!config) return "no config.json that names an architecture lies beside the file";
  if (config->architecture == nullptr)
    return "architecture \"" + config->id + "\" is not among those whose graph is known (" +
           ArchitectureNames() + ")";
  const auto stem = FindStem(weights);
  if (!stem) return "the weights are not called as those of \"" + config->id + "\" are";
  const std::size_t tensors = model.tensors.size();
  LayerBuilder builder(model, weights, *config);
  const Result<void> built = builder.Build(*stem);
  if (built.has_value()) {
    used = builder.used();
    used.resize(model.tensors.size(), false);
    return {};
  }
  Clear(model, tensors, weights.size());
  return "the weights do not fit architecture \"" + config->id + "\": " + built.error().message;
}

}  // namespace

void BuildGraph(Model& model, const Weights& weights, const std::optional<Config>& config,
                ImportLog& log) {
  GraphBuilder graph(model);  // the main graph, also of a file without weights
  std::vector<bool> used(model.tensors.size(), false);
  const std::string missing = TryArchitecture(model, weights, config, used);
  model.opsets.emplace_back(model.strings.Intern("ai.onnx"), 24);
  model.opsets.emplace_back(model.strings.Intern(kDomain), 1);
  if (config) model.metadata.emplace_back("architecture", config->id.substr(0, 256));
  if (missing.empty()) {
    const std::int64_t left = AddModules(
        model, weights, used, "the graph of \"" + config->id + "\" does not use these weights");
    if (left > 0)
      log.Add(
          "weights.unused", Severity::kNotice, config->id,
          std::to_string(left) +
              " weights have no place in the graph of the architecture: parameters and bytes of "
              "them are counted, what they compute is not");
    return;
  }
  AddModules(model, weights, used, "the file holds weights and no graph");
  const auto packed =
      std::count_if(weights.all().begin(), weights.all().end(),
                    [&](TensorId tensor) { return IsPacked(weights.name(tensor)); });
  if (packed > 0)
    log.Add(
        "weights.packed", Severity::kLoss, model.file,
        std::to_string(packed) +
            " weights hold several numbers in each of their elements: bytes are right, parameters "
            "count elements and so too few");
  log.Add("weights.no-graph", Severity::kNotice, model.file,
          "parameters and bytes only, no multiply-accumulates: " + missing);
}

}  // namespace opscope::decoder
