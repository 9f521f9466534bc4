#include "join/match_origin.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opscope {

namespace {

constexpr GraphId kMain{0};

// "node_linear_1_2" -> "node_linear_1": the importer makes several layers of one node.
std::string_view WithoutCounter(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size() || name[digits] != '_')
    return {};
  return name.substr(0, digits);
}

// Nodes of the original model that the engine's list names, by layer.
using Listing = std::unordered_map<std::string_view, std::vector<std::string_view>>;

Listing ListingOf(const Model* engine) {
  Listing listing;
  if (engine == nullptr) return listing;
  for (const Node& layer : engine->nodes)
    for (const auto& [key, value] : layer.metadata)
      if (engine->text(key) == "onnx layer")
        listing[engine->text(layer.name)].push_back(engine->text(value));
  return listing;
}

class Matcher {
 public:
  Matcher(const ModelIndex& index, const RuntimeProfile& profile, const Model* engine,
          RowTable& table)
      : index_(&index),
        profile_(&profile),
        listing_(ListingOf(engine)),
        table_(&table),
        taken_(index.model().nodes.size()) {}

  Matches Run() {
    matches_.rows.resize(table_->rows.size());
    RowGroup all{kMain, {}};
    for (std::uint32_t row = 0; row < table_->rows.size(); ++row) {
      matches_.rows[row].graph = kMain;
      all.rows.push_back(row);
      MatchRow(row, OriginOf(row));
    }
    MatchByKind();
    PlaceGenerated();
    matches_.groups.push_back(std::move(all));
    return std::move(matches_);
  }

 private:
  const Model& model() const { return index_->model(); }
  const RowOrigin& OriginOf(std::uint32_t row) const { return profile_->rows[row].origin; }

  void MatchRow(std::uint32_t row, const RowOrigin& origin) {
    if (table_->rows[row].kind == RowKind::kContainer || table_->rows[row].container != kNoRow ||
        !origin.ops.empty())
      return;  // MatchByKind
    // A list of what ran is a model too: there every row is a node of its own, copies included.
    const NodeId same = NodeNamed(table_->rows[row].name);
    if (same.valid()) return Listed(row, same);
    if (!origin.made.empty()) return;  // marked when the rows were summed
    if (MatchListed(row) || MatchIndex(row, origin) || MatchNodes(row, origin) ||
        MatchOutputs(row, origin))
      return;
    if (origin.generated) return;  // PlaceGenerated
    table_->rows[row].kind = RowKind::kUnmatched;
    table_->rows[row].because = "the model has no node and no tensor of this name";
  }

  // Rows without a name of the model, by the ops that they may be and by order. Where there are as
  // many nodes as rows, of the op that fits best or of all of them, they are paired; else the rows
  // divide the nodes.
  void MatchByKind() {
    std::map<std::vector<std::string_view>, std::vector<std::uint32_t>> by_ops;
    for (std::uint32_t row = 0; row < table_->rows.size(); ++row) {
      const RowOrigin& origin = OriginOf(row);
      if (!origin.ops.empty())
        by_ops[origin.ops].push_back(row);
      else if (table_->rows[row].container != kNoRow)
        Unplaced(row);
    }
    if (by_ops.empty()) return;
    for (const NodeId node : index_->NodesOfScope(kMain))
      if (!taken_[node.index()]) free_[model().text(model().node(node).op)].push_back(node);
    // The best op of all kinds first: a depthwise convolution is one before it is any.
    for (std::size_t rank = 0; !by_ops.empty() && rank < kMostOps; ++rank)
      std::erase_if(by_ops, [&](const auto& kind) { return PairWithOne(kind, rank); });
    std::erase_if(by_ops, [&](const auto& kind) { return PairWithAll(kind); });
    for (const auto& kind : by_ops) DivideByKind(kind);
  }

  // Rows that may be the same ops.
  using Kind = std::pair<const std::vector<std::string_view>, std::vector<std::uint32_t>>;
  static constexpr std::size_t kMostOps = 16;

  bool PairWithOne(const Kind& kind, std::size_t rank) {
    const auto found = rank < kind.first.size() ? free_.find(kind.first[rank]) : free_.end();
    if (found == free_.end() || found->second.size() != kind.second.size()) return false;
    Pair(kind.second, found->second);
    free_.erase(found);
    return true;
  }

  bool PairWithAll(const Kind& kind) {
    std::vector<NodeId> all;
    for (const std::string_view op : kind.first)
      if (const auto found = free_.find(op); found != free_.end())
        all.insert(all.end(), found->second.begin(), found->second.end());
    if (all.size() != kind.second.size()) return false;
    std::sort(all.begin(), all.end());
    Pair(kind.second, all);
    for (const std::string_view op : kind.first) free_.erase(op);
    return true;
  }

  void DivideByKind(const Kind& kind) {
    for (const std::string_view op : kind.first) {
      const auto found = free_.find(op);
      if (found == free_.end()) continue;
      Divide(kind.second, found->second,
             "by kind and order: not as many rows as nodes of this kind");
      free_.erase(found);
      return;
    }
    for (const std::uint32_t row : kind.second) Unplaced(row);
  }

  void Pair(const std::vector<std::uint32_t>& rows, const std::vector<NodeId>& nodes) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      Anchored(rows[i], {nodes[i], false}, MatchMethod::kOpOrder, Confidence::kStrong);
  }

  void Unplaced(std::uint32_t row) {
    Row& target = table_->rows[row];
    const std::string_view otherwise = OriginOf(row).otherwise;
    if (!otherwise.empty()) return MarkRuntime(target, otherwise);
    target.kind = RowKind::kUnmatched;
    target.because = "by its kind: no op of this kind is left in the model";
  }

  // Kernels whose names tell no node divide what lies between the nodes of the rows around them.
  void PlaceGenerated() {
    const std::vector<NodeId> nodes = index_->NodesOfScope(kMain);
    std::vector<std::size_t> place(model().nodes.size(), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i].index()] = i;
    std::size_t from = 0;  // behind the nodes of all rows so far
    std::vector<std::uint32_t> open;
    for (std::uint32_t row = 0; row < table_->rows.size(); ++row) {
      if (OriginOf(row).generated && matches_.rows[row].anchors.empty()) open.push_back(row);
      std::size_t first = nodes.size(), behind = from;
      for (const Anchor& anchor : matches_.rows[row].anchors) {
        const std::size_t at = place[anchor.node.index()];
        if (at == nodes.size()) continue;
        first = std::min(first, at);
        behind = std::max(behind, at + 1);
      }
      if (first == nodes.size()) continue;
      Share(open, nodes, from, std::max(from, first));
      open.clear();
      from = behind;
    }
    Share(open, nodes, from, nodes.size());
  }

  void Share(const std::vector<std::uint32_t>& rows, const std::vector<NodeId>& nodes,
             std::size_t from, std::size_t to) {
    if (rows.empty()) return;
    std::vector<NodeId> free;
    for (std::size_t i = from; i < to; ++i)
      if (!taken_[nodes[i].index()]) free.push_back(nodes[i]);
    if (free.empty())
      for (const std::uint32_t row : rows)
        MarkRuntime(table_->rows[row],
                    "a kernel of the engine's own: no layer of the model lies between those of its "
                    "neighbours");
    else
      Divide(rows, free,
             "a kernel that the engine generated: by order, part of what lies between its "
             "neighbours");
  }

  // By order, each row at least one node.
  void Divide(const std::vector<std::uint32_t>& rows, const std::vector<NodeId>& nodes,
              std::string_view because) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t begin = i * nodes.size() / rows.size();
      const std::size_t end = std::max(begin + 1, (i + 1) * nodes.size() / rows.size());
      for (std::size_t node = begin; node < end; ++node)
        Anchored(rows[i], {nodes[node], false}, MatchMethod::kRegion, Confidence::kEstimated);
      Explain(table_->rows[rows[i]], because);
    }
  }

  static void MarkRuntime(Row& row, std::string_view what) {
    row.kind = RowKind::kRuntime;
    row.method = MatchMethod::kRuntimeName;
    row.confidence = Confidence::kExact;
    row.because = what;
  }

  // What the file itself says of the row stays.
  static void Explain(Row& row, std::string_view because) {
    if (row.because.empty()) row.because = because;
  }

  void Listed(std::uint32_t row, NodeId node) {
    Row& target = table_->rows[row];
    if (target.kind == RowKind::kRuntime) {
      target.kind = RowKind::kLayer;
      target.because.clear();
    }
    Anchored(row, {node, false}, MatchMethod::kName, Confidence::kExact);
  }

  // Of several of one name the first that no row has yet, else the first: rows come in the order in
  // which they run. Names that were asked for before are not walked again.
  NodeId Free(std::span<const NodeId> nodes) {
    if (nodes.empty()) return {};
    std::size_t& next = next_[nodes.data()];
    while (next < nodes.size() && taken_[nodes[next].index()]) ++next;
    return nodes[next < nodes.size() ? next : 0];
  }

  NodeId NodeNamed(std::string_view name) {
    const NodeId node = Free(index_->Nodes(kMain, name));
    return node.valid() ? node : Free(index_->InnerNodes(name));
  }

  bool MatchIndex(std::uint32_t row, const RowOrigin& origin) {
    if (origin.node_index < 0) return false;
    const NodeId node = index_->AtIndex(kMain, origin.node_index);
    if (!node.valid() || model().text(model().node(node).op) != table_->rows[row].op) return false;
    Anchored(row, {node, false}, MatchMethod::kName, Confidence::kExact);
    return true;
  }

  bool MatchListed(std::uint32_t row) {
    const auto listed = listing_.find(table_->rows[row].name);
    if (listed == listing_.end()) return false;
    bool any = false;
    for (const std::string_view name : listed->second)
      if (const NodeId node = NodeNamed(name); node.valid()) {
        Anchored(row, {node, false}, MatchMethod::kFusedName, Confidence::kExact);
        any = true;
      }
    return any;
  }

  bool MatchNodes(std::uint32_t row, const RowOrigin& origin) {
    bool any = false;
    for (std::size_t i = 0; i < origin.nodes.size(); ++i) {
      NodeId node = NodeNamed(origin.nodes[i]);
      if (!node.valid()) node = NodeNamed(WithoutCounter(origin.nodes[i]));
      if (!node.valid()) continue;
      const bool last = origin.region && i + 1 == origin.nodes.size();
      Anchored(row, {node, last}, origin.region ? MatchMethod::kRegion : MatchMethod::kFusedName,
               Confidence::kExact);
      any = true;
    }
    if (any && origin.region) {
      matches_.rows[row].bounded = true;
      table_->rows[row].confidence = Confidence::kEstimated;
      Explain(table_->rows[row], "a region of which only the ends are named");
    }
    return any;
  }

  bool MatchOutputs(std::uint32_t row, const RowOrigin& origin) {
    bool any = false;
    for (const std::string& output : origin.outputs) {
      const NodeId writer = index_->Writer(kMain, output);
      if (!writer.valid()) continue;
      Anchored(row, {writer, origin.outputs_all}, MatchMethod::kOutputTensor, Confidence::kExact);
      any = true;
    }
    matches_.rows[row].bounded = any && origin.outputs_all;
    return any;
  }

  void Anchored(std::uint32_t row, Anchor anchor, MatchMethod method, Confidence confidence) {
    taken_[anchor.node.index()] = true;
    matches_.rows[row].anchors.push_back(anchor);
    table_->rows[row].method = method;
    table_->rows[row].confidence = confidence;
  }

  const ModelIndex* index_;
  const RuntimeProfile* profile_;
  Listing listing_;
  RowTable* table_;
  Matches matches_;
  std::vector<bool> taken_;                               // by node: some row has it
  std::unordered_map<const NodeId*, std::size_t> next_;   // by list of nodes of one name
  std::map<std::string_view, std::vector<NodeId>> free_;  // by op: nodes that no row names
};

}  // namespace

Matches MatchOrigins(const ModelIndex& index, const RuntimeProfile& profile, const Model* engine,
                     RowTable& table) {
  return Matcher(index, profile, engine, table).Run();
}

}  // namespace opscope
