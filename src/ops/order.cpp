#include "ops/order.h"

#include <functional>
#include <queue>

namespace opscope {

namespace {

// `reader` must run after `producer`; both lie in one graph.
struct Dependency {
  NodeId reader, producer;
};

class Orderer {
 public:
  explicit Orderer(const Model& model) : model_(model) {}

  ExecutionOrder Run() {
    CollectDependencies();
    order_.waits_for_cycle.assign(model_.nodes.size(), false);
    for (std::size_t g = 0; g < model_.graphs.size(); ++g) {
      order_.nodes.push_back(model_.graphs[g].nodes);
      if (unsorted_[g]) Sort(GraphId{static_cast<std::uint32_t>(g)});
    }
    return std::move(order_);
  }

 private:
  void CollectDependencies() {
    position_.assign(model_.nodes.size(), 0);
    unsorted_.assign(model_.graphs.size(), false);
    dependencies_.resize(model_.graphs.size());
    for (const Graph& graph : model_.graphs) {
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        position_[graph.nodes[i].index()] = i;
      }
    }
    for (const Graph& graph : model_.graphs) {
      for (const NodeId node : graph.nodes) {
        for (const TensorId input : model_.node(node).inputs) Depend(node, input);
      }
      if (!graph.owner.valid()) continue;
      for (const TensorId output : graph.outputs) Depend(graph.owner, output);
    }
  }

  // The node itself, or the owner around it that lies in the producer's graph, waits.
  void Depend(NodeId reader, TensorId tensor) {
    if (!tensor.valid()) return;
    const NodeId producer = model_.tensor(tensor).producer;
    if (!producer.valid()) return;
    const GraphId graph = model_.node(producer).graph;
    while (reader.valid() && model_.node(reader).graph != graph) {
      reader = model_.graph(model_.node(reader).graph).owner;
    }
    if (!reader.valid()) return;
    dependencies_[graph.index()].push_back({reader, producer});
    if (position_[producer.index()] >= position_[reader.index()]) unsorted_[graph.index()] = true;
  }

  // Ready nodes leave a heap in file order.
  void Sort(GraphId graph) {
    const std::vector<NodeId>& file = model_.graph(graph).nodes;
    std::vector<std::vector<std::size_t>> readers(file.size());
    std::vector<std::size_t> missing(file.size(), 0);
    for (const Dependency& dependency : dependencies_[graph.index()]) {
      readers[position_[dependency.producer.index()]].push_back(
          position_[dependency.reader.index()]);
      ++missing[position_[dependency.reader.index()]];
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < file.size(); ++i) {
      if (missing[i] == 0) ready.push(i);
    }
    std::vector<NodeId>& sorted = order_.nodes[graph.index()];
    sorted.clear();
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      sorted.push_back(file[next]);
      for (const std::size_t reader : readers[next]) {
        if (--missing[reader] == 0) ready.push(reader);
      }
    }
    for (std::size_t i = 0; i < file.size(); ++i) {
      if (missing[i] == 0) continue;
      sorted.push_back(file[i]);
      order_.waits_for_cycle[file[i].index()] = true;
    }
    order_.unsorted.push_back(graph);
  }

  const Model& model_;
  std::vector<std::size_t> position_;                  // by NodeId: its place in its graph
  std::vector<std::vector<Dependency>> dependencies_;  // by GraphId
  std::vector<bool> unsorted_;                         // by GraphId
  ExecutionOrder order_;
};

}  // namespace

ExecutionOrder FindOrder(const Model& model) { return Orderer(model).Run(); }

}  // namespace opscope
