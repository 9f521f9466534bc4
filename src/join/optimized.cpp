#include "join/optimized.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "join/names.h"

namespace opscope {

namespace {

// Layout changes in a row that are looked through between a kernel and a tensor of the original.
constexpr int kMaxInserted = 4;
// The runtime lets a graph have no two nodes of one name.
constexpr std::size_t kMaxOfOneName = 32;

NodeId WriterOfAny(const ModelIndex& original, GraphId graph, const Model& optimized,
                   const Node& node) {
  for (const TensorId output : node.outputs) {
    if (!output.valid()) continue;
    const NodeId writer = original.Writer(graph, optimized.text(optimized.tensor(output).name));
    if (writer.valid()) return writer;
  }
  return {};
}

// Hands out each node once.
class NodesOnce {
 public:
  explicit NodesOnce(const ModelIndex& optimized) : optimized_(&optimized) {}

  NodeId ByName(GraphId graph, std::string_view name) {
    const auto nodes = optimized_->Nodes(graph, name);
    for (const NodeId node : nodes.first(std::min(nodes.size(), kMaxOfOneName)))
      if (taken_.insert(node.value).second) return node;
    return {};
  }
  NodeId ByIndex(GraphId graph, std::int64_t index, std::string_view op) {
    const NodeId node = optimized_->AtIndex(graph, index);
    return node.valid() && IsUnnamed(node, op) && taken_.insert(node.value).second ? node
                                                                                   : NodeId{};
  }
  NodeId ByOrder(GraphId graph, const std::string& op) {
    const std::vector<NodeId>& nodes = optimized_->model().graph(graph).nodes;
    for (std::size_t& next = next_[op]; next < nodes.size();) {
      const NodeId node = nodes[next++];
      if (IsUnnamed(node, op) && taken_.insert(node.value).second) return node;
    }
    return {};
  }

 private:
  bool IsUnnamed(NodeId id, std::string_view op) const {
    const Model& model = optimized_->model();
    const Node& node = model.node(id);
    return model.text(node.name).empty() && model.text(node.op) == op;
  }

  const ModelIndex* optimized_;
  std::unordered_set<std::uint32_t> taken_;
  std::map<std::string, std::size_t> next_;  // by op
};

}  // namespace

std::vector<NodeId> FindOptimizedNodes(const ModelIndex& optimized, GraphId optimized_graph,
                                       const RowTable& table,
                                       const std::vector<std::uint32_t>& rows) {
  std::vector<NodeId> found(rows.size());
  NodesOnce nodes(optimized);
  for (std::size_t i = 0; i < rows.size(); ++i)
    found[i] = nodes.ByName(optimized_graph, table.rows[rows[i]].name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = table.rows[rows[i]];
    const auto at = UnnamedIndex(row.name, row.op);
    if (!found[i].valid() && at) found[i] = nodes.ByIndex(optimized_graph, *at, row.op);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = table.rows[rows[i]];
    if (!found[i].valid() && UnnamedIndex(row.name, row.op))
      found[i] = nodes.ByOrder(optimized_graph, row.op);
  }
  return found;
}

bool IsInserted(const ModelIndex& optimized, const ModelIndex& original, GraphId original_graph,
                NodeId optimized_node) {
  const Model& model = optimized.model();
  const Node& node = model.node(optimized_node);
  const std::string_view op = model.text(node.op);
  if (!IsLayoutOp(op)) return false;
  const std::string_view name = model.text(node.name);
  if (!original.Nodes(original_graph, name).empty()) return false;
  if (!original.Nodes(original_graph, WithoutToken(name)).empty()) return false;
  for (const std::string_view quoted : QuotedNames(name))
    if (!original.Nodes(original_graph, quoted).empty()) return false;
  const NodeId writer = WriterOfAny(original, original_graph, model, node);
  return !writer.valid() || original.model().text(original.model().node(writer).op) != op;
}

NodeId OriginalOf(const ModelIndex& optimized, const ModelIndex& original, GraphId original_graph,
                  NodeId optimized_node) {
  const Model& model = optimized.model();
  for (int depth = 0; depth <= kMaxInserted; ++depth) {
    const Node& node = model.node(optimized_node);
    const NodeId writer = WriterOfAny(original, original_graph, model, node);
    if (writer.valid()) return writer;
    if (node.outputs.empty() || !node.outputs.front().valid()) return {};
    const auto readers = optimized.Readers(node.outputs.front());
    if (readers.size() != 1 || !IsInserted(optimized, original, original_graph, readers.front()))
      return {};
    optimized_node = readers.front();
  }
  return {};
}

bool ReadsOriginalTensors(const ModelIndex& optimized, const ModelIndex& original,
                          GraphId original_graph, NodeId optimized_node) {
  const Model& model = optimized.model();
  const auto is_known = [&](TensorId tensor) {
    for (int depth = 0; depth <= kMaxInserted; ++depth) {
      const NodeId producer = model.tensor(tensor).producer;
      if (!producer.valid()) return true;
      if (original.Writer(original_graph, model.text(model.tensor(tensor).name)).valid())
        return true;
      if (model.text(model.node(producer).op) == "Constant") return true;
      const std::vector<TensorId>& inputs = model.node(producer).inputs;
      if (inputs.empty() || !inputs.front().valid() ||
          !IsInserted(optimized, original, original_graph, producer))
        return false;
      tensor = inputs.front();
    }
    return false;
  };
  const std::vector<TensorId>& inputs = model.node(optimized_node).inputs;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](TensorId input) { return !input.valid() || is_known(input); });
}

}  // namespace opscope
