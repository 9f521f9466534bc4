#include "join/match_core.h"

#include <algorithm>

namespace opscope {

namespace {

// Patterns that engines fuse have up to a dozen nodes.
constexpr std::size_t kMaxNodes = 32;

class Search {
 public:
  Search(const ModelIndex& index, const std::vector<bool>& taken, NodeId from)
      : index_(&index), taken_(&taken), open_{from} {}

  // The next node to look at, nearest first; invalid at the end.
  NodeId Next() { return next_ < open_.size() ? open_[next_++] : NodeId{}; }

  void AddBefore(NodeId node) {
    for (const TensorId input : index_->model().node(node).inputs)
      if (input.valid()) Add(index_->Producer(input));
  }
  void AddBehind(NodeId node) {
    for (const TensorId output : index_->model().node(node).outputs) {
      if (!output.valid()) continue;
      const auto readers = index_->Readers(output);
      for (const NodeId reader : readers.first(std::min(readers.size(), kMaxNodes))) Add(reader);
    }
  }

 private:
  void Add(NodeId node) {
    if (!node.valid() || (*taken_)[node.index()] || open_.size() >= kMaxNodes) return;
    if (std::find(open_.begin(), open_.end(), node) == open_.end()) open_.push_back(node);
  }

  const ModelIndex* index_;
  const std::vector<bool>* taken_;
  std::vector<NodeId> open_;
  std::size_t next_ = 0;
};

std::string_view OpOf(const ModelIndex& index, NodeId node) {
  return index.model().text(index.model().node(node).op);
}

bool IsOneOf(const ModelIndex& index, NodeId node, const std::vector<std::string>& ops) {
  return std::find(ops.begin(), ops.end(), OpOf(index, node)) != ops.end();
}

// Adds two tensors that are both computed at run time, not a constant.
bool AddsTwo(const ModelIndex& index, NodeId node) {
  const std::vector<TensorId>& inputs = index.model().node(node).inputs;
  return std::all_of(inputs.begin(), inputs.end(), [&](TensorId input) {
    return input.valid() &&
           (index.Producer(input).valid() || index.model().tensor(input).graph_input);
  });
}

}  // namespace

NodeId CoreNear(const ModelIndex& index, const std::vector<bool>& taken, NodeId named,
                const std::vector<std::string>& ops) {
  if (IsOneOf(index, named, ops)) return {};
  Search search(index, taken, named);
  for (NodeId node = search.Next(); node.valid(); node = search.Next()) {
    if (IsOneOf(index, node, ops)) return node;
    search.AddBefore(node);
    search.AddBehind(node);
  }
  return {};
}

NodeId SumBefore(const ModelIndex& index, const std::vector<bool>& taken, NodeId core,
                 std::string_view op) {
  const bool skip = op.starts_with("Skip");
  if (!skip && !op.starts_with("Bias")) return {};
  Search search(index, taken, core);
  for (NodeId node = search.Next(); node.valid(); node = search.Next()) {
    if (node != core && OpOf(index, node) == "Add" && AddsTwo(index, node) == skip) return node;
    search.AddBefore(node);
  }
  return {};
}

}  // namespace opscope
