#include "join/cover.h"

#include <algorithm>
#include <array>
#include <utility>

#include "join/names.h"

namespace opscope {

namespace {

// A node shared by more rows than this is no part of any of them in particular.
constexpr std::size_t kMaxRowsOfNode = 8;

// Ops that an optimiser folds into the op that reads them, not into the one that feeds them.
constexpr std::array<std::string_view, 4> kFoldedForward = {"DequantizeLinear", "Transpose", "Pad",
                                                            "Expand"};
// … and what may lie before a fused op's main op.
constexpr std::array<std::string_view, 6> kAbsorbed = {"DequantizeLinear", "Transpose", "Pad",
                                                       "Identity",         "Dropout",   "Cast"};

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

class Coverer {
 public:
  Coverer(const ModelIndex& index, const StaticAnalysis& layers, const Matches& matches,
          RowTable& table)
      : index_(&index),
        layers_(&layers),
        matches_(&matches),
        table_(&table),
        rows_of_(index.model().nodes.size()),
        anchored_(index.model().nodes.size()),
        in_part_(index.model().nodes.size()),
        walked_(index.model().nodes.size(), kNoRow) {}

  std::vector<std::vector<std::uint32_t>> Run() {
    for (std::uint32_t row = 0; row < matches_->rows.size(); ++row)
      for (const Anchor& anchor : matches_->rows[row].anchors) {
        AddAnchor(anchor.node, row);
      }
    for (std::uint32_t row = 0; row < matches_->rows.size(); ++row)
      for (const Anchor& anchor : matches_->rows[row].anchors)
        if (anchor.output) WalkBack(anchor.node, row);
    for (const RowGroup& group : matches_->groups) PlaceCompiled(group);
    for (std::uint32_t graph = 0; graph < model().graphs.size(); ++graph) {
      if (index_->ScopeOf(GraphId{graph}) != GraphId{graph}) continue;
      const std::vector<NodeId> nodes = index_->NodesOfScope(GraphId{graph});
      GiveToProducers(nodes, false);
      GiveToReaders(nodes);
      GiveToProducers(nodes, true);
    }
    for (auto& rows : rows_of_) std::sort(rows.begin(), rows.end());
    return std::move(rows_of_);
  }

 private:
  const Model& model() const { return index_->model(); }
  std::string_view OpOf(NodeId node) const { return model().text(model().node(node).op); }
  // Nodes of functions that nobody calls are no layers.
  bool IsLayer(NodeId node) const {
    return node.index() < layers_->layer_of.size() && layers_->layer_of[node.index()].valid();
  }
  const Layer& LayerOf(NodeId node) const {
    return layers_->layer(layers_->layer_of[node.index()]);
  }

  // A row that has a call has all of its function.
  void AddAnchor(NodeId anchor, std::uint32_t row) {
    if (!index_->IsCall(anchor)) {
      Own(anchor, row);
      anchored_[anchor.index()] = true;
      return;
    }
    for (const NodeId node : index_->NodesOfScope(index_->Bodies(anchor).front())) {
      if (!IsPlain(node)) continue;
      Own(node, row);
      anchored_[node.index()] = true;
    }
  }

  bool Own(NodeId node, std::uint32_t row) {
    auto& rows = rows_of_[node.index()];
    if (std::find(rows.begin(), rows.end(), row) != rows.end()) return false;
    if (rows.size() >= kMaxRowsOfNode) return false;
    rows.push_back(row);
    return true;
  }

  // Takes part in a run, has no row yet, and is no container (those have rows of their own).
  bool IsFree(NodeId node) const { return rows_of_[node.index()].empty() && IsPlain(node); }
  bool IsPlain(NodeId node) const {
    if (!IsLayer(node)) return false;
    const Layer& layer = LayerOf(node);
    return layer.runtime && layer.status != LayerStatus::kContainer && index_->Bodies(node).empty();
  }

  NodeId Producer(TensorId tensor) const {
    return tensor.valid() ? index_->Producer(tensor) : NodeId{};
  }

  void WalkBack(NodeId from, std::uint32_t row) {
    struct Step {
      NodeId node;
      bool past_core;
    };
    const RowMatch& match = matches_->rows[row];
    std::vector<Step> open{{from, false}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      if (std::exchange(walked_[step.node.index()], row) == row) continue;
      const bool past_core = step.past_core || (!match.bounded && IsCore(match, step.node));
      for (const TensorId input : model().node(step.node).inputs) {
        const NodeId node = Producer(input);
        if (node.valid() && Takes(node, row, past_core)) open.push_back({node, past_core});
      }
    }
  }

  bool IsCore(const RowMatch& match, NodeId node) const {
    return std::find(match.core_ops.begin(), match.core_ops.end(), OpOf(node)) !=
           match.core_ops.end();
  }

  // Whether the row's walk goes on through this node, which becomes the row's own.
  bool Takes(NodeId node, std::uint32_t row, bool past_core) {
    const auto& rows = rows_of_[node.index()];
    if (anchored_[node.index()]) return std::find(rows.begin(), rows.end(), row) != rows.end();
    if (!IsPlain(node)) return false;
    if (past_core && !Contains(kAbsorbed, OpOf(node)) && LayerOf(node).status != LayerStatus::kView)
      return false;
    const bool first = rows.empty();
    return Own(node, row) && first;
  }

  // The only reader of everything the node writes is `reader`, and nobody outside waits for it.
  bool ReadByOne(TensorId tensor) const {
    return !index_->Escapes(tensor) && index_->Readers(tensor).size() == 1;
  }

  bool IsHeavy(NodeId node) const {
    const Dim macs = LayerOf(node).counts.macs;
    return !macs.is_number() || macs.number() > 0;
  }

  bool CanTakeIn(std::uint32_t row, NodeId node) const {
    return LayerOf(node).status == LayerStatus::kView || !IsMovementOp(table_->rows[row].op);
  }

  // Fusion goes along single readers: of the rows that feed a free node this way, the one that
  // runs last has computed it.
  void GiveToProducers(const std::vector<NodeId>& nodes, bool last_pass) {
    for (const NodeId node : nodes) {
      if (!IsFree(node) || IsHeavy(node)) continue;
      if (!last_pass && Contains(kFoldedForward, OpOf(node))) continue;
      std::uint32_t latest = kNoRow;
      for (const TensorId input : model().node(node).inputs) {
        const NodeId producer = Producer(input);
        if (!producer.valid() || !ReadByOne(input)) continue;
        for (const std::uint32_t row : rows_of_[producer.index()])
          if (CanTakeIn(row, node) && (latest == kNoRow || row > latest)) latest = row;
      }
      if (latest != kNoRow) Own(node, latest);
    }
  }

  void GiveToReaders(const std::vector<NodeId>& nodes) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      if (!IsFree(*node)) continue;
      std::vector<std::uint32_t> rows;
      for (const TensorId output : model().node(*node).outputs) {
        if (!output.valid()) continue;
        for (const NodeId reader : index_->Readers(output)) {
          const auto& more = rows_of_[reader.index()];
          if (rows.size() <= kMaxRowsOfNode) rows.insert(rows.end(), more.begin(), more.end());
        }
      }
      if (rows.size() > kMaxRowsOfNode) continue;
      for (const std::uint32_t row : rows) Own(*node, row);
    }
  }

  // Subgraphs that a provider compiled: all that is left, when it is one; else the connected parts
  // of what is left in order, when there are as many.
  void PlaceCompiled(const RowGroup& group) {
    std::vector<std::uint32_t> compiled;
    for (const std::uint32_t row : group.rows)
      if (matches_->rows[row].compiled) compiled.push_back(row);
    if (compiled.empty()) return;
    const auto parts = FreeParts(group.graph);
    if (compiled.size() > 1 && parts.size() != compiled.size()) return;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::uint32_t row = compiled[compiled.size() == 1 ? 0 : part];
      for (const NodeId node : parts[part]) Own(node, row);
      Row& target = table_->rows[row];
      target.kind = RowKind::kLayer;
      target.method = MatchMethod::kRegion;
      target.confidence = Confidence::kEstimated;
      target.because = "a compiled subgraph: all layers that no other row names";
    }
  }

  // Free nodes of a graph in parts that no tensor connects, by first node.
  std::vector<std::vector<NodeId>> FreeParts(GraphId graph) {
    std::vector<std::vector<NodeId>> parts;
    const auto is_new = [&](NodeId node) {
      return node.valid() && IsFree(node) && std::exchange(in_part_[node.index()], 1) == 0;
    };
    for (const NodeId first : index_->NodesOfScope(graph)) {
      if (!is_new(first)) continue;
      parts.emplace_back();
      std::vector<NodeId> open{first};
      while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        parts.back().push_back(node);
        for (const TensorId input : model().node(node).inputs)
          if (is_new(Producer(input))) open.push_back(Producer(input));
        for (const TensorId output : model().node(node).outputs)
          if (output.valid())
            for (const NodeId reader : index_->Readers(output))
              if (is_new(reader)) open.push_back(reader);
      }
    }
    return parts;
  }

  const ModelIndex* index_;
  const StaticAnalysis* layers_;
  const Matches* matches_;
  RowTable* table_;
  std::vector<std::vector<std::uint32_t>> rows_of_;
  std::vector<bool> anchored_;
  std::vector<char> in_part_;
  std::vector<std::uint32_t> walked_;  // by node: the last row whose walk came by
};

}  // namespace

std::vector<std::vector<std::uint32_t>> Cover(const ModelIndex& index, const StaticAnalysis& layers,
                                              const Matches& matches, RowTable& table) {
  return Coverer(index, layers, matches, table).Run();
}

}  // namespace opscope
