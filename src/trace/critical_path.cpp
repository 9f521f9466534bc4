#include "trace/critical_path.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/checked.h"
#include "trace/path_graph.h"

namespace opscope {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// Edges sorted by the node they leave.
struct OutEdges {
  std::vector<std::uint32_t> first, edge;  // `first` has one more than there are nodes
};

OutEdges Leaving(const PathGraph& graph) {
  OutEdges out;
  out.first.resize(2 * graph.events.size() + 1);
  for (const PathEdge& edge : graph.edges) ++out.first[edge.from + 1];
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  out.edge.resize(graph.edges.size());
  std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
  for (std::uint32_t i = 0; i < graph.edges.size(); ++i) out.edge[next[graph.edges[i].from]++] = i;
  return out;
}

// The longest path to each node: its length and its last edge.
struct Longest {
  std::vector<std::int64_t> ns;
  std::vector<std::uint32_t> edge;  // kNone: the node begins a path
  std::uint32_t end = 0;            // the node that is furthest; of several the one met first
};

// In topological order. Clocks that contradict each other can make circles: then the lowest node
// goes first, and edges into nodes that went are left out.
class LongestPaths {
 public:
  explicit LongestPaths(const PathGraph& graph)
      : graph_(&graph),
        out_(Leaving(graph)),
        waits_(2 * graph.events.size()),
        went_(waits_.size()),
        longest_{std::vector<std::int64_t>(waits_.size()),
                 std::vector<std::uint32_t>(waits_.size(), kNone), 0} {
    for (const PathEdge& edge : graph.edges) ++waits_[edge.to];
  }

  // Nothing: a length passes int64.
  std::optional<Longest> Find() {
    for (std::uint32_t node = 0; node < waits_.size(); ++node)
      if (waits_[node] == 0 && !went_[node]) GoFrom(node);
    for (std::uint32_t node = 0; node < waits_.size(); ++node)
      if (!went_[node]) GoFrom(node);
    return overflow_ ? std::nullopt : std::optional(std::move(longest_));
  }

 private:
  void GoFrom(std::uint32_t root) {
    Ready(root);
    while (!ready_.empty()) {
      const std::uint32_t node = ready_.back();
      ready_.pop_back();
      if (longest_.ns[node] > most_) {
        most_ = longest_.ns[node];
        longest_.end = node;
      }
      for (std::uint32_t i = out_.first[node]; i < out_.first[node + 1]; ++i) Extend(out_.edge[i]);
    }
  }

  void Ready(std::uint32_t node) {
    went_[node] = true;
    ready_.push_back(node);
  }

  void Extend(std::uint32_t index) {
    const PathEdge& edge = graph_->edges[index];
    if (went_[edge.to]) return;
    const auto ns = CheckedAdd(longest_.ns[edge.from], edge.ns);
    overflow_ |= !ns;
    if (ns && (longest_.edge[edge.to] == kNone || *ns > longest_.ns[edge.to])) {
      longest_.ns[edge.to] = *ns;
      longest_.edge[edge.to] = index;
    }
    if (--waits_[edge.to] == 0) Ready(edge.to);
  }

  const PathGraph* graph_;
  OutEdges out_;
  std::vector<std::uint32_t> waits_;  // edges into a node that have not come yet
  std::vector<bool> went_;
  std::vector<std::uint32_t> ready_;
  Longest longest_;
  std::int64_t most_ = -1;
  bool overflow_ = false;
};

struct PieceOfPath {
  std::uint32_t event;
  PathPart part;
  std::int64_t ns;
};

// One row for each name and part.
std::vector<PathRow> RowsOf(const Trace& trace, std::vector<PieceOfPath> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const PieceOfPath& a, const PieceOfPath& b) {
    return std::tie(a.event, a.part) < std::tie(b.event, b.part);
  });
  std::map<std::pair<Str, PathPart>, PathRow> rows;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Str name = trace.name[pieces[i].event];
    PathRow& row = rows[{name, pieces[i].part}];
    row.name = name;
    row.part = pieces[i].part;
    row.ns += pieces[i].ns;
    row.calls +=
        i == 0 || pieces[i - 1].event != pieces[i].event || pieces[i - 1].part != pieces[i].part;
  }
  std::vector<PathRow> out;
  for (const auto& [key, row] : rows)
    if (row.ns > 0) out.push_back(row);
  std::sort(out.begin(), out.end(), [&](const PathRow& a, const PathRow& b) {
    return std::tuple(-a.ns, trace.text(a.name), a.part) <
           std::tuple(-b.ns, trace.text(b.name), b.part);
  });
  return out;
}

std::int64_t NodesWithEdges(const PathGraph& graph) {
  std::vector<bool> has(2 * graph.events.size());
  for (const PathEdge& edge : graph.edges) has[edge.from] = has[edge.to] = true;
  return std::count(has.begin(), has.end(), true);
}

void Follow(const Trace& trace, const PathGraph& graph, const Longest& longest,
            CriticalPath& path) {
  std::vector<std::uint32_t> events;
  std::vector<PieceOfPath> pieces;
  std::uint32_t node = longest.end;
  events.push_back(node / 2);
  while (longest.edge[node] != kNone) {
    const PathEdge& edge = graph.edges[longest.edge[node]];
    path.parts[static_cast<std::size_t>(edge.part)] += edge.ns;
    if (edge.event.valid()) pieces.push_back({edge.event.value, edge.part, edge.ns});
    ++path.path_edges;
    node = edge.from;
    events.push_back(node / 2);
  }
  path.path_nodes = path.path_edges + 1;
  std::sort(events.begin(), events.end());
  path.path_events = std::unique(events.begin(), events.end()) - events.begin();
  path.ns = longest.ns[longest.end];
  path.rows = RowsOf(trace, std::move(pieces));
}

}  // namespace

std::string_view Name(PathPart part) {
  constexpr std::array<std::string_view, kPathParts> kNames = {"cpu", "kernel", "copy", "launch",
                                                               "wait"};
  return kNames[static_cast<std::size_t>(part)];
}

std::optional<PathWindow> FindWindow(const Trace& trace, std::string_view name, std::size_t which) {
  std::vector<std::uint32_t> exact, close;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (trace.kind[event] != EventKind::kAnnotation) continue;
    if (trace.name_of(event) == name) exact.push_back(event);
    if (trace.name_of(event).find(name) != std::string_view::npos) close.push_back(event);
  }
  std::vector<std::uint32_t>& ranges = exact.empty() ? close : exact;
  if (which >= ranges.size()) return std::nullopt;
  std::stable_sort(ranges.begin(), ranges.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.begin[a] < trace.begin[b];
  });
  const std::uint32_t range = ranges[which];
  return PathWindow{std::string(trace.name_of(range)), trace.begin[range], trace.end[range]};
}

std::optional<PathWindow> FindWindow(const Trace& trace, std::string_view text) {
  if (const auto named = FindWindow(trace, text, 0)) return named;
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto which = ParseInt64(text.substr(mark + 1));
  if (!which || *which < 0) return std::nullopt;
  return FindWindow(trace, text.substr(0, mark), static_cast<std::size_t>(*which));
}

std::optional<CriticalPath> FindCriticalPath(const Trace& trace,
                                             const std::vector<DeviceWork>& work,
                                             const PathWindow& window) {
  const PathGraph graph = BuildPathGraph(trace, work, window);
  if (graph.edges.empty()) return std::nullopt;
  const auto longest = LongestPaths(graph).Find();
  if (!longest) return std::nullopt;
  CriticalPath path;
  path.window = window;
  path.graph_nodes = NodesWithEdges(graph);
  path.graph_edges = static_cast<std::int64_t>(graph.edges.size());
  Follow(trace, graph, *longest, path);
  return path;
}

}  // namespace opscope
