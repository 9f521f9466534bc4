#include "model/formats/tensorrt/graph.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/fused_name.h"
#include "model/graph_builder.h"

namespace opscope::tensorrt {

namespace {

constexpr std::string_view kDomain = "tensorrt";

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// One spelling for what the versions write in several; kernels without a parameter type are named
// by their layer type, which in 11 is lower case.
std::string OpOf(const LayerInfo& layer) {
  constexpr std::pair<std::string_view, std::string_view> kOps[] = {
      {"convolution", "Convolution"},
      {"convactpool", "ConvActPool"},
      {"deconvolution", "Deconvolution"},
      {"fullyconnected", "FullyConnected"},
      {"gemm", "Gemm"},
      {"matrixmultiply", "MatrixMultiply"},
      {"pooling", "Pooling"},
      {"maxpool", "Pooling"},
      {"avgpool", "Pooling"},
      {"reformat", "Reformat"},
      {"noop", "NoOp"},
      {"pointwise", "PointWise"},
      {"pointwisev2", "PointWise"},
      {"elementwise", "ElementWise"},
      {"activation", "Activation"},
      {"unary", "Unary"},
      {"scale", "Scale"},
      {"softmax", "SoftMax"},
      {"reduce", "Reduce"},
      {"shuffle", "Shuffle"},
      {"slice", "Slice"},
      {"concatenation", "Concatenation"},
      {"padding", "Padding"},
      {"gather", "Gather"},
      {"resize", "Resize"},
      {"identity", "Identity"},
      {"cast", "Identity"},
      {"constant", "Constant"},
      {"memset", "Constant"},
      {"signal", "Signal"},
      {"wait", "Wait"},
      {"shape_call", "ShapeCall"},
      {"shapehosttodevice", "ShapeCall"},
      {"myelin", "ForeignNode"},
      {"kgen", "Kernel"},
      {"fusion", "Kernel"},
  };
  const std::string& type = layer.parameter.empty() ? layer.type : layer.parameter;
  const std::string lower = Lower(type);
  for (const auto& [spelled, op] : kOps)
    if (lower == spelled) return std::string(op);
  if (lower.starts_with("plugin") || lower == "custom_layer") return "Plugin";
  if (!type.empty()) return type;
  const FusedName name = ParseFusedName(layer.name);
  if (name.kind == FusedName::Kind::kReformat) return "Reformat";
  if (name.kind == FusedName::Kind::kRegion) return "ForeignNode";
  if (name.kind == FusedName::Kind::kKernel) return "Kernel";
  return "Layer";
}

class GraphWriter {
 public:
  GraphWriter(const Engine& engine, Model& model, ImportLog& log)
      : engine_(engine), model_(model), log_(log), graph_(model) {}

  void Run() {
    FindMade();
    for (const Binding& binding : engine_.bindings) {
      const bool input = binding.mode_known ? binding.input : !made_.contains(binding.tensor.name);
      if (input && ParseFusedName(binding.tensor.name).profile == 0) AddInput(binding.tensor);
    }
    for (const LayerInfo& layer : engine_.layers) {
      const FusedName name = ParseFusedName(layer.name);
      if (name.profile > 0)
        ++other_profiles_;
      else
        AddLayer(layer, name);
    }
    for (const Binding& binding : engine_.bindings) {
      const bool output = binding.mode_known ? !binding.input : made_.contains(binding.tensor.name);
      const auto tensor = latest_.find(binding.tensor.name);
      if (output && tensor != latest_.end() && !model_.tensor(tensor->second).graph_output)
        graph_.Output(tensor->second);
    }
    Report();
  }

 private:
  // Names that some layer writes, and what is known of tensors that are only read with their type.
  void FindMade() {
    for (const LayerInfo& layer : engine_.layers) {
      for (const TensorInfo& tensor : layer.outputs) made_.emplace(tensor.name, true);
      for (const TensorInfo& tensor : layer.inputs) described_.try_emplace(tensor.name, &tensor);
    }
  }

  TypeInfo TypeOf(const TensorInfo& tensor) {
    TypeInfo type;
    type.dtype = tensor.dtype;
    if (!tensor.has_dims) return type;
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] >= 0) {
        dims.push_back(tensor.dims[i]);
        continue;
      }
      // Engines are built for any batch more often than for anything else.
      dims.push_back(i == 0 ? model_.dims.Symbol("batch") : Dim());
      dynamic_ = true;
    }
    type.shape = Shape{std::move(dims)};
    return type;
  }

  void AddInput(const TensorInfo& binding) {
    const auto read = described_.find(binding.name);
    const bool more = !binding.has_dims && read != described_.end();
    const TypeInfo type = TypeOf(more ? *read->second : binding);
    if (!latest_.contains(binding.name))
      latest_.emplace(binding.name, graph_.Input(binding.name, type.dtype, type.shape));
  }

  // Written later (loops) or never: what nobody writes is a constant inside the engine.
  TensorId Read(const TensorInfo& tensor) {
    const auto known = latest_.find(tensor.name);
    if (known != latest_.end()) return known->second;
    const bool made = made_.contains(tensor.name);
    const TensorId value = made ? graph_.Value(tensor.name, TypeOf(tensor)) : ConstantOf(tensor);
    latest_.emplace(tensor.name, value);
    if (made) waiting_.emplace(tensor.name, value);
    return value;
  }

  TensorId ConstantOf(const TensorInfo& tensor) {
    const bool fixed = tensor.has_dims && std::all_of(tensor.dims.begin(), tensor.dims.end(),
                                                      [](std::int64_t dim) { return dim >= 0; });
    if (!fixed) return graph_.Value(tensor.name, TypeOf(tensor));
    Payload payload;
    payload.dtype = tensor.dtype;
    payload.dims = tensor.dims;
    return graph_.Constant(tensor.name, std::move(payload));
  }

  // A second writer of a name makes a value of its own.
  TensorId Write(const TensorInfo& tensor) {
    const auto waiting = waiting_.find(tensor.name);
    if (waiting != waiting_.end()) {
      const TensorId value = waiting->second;
      waiting_.erase(waiting);
      return value;
    }
    const TensorId value = graph_.Value(tensor.name, TypeOf(tensor));
    latest_.insert_or_assign(tensor.name, value);
    return value;
  }

  TensorId Weight(const LayerInfo& layer, const WeightInfo& weight, const char* what) {
    Payload payload;
    payload.dtype = weight.dtype;
    payload.dims = {weight.count};
    return graph_.Constant(layer.name + " (" + what + ")", std::move(payload));
  }

  void AddLayer(const LayerInfo& layer, const FusedName& name) {
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    for (const TensorInfo& tensor : layer.inputs) inputs.push_back(Read(tensor));
    const auto activations = static_cast<std::int64_t>(inputs.size());
    if (layer.weights && layer.weights->count > 0)
      inputs.push_back(Weight(layer, *layer.weights, "weights"));
    if (layer.bias && layer.bias->count > 0) inputs.push_back(Weight(layer, *layer.bias, "bias"));
    // A list of names tells no edges; that a layer runs at all is known.
    if (!layer.detailed) {
      ++names_only_;
      inputs.push_back(Anything());
    }
    for (const TensorInfo& tensor : layer.outputs) outputs.push_back(Write(tensor));
    graph_.Add({kDomain, OpOf(layer), layer.name, std::move(inputs), std::move(outputs)});
    graph_.Attribute("activations", activations);
    if (!layer.detailed) graph_.Attribute("names_only", std::int64_t{1});
    for (const auto& [key, value] : layer.integers) graph_.Attribute(key, value);
    for (const auto& [key, value] : layer.lists) graph_.Attribute(key, value);
    for (const auto& [key, value] : layer.texts)
      if (key != "Metadata") graph_.Attribute(key, value);
    Describe(layer, name);
  }

  void Describe(const LayerInfo& layer, const FusedName& name) {
    if (!layer.type.empty()) graph_.Metadata("layer type", layer.type);
    if (const auto tactic = layer.texts.find("TacticName"); tactic != layer.texts.end())
      graph_.Metadata("tactic", tactic->second);
    for (const auto* list : {&layer.inputs, &layer.outputs})
      for (const TensorInfo& tensor : *list)
        if (!tensor.format.empty()) graph_.Metadata("format of " + tensor.name, tensor.format);
    const auto metadata = layer.texts.find("Metadata");
    if (metadata != layer.texts.end())
      for (const std::string& origin : OnnxLayersOf(metadata->second))
        graph_.Metadata("onnx layer", origin);
    const char* part = name.kind == FusedName::Kind::kRegion     ? "end of region"
                       : name.kind == FusedName::Kind::kReformat ? "reformats for"
                                                                 : "part";
    if (name.parts.size() > 1 || name.kind != FusedName::Kind::kLayers)
      for (const FusedPart& piece : name.parts) graph_.Metadata(part, piece.name);
  }

  TensorId Anything() {
    if (model_.main().inputs.empty()) graph_.Input("input", DType::kUnknown, {});
    return model_.main().inputs.front();
  }

  void Report() {
    if (names_only_ > 0)
      log_.Add("tensorrt.names-only", Severity::kLoss, model_.file,
               "the list holds the names of " + std::to_string(names_only_) +
                   " layers and nothing else: no types, shapes, weights or costs; build the engine "
                   "with --profilingVerbosity=detailed and export again");
    if (other_profiles_ > 0)
      log_.Add("tensorrt.profiles", Severity::kNotice, model_.file,
               std::to_string(other_profiles_) +
                   " layers of further optimisation profiles are left out; profile 0 is shown");
    if (dynamic_)
      log_.Add("tensorrt.dynamic", Severity::kNotice, model_.file,
               "sizes of -1 are not fixed in the engine: at axis 0 they are taken to be one batch, "
               "elsewhere they are unknown; an execution context with shapes set tells them");
  }

  const Engine& engine_;
  Model& model_;
  ImportLog& log_;
  GraphBuilder graph_;
  std::unordered_map<std::string_view, bool> made_;  // views of the engine's names
  std::unordered_map<std::string_view, const TensorInfo*> described_;
  std::unordered_map<std::string_view, TensorId> latest_;
  std::unordered_map<std::string_view, TensorId> waiting_;  // read before they are written
  std::int64_t names_only_ = 0;
  std::int64_t other_profiles_ = 0;
  bool dynamic_ = false;
};

}  // namespace

void BuildGraph(const Engine& engine, Model& model, ImportLog& log) {
  GraphWriter(engine, model, log).Run();
}

}  // namespace opscope::tensorrt
