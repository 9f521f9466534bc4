#include "model/formats/onnx/scope.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace opscope::onnx {

namespace {

class Binder {
 public:
  Binder(Model& model, const std::vector<GraphDraft>& drafts, ImportLog& log)
      : model_(model), drafts_(drafts), log_(log), bound_(model.strings.size()) {
    bodies_.resize(model.nodes.size());
    for (std::uint32_t i = 0; i < model.graphs.size(); ++i)
      if (const NodeId owner = model.graphs[i].owner; owner.valid())
        bodies_[owner.index()].push_back({i});
  }

  void BindAll() {
    for (std::uint32_t i = 0; i < model_.graphs.size(); ++i)
      if (!model_.graphs[i].owner.valid()) BindRoot({i});
  }

 private:
  struct Undo {
    Str name;
    TensorId before;
  };

  // A graph that stands on its own: the main one, or a function's.
  void BindRoot(GraphId graph) {
    root_ = graph;
    BindGraph(graph);
    for (const Undo& undo : floating_) {
      const TensorId tensor = undo.before;
      if (!pending_[tensor.index()]) continue;
      Note("onnx.undefined", Severity::kLoss, undo.name,
           "is used but nothing in the model makes it; it stays unknown");
      pending_[tensor.index()] = false;
      bound_[undo.name.index()] = {};
    }
    floating_.clear();
  }

  void BindGraph(GraphId graph) {
    const std::size_t undo_mark = undo_.size();
    const GraphDraft& draft = drafts_[graph.index()];
    for (const NamedType& input : draft.inputs) BindInput(graph, input);
    for (const NamedPayload& initializer : draft.initializers) BindInitializer(graph, initializer);
    if (graph == GraphId{0}) NameFreeDims();
    // By index: nodes do not move while names are bound.
    for (const NodeId id : model_.graphs[graph.index()].nodes) BindNode(graph, id);
    for (const NamedType& value : draft.values) Declare(graph, value);
    for (const NamedType& output : draft.outputs) BindOutput(graph, output);
    while (undo_.size() > undo_mark) {
      bound_[undo_.back().name.index()] = undo_.back().before;
      undo_.pop_back();
    }
  }

  void BindNode(GraphId graph, NodeId id) {
    Node& node = model_.nodes[id.index()];
    for (TensorId& input : node.inputs) input = Use(NameOf(input));
    for (const GraphId body : bodies_[id.index()]) BindGraph(body);
    for (TensorId& output : node.outputs) output = Make(graph, id, NameOf(output));
  }

  // The tensor of a name that is read.
  TensorId Use(Str name) {
    if (name.index() == 0) return {};
    if (const TensorId tensor = bound_[name.index()]; tensor.valid()) return tensor;
    // Nobody has made it yet. It belongs to the outermost graph until somebody does.
    const TensorId tensor = NewTensor(root_, name);
    pending_[tensor.index()] = true;
    bound_[name.index()] = tensor;
    floating_.push_back({name, tensor});
    return tensor;
  }

  // The tensor that a node writes.
  TensorId Make(GraphId graph, NodeId producer, Str name) {
    if (name.index() == 0) return {};
    const TensorId before = bound_[name.index()];
    if (before.valid() && pending_[before.index()]) {
      Note("onnx.order", Severity::kNotice, name, "is used before it is made");
      pending_[before.index()] = false;
      model_.tensors[before.index()].graph = graph;
      model_.tensors[before.index()].producer = producer;
      undo_.push_back({name, {}});
      return before;
    }
    NoteRepeat(graph, name);
    const TensorId tensor = Bind(graph, name);
    model_.tensors[tensor.index()].producer = producer;
    return tensor;
  }

  void BindInput(GraphId graph, const NamedType& input) {
    NoteRepeat(graph, input.name);
    const TensorId tensor = Bind(graph, input.name);
    Tensor& stored = model_.tensors[tensor.index()];
    stored.declared = input.type;
    stored.graph_input = true;
    if (graph != GraphId{0}) ForgetZeroDims(stored.declared);
    model_.graphs[graph.index()].inputs.push_back(tensor);
  }

  // Before IR version 4 an initializer is an input, too: the input's default value.
  void BindInitializer(GraphId graph, const NamedPayload& initializer) {
    TensorId tensor = bound_[initializer.name.index()];
    const bool is_input = tensor.valid() && model_.tensors[tensor.index()].graph == graph &&
                          !model_.tensors[tensor.index()].payload.valid();
    if (!is_input) {
      NoteRepeat(graph, initializer.name);
      tensor = Bind(graph, initializer.name);
    }
    Tensor& stored = model_.tensors[tensor.index()];
    const Payload& payload = model_.payload(initializer.payload);
    stored.payload = initializer.payload;
    stored.declared.kind = payload.sparse ? ValueKind::kSparseTensor : ValueKind::kTensor;
    stored.declared.dtype = payload.dtype;
    stored.declared.shape.dims.emplace(payload.dims.begin(), payload.dims.end());
    model_.graphs[graph.index()].initializers.push_back(tensor);
  }

  // value_info of a tensor of this graph.
  void Declare(GraphId graph, const NamedType& value) {
    const TensorId tensor = bound_[value.name.index()];
    if (!tensor.valid() || model_.tensors[tensor.index()].graph != graph) return;
    Tensor& stored = model_.tensors[tensor.index()];
    if (stored.graph_input || stored.payload.valid()) return;
    stored.declared = value.type;
    ForgetZeroDims(stored.declared);
  }

  // A computed tensor of size 0 is declared by exporters that do not know the size.
  static void ForgetZeroDims(TypeInfo& type) {
    if (!type.shape.dims) return;
    for (Dim& dim : *type.shape.dims)
      if (dim == Dim(0)) dim = Dim();
  }

  void BindOutput(GraphId graph, const NamedType& output) {
    const TensorId tensor = Use(output.name);
    model_.graphs[graph.index()].outputs.push_back(tensor);
    if (!tensor.valid()) return;
    Declare(graph, output);
    if (model_.tensors[tensor.index()].graph == graph)
      model_.tensors[tensor.index()].graph_output = true;
  }

  TensorId NewTensor(GraphId graph, Str name) {
    const TensorId id{static_cast<std::uint32_t>(model_.tensors.size())};
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = name;
    tensor.graph = graph;
    pending_.push_back(false);
    return id;
  }

  TensorId Bind(GraphId graph, Str name) {
    const TensorId tensor = NewTensor(graph, name);
    undo_.push_back({name, bound_[name.index()]});
    bound_[name.index()] = tensor;
    return tensor;
  }

  void NoteRepeat(GraphId graph, Str name) {
    const TensorId before = bound_[name.index()];
    if (!before.valid() || name.index() == 0) return;
    if (model_.tensors[before.index()].graph == graph)
      Note("onnx.not-ssa", Severity::kLoss, name, "is made twice; later readers see the later one");
    else
      Note("onnx.shadowed", Severity::kNotice, name, "hides a value of an outer graph");
  }

  // Inputs of the model whose dims have no name: each gets one, so that a formula can be given and
  // bound. 0 stands for "any size" in such files.
  void NameFreeDims() {
    std::unordered_set<std::string> taken;
    for (const TensorId id : model_.graphs[0].inputs)
      if (const auto& dims = model_.tensor(id).declared.shape.dims)
        for (const Dim& dim : *dims)
          for (std::string& symbol : model_.dims.Symbols(dim)) taken.insert(std::move(symbol));
    for (const TensorId id : model_.graphs[0].inputs) {
      Tensor& tensor = model_.tensors[id.index()];
      const bool is_free = tensor.declared.kind == ValueKind::kTensor && !tensor.payload.valid();
      if (!is_free || !tensor.declared.shape.dims) continue;
      std::vector<Dim>& dims = *tensor.declared.shape.dims;
      for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] == Dim(0))
          Note("onnx.zero-dim", Severity::kNotice, tensor.name,
               "is an input with a dim of 0, taken as free");
        else if (!dims[axis].is_unknown())
          continue;
        std::string name = std::string(model_.text(tensor.name)) + "_d" + std::to_string(axis);
        while (!taken.insert(name).second) name += '_';
        dims[axis] = model_.dims.Symbol(name);
      }
    }
  }

  void Note(std::string_view code, Severity severity, Str name, std::string_view what) {
    const std::string quoted = "'" + std::string(model_.text(name)) + "'";
    log_.Add(code, severity, "tensor " + quoted, quoted + " " + std::string(what));
  }

  Model& model_;
  const std::vector<GraphDraft>& drafts_;
  ImportLog& log_;
  std::vector<TensorId> bound_;               // by Str: what the name means here
  std::vector<std::vector<GraphId>> bodies_;  // by NodeId
  std::vector<bool> pending_;                 // by TensorId: used, not made yet
  std::vector<Undo> undo_;
  std::vector<Undo> floating_;  // names (and their tensors) that were used before they were made
  GraphId root_;
};

}  // namespace

void BindNames(Model& model, const std::vector<GraphDraft>& drafts, ImportLog& log) {
  Binder(model, drafts, log).BindAll();
}

}  // namespace opscope::onnx
