#include "cost/layers.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace opscope {

namespace {

// "['', 'layer1', 'layer1.0', 'layer1.0.conv1', 'conv2d_3']": the modules from the outermost in,
// then the node itself. The path is the last module's name, cut at dots.
std::vector<std::string> ScopeFromTorch(std::string_view list) {
  std::vector<std::string_view> names;
  for (std::size_t at = list.find('\''); at != std::string_view::npos;) {
    const std::size_t end = list.find('\'', at + 1);
    if (end == std::string_view::npos) break;
    names.push_back(list.substr(at + 1, end - at - 1));
    at = list.find('\'', end + 1);
  }
  std::vector<std::string> scope;
  if (names.size() < 2) return scope;
  std::string_view path = names[names.size() - 2];
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    if (dot > 0) scope.emplace_back(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return scope;
}

// "/features/0/Conv" and "features/0/Conv": {"features", "0"}.
std::vector<std::string> ScopeFromName(std::string_view name) {
  std::vector<std::string> scope;
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
       slash = name.find('/')) {
    if (slash > 0) scope.emplace_back(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  return scope;
}

// How a container is called in a path: its name, else that of its first output, else its op.
std::string PathName(const Model& model, const Node& node) {
  if (const auto name = model.text(node.name); !name.empty()) return std::string(name);
  for (const TensorId output : node.outputs)
    if (output.valid()) return std::string(model.text(model.tensor(output).name));
  return std::string(model.text(node.op));
}

// A graph that is being listed: its nodes from `next` on, then its container's next body.
struct Open {
  GraphId graph;
  std::size_t next = 0;
  LayerId container;
  std::vector<std::string> path;
};

// `path`: of the container.
std::vector<std::string> PathInto(const Model& model, GraphId body, std::vector<std::string> path) {
  const Graph& graph = model.graph(body);
  path.push_back(PathName(model, model.node(graph.owner)));
  path.emplace_back(model.text(graph.owner_attribute));
  return path;
}

}  // namespace

std::vector<std::string> BodyPath(const Model& model, const StaticAnalysis& analysis,
                                  GraphId body) {
  const LayerId container = analysis.layer_of[model.graph(body).owner.index()];
  return PathInto(model, body, analysis.layer(container).path);
}

bool KnownShape(const TensorFact& fact) {
  return fact.shape.known_rank() && std::none_of(fact.shape.dims->begin(), fact.shape.dims->end(),
                                                 [](const Dim& dim) { return dim.is_unknown(); });
}

std::vector<std::vector<GraphId>> BodiesByOwner(const Model& model) {
  std::vector<std::vector<GraphId>> bodies(model.nodes.size());
  for (std::size_t i = 0; i < model.graphs.size(); ++i) {
    const NodeId owner = model.graphs[i].owner;
    if (owner.valid()) bodies[owner.index()].push_back({static_cast<std::uint32_t>(i)});
  }
  return bodies;
}

bool IsCall(const StaticAnalysis& analysis, NodeId node) {
  return analysis.propagation.entries[node.index()] == nullptr &&
         std::holds_alternative<work::ControlFlow>(analysis.propagation.works[node.index()]);
}

std::vector<std::string> ScopeOf(const Model& model, const Node& node) {
  for (const auto& [key, value] : node.metadata)
    if (model.text(key) == "pkg.torch.onnx.name_scopes") return ScopeFromTorch(model.text(value));
  return ScopeFromName(model.text(node.name));
}

void ListLayers(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                StaticAnalysis& analysis) {
  analysis.layer_of.assign(model.nodes.size(), LayerId{});
  analysis.layers.reserve(model.nodes.size());
  std::vector<Open> stack;
  stack.push_back({GraphId{0}, 0, LayerId{}, {}});
  while (!stack.empty()) {
    Open& open = stack.back();
    const Graph& graph = model.graph(open.graph);
    if (open.next == graph.nodes.size()) {
      stack.pop_back();
      continue;
    }
    const NodeId id = graph.nodes[open.next++];
    const LayerId layer_id{static_cast<std::uint32_t>(analysis.layers.size())};
    if (analysis.layer_of[id.index()].valid()) continue;
    analysis.layer_of[id.index()] = layer_id;
    Layer layer;
    layer.node = id;
    layer.container = open.container;
    layer.scope = ScopeOf(model, model.node(id));
    layer.path = open.path;
    layer.runtime = analysis.propagation.runtime[id.index()];
    analysis.layers.push_back(std::move(layer));
    const std::vector<GraphId>& inside = bodies[id.index()];
    if (inside.empty()) continue;
    // The first body comes to lie on top. `open` dangles from the first push on.
    const std::vector<std::string> path = open.path;
    for (std::size_t i = inside.size(); i-- > 0;)
      stack.push_back({inside[i], 0, layer_id, PathInto(model, inside[i], path)});
  }
}

}  // namespace opscope
