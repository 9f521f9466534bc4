#include <map>
#include <unordered_map>

#include "ops/propagate.h"

namespace opscope {

namespace {

// The attribute of the call, else the function's default, for a reference inside the function.
const AttributeValue* Resolve(const Model& model, const Node& call, const Function& function,
                              Str name) {
  if (const Attribute* given = FindAttribute(model, call, model.text(name))) return &given->value;
  for (const Attribute& attribute : function.default_attributes) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

// How much a copy adds to the model.
struct Size {
  std::size_t nodes = 0;
  std::size_t words = 0;  // of 8 bytes: what the nodes hold
};

constexpr std::size_t kMaxExpandedWords = 32'000'000;

// Elements of a list, eighths of a string; one for the rest.
struct CountWords {
  template <class T>
  std::size_t operator()(const T&) const {
    return 1;
  }
  template <class T>
  std::size_t operator()(const std::vector<T>& list) const {
    return 1 + list.size();
  }
  std::size_t operator()(const std::string& text) const { return 1 + text.size() / 8; }
  std::size_t operator()(const std::vector<std::string>& texts) const {
    std::size_t words = 1;
    for (const std::string& text : texts) words += (*this)(text);
    return words;
  }
};

std::size_t WordsOf(const Node& node) {
  std::size_t words = node.inputs.size() + node.outputs.size() + node.metadata.size();
  for (const Attribute& attribute : node.attributes) {
    words += std::visit(CountWords(), attribute.value);
  }
  return words;
}

// Copies one function's graph, bodies included, into a body of the node that calls it.
class Cloner {
 public:
  Cloner(Model& model, NodeId call, const Function& function)
      : model_(model), call_(call), function_(function) {
    const Graph& graph = model_.graph(function_.graph);
    const std::vector<TensorId>& actual = model_.node(call_).inputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      tensors_[graph.inputs[i]] = i < actual.size() ? actual[i] : TensorId();
    }
  }

  // The nodes made, for further expansion.
  std::vector<NodeId> Run() {
    const GraphId parent = model_.node(call_).graph;
    CloneGraph(function_.graph, parent, call_, model_.node(call_).op);
    return std::move(made_);
  }

 private:
  GraphId CloneGraph(GraphId from, GraphId parent, NodeId owner, Str owner_attribute) {
    const GraphId to = {static_cast<std::uint32_t>(model_.graphs.size())};
    const Graph source = model_.graph(from);
    graphs_[from] = to;
    Graph copy;
    copy.name = source.name;
    copy.parent = parent;
    copy.owner = owner;
    copy.owner_attribute = owner_attribute;
    model_.graphs.push_back(std::move(copy));
    Graph lists;
    // The formals of a function are the caller's tensors; the inputs of a body are its own.
    if (from != function_.graph) lists.inputs = CloneTensors(source.inputs);
    lists.initializers = CloneTensors(source.initializers);
    for (const NodeId node : source.nodes) lists.nodes.push_back(CloneNode(node, to));
    lists.outputs = CloneTensors(source.outputs);
    Graph& target = model_.graphs[to.index()];
    target.inputs = std::move(lists.inputs);
    target.initializers = std::move(lists.initializers);
    target.nodes = std::move(lists.nodes);
    target.outputs = std::move(lists.outputs);
    return to;
  }

  TensorId CloneTensor(TensorId from) {
    if (!from.valid()) return from;
    const auto known = tensors_.find(from);
    if (known != tensors_.end()) return known->second;
    const TensorId to = {static_cast<std::uint32_t>(model_.tensors.size())};
    Tensor copy = model_.tensor(from);
    const auto graph = graphs_.find(copy.graph);
    if (graph != graphs_.end()) copy.graph = graph->second;
    copy.producer = NodeId();
    model_.tensors.push_back(std::move(copy));
    tensors_[from] = to;
    return to;
  }

  std::vector<TensorId> CloneTensors(const std::vector<TensorId>& from) {
    std::vector<TensorId> to;
    to.reserve(from.size());
    for (const TensorId tensor : from) to.push_back(CloneTensor(tensor));
    return to;
  }

  NodeId CloneNode(NodeId from, GraphId graph) {
    const NodeId to = {static_cast<std::uint32_t>(model_.nodes.size())};
    Node copy = model_.node(from);
    copy.graph = graph;
    copy.inputs = CloneTensors(copy.inputs);
    copy.outputs = CloneTensors(copy.outputs);
    for (std::size_t i = 0; i < copy.outputs.size(); ++i) {
      if (copy.outputs[i].valid()) model_.tensors[copy.outputs[i].index()].producer = to;
    }
    std::vector<Attribute> attributes = std::move(copy.attributes);
    copy.attributes.clear();
    model_.nodes.push_back(std::move(copy));
    made_.push_back(to);
    std::vector<Attribute> resolved;
    for (Attribute& attribute : attributes) {
      if (CloneValue(attribute, to, graph)) resolved.push_back(std::move(attribute));
    }
    model_.nodes[to.index()].attributes = std::move(resolved);
    return to;
  }

  // False when the attribute refers to one that the call leaves out.
  bool CloneValue(Attribute& attribute, NodeId owner, GraphId parent) {
    if (const auto* reference = std::get_if<AttributeRef>(&attribute.value)) {
      const AttributeValue* value = Resolve(model_, model_.node(call_), function_, reference->name);
      if (value == nullptr) return false;
      attribute.value = AttributeValue(*value);
    } else if (auto* body = std::get_if<GraphId>(&attribute.value)) {
      *body = CloneGraph(*body, parent, owner, attribute.name);
    } else if (auto* bodies = std::get_if<std::vector<GraphId>>(&attribute.value)) {
      for (GraphId& each : *bodies) each = CloneGraph(each, parent, owner, attribute.name);
    }
    return true;
  }

  Model& model_;
  NodeId call_;
  const Function& function_;
  std::unordered_map<TensorId, TensorId, IdHash> tensors_;
  std::unordered_map<GraphId, GraphId, IdHash> graphs_;
  std::vector<NodeId> made_;
};

class Expander {
 public:
  Expander(Model& model, ImportLog& log) : model_(model), log_(log) {
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      const Function& function = model_.functions[i];
      index_.emplace(Key{function.domain, function.name, function.overload}, i);
    }
  }

  void Run() {
    if (index_.empty()) return;
    MeasureFunctions();
    // Breadth first, so that what is left when the limit is reached is the deepest.
    std::vector<NodeId> pending;
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const NodeId node = {static_cast<std::uint32_t>(n)};
      if (BelongsToMain(model_.node(node).graph)) pending.push_back(node);
    }
    for (std::size_t next = 0; next < pending.size(); ++next) {
      const std::vector<NodeId> made = Expand(pending[next]);
      pending.insert(pending.end(), made.begin(), made.end());
    }
  }

 private:
  using Key = std::tuple<Str, Str, Str>;

  std::optional<std::size_t> FunctionOf(const Node& node) const {
    const auto found = index_.find(Key{node.domain, node.op, node.overload});
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

  GraphId Outermost(GraphId graph) const {
    while (model_.graph(graph).parent.valid()) graph = model_.graph(graph).parent;
    return graph;
  }

  bool BelongsToMain(GraphId graph) const { return Outermost(graph).index() == 0; }

  // How large a copy of each function is, bodies included.
  void MeasureFunctions() {
    std::unordered_map<GraphId, std::size_t, IdHash> by_graph;
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      by_graph.emplace(model_.functions[i].graph, i);
    }
    sizes_.resize(model_.functions.size());
    for (const Node& node : model_.nodes) {
      const auto function = by_graph.find(Outermost(node.graph));
      if (function == by_graph.end()) continue;
      sizes_[function->second].nodes += 1;
      sizes_[function->second].words += WordsOf(node);
    }
  }

  std::vector<NodeId> Expand(NodeId call) {
    const std::optional<std::size_t> index = FunctionOf(model_.node(call));
    if (!index.has_value()) return {};
    if (!MayExpand(call, *index)) return {};
    const Function function = model_.functions[*index];
    return Cloner(model_, call, function).Run();
  }

  // A call that may not be expanded stays a call, and is reported.
  bool MayExpand(NodeId call, std::size_t index) {
    std::size_t depth = 0;
    for (GraphId graph = model_.node(call).graph; model_.graph(graph).owner.valid();
         graph = model_.node(model_.graph(graph).owner).graph) {
      const Node& owner = model_.node(model_.graph(graph).owner);
      const std::optional<std::size_t> outer = FunctionOf(owner);
      // Else it is a body that was handed to a function, which may call that function again.
      if (!outer.has_value() || model_.graph(graph).owner_attribute != owner.op) continue;
      ++depth;
      if (*outer == index) return Report(call, "ops.function-recursive", "calls itself");
    }
    if (depth >= kMaxCallDepth) {
      return Report(call, "ops.function-limit", "is nested too deep to be expanded");
    }
    const Size& size = sizes_[index];
    if (model_.nodes.size() + size.nodes > kMaxExpandedNodes ||
        words_ + size.words > kMaxExpandedWords) {
      return Report(call, "ops.function-limit", "would make the model too large to be expanded");
    }
    words_ += size.words;
    return true;
  }

  bool Report(NodeId call, std::string_view code, const std::string& what) {
    const Node& node = model_.node(call);
    const std::string message = "function " + std::string(model_.text(node.op)) + " " + what;
    log_.Add(code, Severity::kLoss, Label(model_, node), message);
    return false;
  }

  Model& model_;
  ImportLog& log_;
  std::map<Key, std::size_t> index_;
  std::vector<Size> sizes_;  // by function
  std::size_t words_ = 0;    // copied so far
};

}  // namespace

void ExpandFunctions(Model& model, ImportLog& log) { Expander(model, log).Run(); }

}  // namespace opscope
