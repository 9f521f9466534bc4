#include "join/match_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "join/names.h"

namespace opscope {

namespace {

// [from, to) of the graph's nodes in file order.
struct Stretch {
  std::uint32_t from;
  std::uint32_t to;
};

class OrderMatcher {
 public:
  OrderMatcher(const ModelIndex& index, GraphId graph, const RowTable& table,
               const Matches& matches, const std::vector<bool>& taken)
      : model_(&index.model()),
        nodes_(index.NodesOfScope(graph)),
        table_(&table),
        matches_(&matches) {
    for (std::uint32_t place = 0; place < nodes_.size(); ++place) {
      const NodeId node = nodes_[place];
      place_of_[node.value] = place;
      if (!taken[node.index()])
        free_[std::string(model_->text(model_->node(node).op))].push_back(place);
    }
  }

  std::vector<std::pair<std::uint32_t, NodeId>> Run(const std::vector<std::uint32_t>& rows) {
    const auto end = static_cast<std::uint32_t>(nodes_.size());
    std::uint32_t from = 0;
    std::vector<std::uint32_t> open, rest;
    for (const std::uint32_t row : rows) {
      if (IsOpen(row)) open.push_back(row);
      const auto places = PlacesOf(row);
      if (places.from == places.to) continue;
      PairAll(open, {from, std::max(from, places.from)}, rest);
      open.clear();
      from = places.to;
    }
    PairAll(open, {from, end}, rest);
    std::vector<std::uint32_t> left;
    PairAll(rest, {0, end}, left);
    return std::move(found_);
  }

 private:
  bool IsOpen(std::uint32_t row) const {
    const Row& source = table_->rows[row];
    return matches_->rows[row].anchors.empty() && source.kind != RowKind::kRuntime &&
           IsBareName(source.name, source.op) && !IsLayoutOp(source.op);
  }

  // From the first to behind the last anchor of a row; empty without one in this graph.
  Stretch PlacesOf(std::uint32_t row) const {
    Stretch places{0, 0};
    for (const Anchor& anchor : matches_->rows[row].anchors) {
      const auto found = place_of_.find(anchor.node.value);
      if (found == place_of_.end()) continue;
      const std::uint32_t place = found->second;
      places = places.from == places.to
                   ? Stretch{place, place + 1}
                   : Stretch{std::min(places.from, place), std::max(places.to, place + 1)};
    }
    return places;
  }

  // Pairs rows with free nodes of a stretch, op by op; rows that stay open go to `rest`.
  void PairAll(const std::vector<std::uint32_t>& rows, Stretch stretch,
               std::vector<std::uint32_t>& rest) {
    std::map<std::string_view, std::vector<std::uint32_t>> by_op;
    for (const std::uint32_t row : rows) by_op[table_->rows[row].op].push_back(row);
    for (const auto& [op, same] : by_op)
      if (!Pair(op, same, stretch)) rest.insert(rest.end(), same.begin(), same.end());
    std::sort(rest.begin(), rest.end());
  }

  bool Pair(std::string_view op, const std::vector<std::uint32_t>& rows, Stretch stretch) {
    for (const std::string_view source : SourceOps(op)) {
      const auto places = free_.find(std::string(source));
      if (places == free_.end()) continue;
      auto& all = places->second;
      const auto first = std::lower_bound(all.begin(), all.end(), stretch.from);
      const auto last = std::lower_bound(first, all.end(), stretch.to);
      if (static_cast<std::size_t>(last - first) != rows.size()) continue;
      for (std::size_t i = 0; i < rows.size(); ++i)
        found_.emplace_back(rows[i], nodes_[first[static_cast<std::ptrdiff_t>(i)]]);
      all.erase(first, last);
      return true;
    }
    return false;
  }

  const Model* model_;
  std::vector<NodeId> nodes_;
  const RowTable* table_;
  const Matches* matches_;
  std::unordered_map<std::uint32_t, std::uint32_t> place_of_;
  std::map<std::string, std::vector<std::uint32_t>> free_;  // by op: places, ascending
  std::vector<std::pair<std::uint32_t, NodeId>> found_;
};

}  // namespace

std::vector<std::pair<std::uint32_t, NodeId>> MatchByOrder(const ModelIndex& index, GraphId graph,
                                                           const std::vector<std::uint32_t>& rows,
                                                           const RowTable& table,
                                                           const Matches& matches,
                                                           const std::vector<bool>& taken) {
  return OrderMatcher(index, graph, table, matches, taken).Run(rows);
}

}  // namespace opscope
