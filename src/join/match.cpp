#include "join/match.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "join/match_core.h"
#include "join/match_order.h"
#include "join/names.h"
#include "join/optimized.h"

namespace opscope {

namespace {

constexpr std::string_view kMadeByEngine =
    "made by the engine; --optimized-model FILE (its saved optimised model) tells what it covers";

// How many nodes are looked at behind a fused op's first node, of one name, of one container.
constexpr std::size_t kMaxSearch = 32;

template <class T>
std::span<const T> AtMost(std::span<const T> list, std::size_t count) {
  return list.first(std::min(list.size(), count));
}

class Matcher {
 public:
  Matcher(const ModelIndex& index, const ModelIndex* optimized, RowTable& table)
      : index_(&index),
        optimized_(optimized),
        table_(&table),
        taken_(index.model().nodes.size()),
        optimized_nodes_(table.rows.size()) {
    matches_.rows.resize(table.rows.size());
  }

  Matches Run() {
    // Rows of one container and body lie together; a container's row comes before them.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> places;
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t row = 0; row < table_->rows.size(); ++row) {
      if (row == table_->fences || row == table_->session) continue;
      const RowKey& key = table_->keys[row];
      const auto [place, is_new] = places.try_emplace({key.container, key.body}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(row);
    }
    for (const auto& rows : groups) MatchGroup(rows);
    return std::move(matches_);
  }

 private:
  const Model& model() const { return index_->model(); }
  std::string_view OpOf(NodeId node) const { return model().text(model().node(node).op); }

  void MatchGroup(const std::vector<std::uint32_t>& rows) {
    const std::uint32_t container = table_->keys[rows.front()].container;
    const GraphId graph = container == kNoRow ? GraphId{0} : BodyOf(container, rows);
    for (const std::uint32_t row : rows) matches_.rows[row].graph = graph;
    if (graph.valid()) {
      if (optimized_ != nullptr) FindOptimized(container, graph, rows);
      for (const std::uint32_t row : rows)
        if (table_->rows[row].kind != RowKind::kRuntime) MatchRow(row, graph);
      AddCoreAnchors(rows);
      std::vector<std::uint32_t> by_order;
      for (const auto& [row, node] :
           MatchByOrder(*index_, graph, rows, *table_, matches_, taken_)) {
        AddAnchor(row, {node, false}, MatchMethod::kOpOrder, Confidence::kStrong);
        by_order.push_back(row);
      }
      AddCoreAnchors(by_order);
      matches_.groups.push_back({graph, rows});
    }
    for (const std::uint32_t row : rows) Conclude(row);
  }

  // The body of the container's node whose nodes agree best with the rows.
  GraphId BodyOf(std::uint32_t container, const std::vector<std::uint32_t>& rows) const {
    GraphId best;
    std::int64_t best_score = -1;
    for (const Anchor& anchor : matches_.rows[container].anchors) {
      for (const GraphId body : AtMost(index_->Bodies(anchor.node), kMaxSearch)) {
        const std::int64_t score = Agreement(body, rows);
        if (score <= best_score) continue;
        best = body;
        best_score = score;
      }
    }
    return best;
  }

  std::int64_t Agreement(GraphId graph, const std::vector<std::uint32_t>& rows) const {
    std::int64_t score = 0;
    for (const std::uint32_t row : rows) {
      const NodeId node = NodeNamed(table_->rows[row], graph);
      if (node.valid()) score += OpOf(node) == table_->rows[row].op ? 2 : 1;
    }
    return score;
  }

  void FindOptimized(std::uint32_t container, GraphId graph,
                     const std::vector<std::uint32_t>& rows) {
    GraphId optimized_graph{0};
    if (container != kNoRow) {
      optimized_graph = {};
      const Str attribute = model().graph(graph).owner_attribute;
      const NodeId owner = optimized_nodes_[container];
      if (!owner.valid()) return;
      for (const GraphId body : optimized_->Bodies(owner))
        if (optimized_->model().text(optimized_->model().graph(body).owner_attribute) ==
            model().text(attribute))
          optimized_graph = body;
    }
    if (!optimized_graph.valid()) return;
    const auto nodes = FindOptimizedNodes(*optimized_, optimized_graph, *table_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) optimized_nodes_[rows[i]] = nodes[i];
  }

  // The node that the row names outright: its own name, without the counter, or Op_index.
  NodeId NodeNamed(const Row& row, GraphId graph) const {
    for (const std::string_view name : {std::string_view(row.name), WithoutToken(row.name)}) {
      const auto nodes = index_->Nodes(graph, name);
      if (!nodes.empty()) return Pick(nodes, row.op);
    }
    if (const auto index = UnnamedIndex(row.name, row.op)) {
      const NodeId node = index_->AtIndex(graph, *index);
      if (node.valid() && model().text(model().node(node).name).empty() && OpOf(node) == row.op)
        return node;
    }
    return {};
  }

  // Of nodes with one name: one that no row has yet, of the row's op if possible.
  NodeId Pick(std::span<const NodeId> nodes, std::string_view op) const {
    NodeId free;
    for (const NodeId node : AtMost(nodes, kMaxSearch)) {
      if (taken_[node.index()]) continue;
      if (OpOf(node) == op) return node;
      if (!free.valid()) free = node;
    }
    return free.valid() ? free : nodes.front();
  }

  void MatchRow(std::uint32_t row, GraphId graph) {
    Row& target = table_->rows[row];
    for (const std::string_view op : SourceOps(target.op))
      matches_.rows[row].core_ops.emplace_back(op);
    const NodeId ran = optimized_nodes_[row];
    if (ran.valid() && IsInserted(*optimized_, *index_, graph, ran)) {
      MarkRuntime(target, MatchMethod::kOptimizedModel,
                  "layout or type change that the engine inserted");
      return;
    }
    if (ran.valid()) {
      matches_.rows[row].bounded = ReadsOriginalTensors(*optimized_, *index_, graph, ran);
      const NodeId written = OriginalOf(*optimized_, *index_, graph, ran);
      if (written.valid())
        AddAnchor(row, {written, true}, MatchMethod::kOptimizedModel, Confidence::kExact);
    }
    MatchByName(row, graph);
  }

  void MatchByName(std::uint32_t row, GraphId graph) {
    const Row& source = table_->rows[row];
    const bool known = !matches_.rows[row].anchors.empty();
    const NodeId named = NodeNamed(source, graph);
    if (named.valid()) {
      AddAnchor(row, {named, false}, MatchMethod::kName, Confidence::kExact);
      return;
    }
    const auto tensor = NchwcTensor(source.name);
    const NodeId writer = tensor ? index_->Writer(graph, tensor->tensor) : NodeId{};
    if (writer.valid()) {
      if (!tensor->op.empty()) matches_.rows[row].core_ops = {std::string(tensor->op)};
      AddAnchor(row, {writer, true}, MatchMethod::kOutputTensor, Confidence::kExact);
      return;
    }
    if (!known) MatchByQuotedName(row, graph);
  }

  void MatchByQuotedName(std::uint32_t row, GraphId graph) {
    const Row& source = table_->rows[row];
    for (const std::string_view name : QuotedNames(source.name)) {
      const auto nodes = index_->Nodes(graph, name);
      const NodeId node = nodes.empty() ? index_->Writer(graph, name) : Pick(nodes, source.op);
      if (!node.valid()) continue;
      AddAnchor(row, {node, false}, MatchMethod::kFusedName, Confidence::kStrong);
      return;
    }
    for (const std::string_view name : InlinedNames(source.name)) {
      const auto nodes = index_->InnerNodes(name);
      if (nodes.empty()) continue;
      // Of several calls of one function, the index tells which unless the op was replaced.
      const NodeId at = index_->AtIndex(graph, table_->keys[row].node_index);
      const bool told = at.valid() && std::find(nodes.begin(), nodes.end(), at) != nodes.end();
      AddAnchor(row, {told ? at : Pick(nodes, source.op), false}, MatchMethod::kFusedName,
                Confidence::kStrong);
      return;
    }
  }

  void AddAnchor(std::uint32_t row, Anchor anchor, MatchMethod method, Confidence confidence) {
    taken_[anchor.node.index()] = true;
    matches_.rows[row].anchors.push_back(anchor);
    table_->rows[row].method = method;
    table_->rows[row].confidence = confidence;
  }

  // What else a fused row has for certain, next to the node that it is named after.
  void AddCoreAnchors(const std::vector<std::uint32_t>& rows) {
    for (const std::uint32_t row : rows) {
      const RowMatch& match = matches_.rows[row];
      if (match.anchors.size() != 1 || match.anchors.front().output) continue;
      const NodeId named = match.anchors.front().node;
      const NodeId core =
          match.core_ops.size() < 2 ? NodeId{} : CoreNear(*index_, taken_, named, match.core_ops);
      if (core.valid()) AddSameAnchor(row, core);
      const NodeId sum =
          SumBefore(*index_, taken_, core.valid() ? core : named, table_->rows[row].op);
      if (sum.valid()) AddSameAnchor(row, sum);
    }
  }

  void AddSameAnchor(std::uint32_t row, NodeId node) {
    taken_[node.index()] = true;
    matches_.rows[row].anchors.push_back({node, false});
  }

  static void MarkRuntime(Row& row, MatchMethod method, std::string_view because) {
    row.kind = RowKind::kRuntime;
    row.method = method;
    row.confidence = Confidence::kStrong;
    row.because = because;
  }

  // What becomes of a row that found no node.
  void Conclude(std::uint32_t row) {
    Row& target = table_->rows[row];
    if (target.kind == RowKind::kRuntime || !matches_.rows[row].anchors.empty()) return;
    if (optimized_nodes_[row].valid()) {
      MarkRuntime(target, MatchMethod::kOptimizedModel,
                  "made by the engine: no tensor of the model is its result");
      return;
    }
    matches_.rows[row].compiled = IsCompiled(target.name, target.op, target.provider);
    if (IsLayoutOp(target.op) && IsInsertedName(target.name, target.op)) {
      MarkRuntime(target, MatchMethod::kRuntimeName,
                  "layout or type change that the engine inserted: the model has no such node");
      return;
    }
    target.kind = RowKind::kUnmatched;
    if (!matches_.rows[row].graph.valid())
      target.because = "the node around it was not found in the model";
    else if (IsBareName(target.name, target.op) || matches_.rows[row].compiled)
      target.because = kMadeByEngine;
    else
      target.because = "the model has no node and no tensor of this name";
  }

  const ModelIndex* index_;
  const ModelIndex* optimized_;
  RowTable* table_;
  Matches matches_;
  std::vector<bool> taken_;              // by node: some row has it
  std::vector<NodeId> optimized_nodes_;  // by row
};

}  // namespace

Matches MatchRows(const ModelIndex& index, const ModelIndex* optimized, RowTable& table) {
  return Matcher(index, optimized, table).Run();
}

}  // namespace opscope
