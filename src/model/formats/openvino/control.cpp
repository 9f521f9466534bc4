#include "model/formats/openvino/control.h"

#include <algorithm>
#include <string>

#include "base/result.h"

namespace opscope::openvino {

namespace {

using Integers = std::vector<std::int64_t>;

// Places of ids, in the order of a list of new places.
std::vector<TensorId> Reordered(const std::vector<TensorId>& from, const Integers& order) {
  std::vector<TensorId> out;
  for (const std::int64_t place : order)
    out.push_back(place < 0 ? TensorId() : from[static_cast<std::size_t>(place)]);
  return out;
}

// Where each place went.
std::vector<std::int64_t> Inverse(const Integers& order, std::size_t places) {
  Integers at(places, -1);
  for (std::size_t i = order.size(); i-- > 0;)
    if (order[i] >= 0) at[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return at;
}

class PortMapper {
 public:
  PortMapper(const LayerInfo& layer, const BodyPlaces& places, Model& model, NodeId node,
             GraphId graph)
      : layer_(layer), places_(places), model_(model), node_(node), graph_(graph) {}

  Result<void> MapBranch(const PortMap& map, const std::string& prefix) {
    Integers inputs(body().inputs.size(), -1);
    for (const PortMapping& mapping : map.inputs) {
      TRY_ASSIGN(const std::size_t parameter, Parameter(mapping.internal_layer));
      TRY_ASSIGN(inputs[parameter], PlaceOf(layer_.inputs, mapping.external_port));
    }
    Integers order(layer_.outputs.size(), -1);
    for (const PortMapping& mapping : map.outputs) {
      TRY_ASSIGN(const std::int64_t output, PlaceOf(layer_.outputs, mapping.external_port));
      TRY_ASSIGN(const std::size_t result, ResultOf(mapping.internal_layer));
      order[static_cast<std::size_t>(output)] = static_cast<std::int64_t>(result);
    }
    body().outputs = Reordered(body().outputs, order);
    Add(prefix + "inputs", std::move(inputs));
    return {};
  }

  Result<void> MapLoop(const PortMap& map) {
    TRY(OrderCarried());
    const std::size_t count = body().inputs.size();
    Integers ports(count, -1), axes(count, kNoAxis), starts(count, 0), ends(count, -1);
    Integers strides(count, 1), parts(count, 1);
    for (const PortMapping& mapping : map.inputs) {
      TRY_ASSIGN(const std::size_t parameter, Parameter(mapping.internal_layer));
      const auto at = static_cast<std::size_t>(input_at_[parameter]);
      if (!mapping.purpose.empty()) Add("iteration", static_cast<std::int64_t>(at));
      if (mapping.external_port < 0) continue;
      TRY_ASSIGN(ports[at], PlaceOf(layer_.inputs, mapping.external_port));
      axes[at] = mapping.axis.value_or(kNoAxis);
      starts[at] = mapping.start;
      ends[at] = mapping.end;
      strides[at] = mapping.stride;
      parts[at] = mapping.part_size;
    }
    Add("inputs", std::move(ports));
    Add("input_axes", std::move(axes));
    Add("input_starts", std::move(starts));
    Add("input_ends", std::move(ends));
    Add("input_strides", std::move(strides));
    Add("input_parts", std::move(parts));
    return MapOutputs(map);
  }

 private:
  Graph& body() { return model_.graphs[graph_.index()]; }

  // Carried values first. A result may be carried into several parameters, so all results follow.
  Result<void> OrderCarried() {
    Integers inputs, outputs;
    std::vector<bool> carried(body().inputs.size(), false);
    for (const auto& [from, to] : layer_.back_edges) {
      TRY_ASSIGN(const std::size_t result, ResultOf(from));
      TRY_ASSIGN(const std::size_t parameter, Parameter(to));
      if (carried[parameter]) return Damaged("has two back edges into one parameter");
      carried[parameter] = true;
      outputs.push_back(static_cast<std::int64_t>(result));
      inputs.push_back(static_cast<std::int64_t>(parameter));
    }
    Add("carried", static_cast<std::int64_t>(inputs.size()));
    for (std::size_t i = 0; i < carried.size(); ++i)
      if (!carried[i]) inputs.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < body().outputs.size(); ++i)
      outputs.push_back(static_cast<std::int64_t>(i));
    input_at_ = Inverse(inputs, body().inputs.size());
    output_at_ = Inverse(outputs, body().outputs.size());
    body().inputs = Reordered(body().inputs, inputs);
    body().outputs = Reordered(body().outputs, outputs);
    return {};
  }

  Result<void> MapOutputs(const PortMap& map) {
    Integers results(layer_.outputs.size(), -1), axes(layer_.outputs.size(), kNoAxis);
    for (const PortMapping& mapping : map.outputs) {
      TRY_ASSIGN(const std::size_t result, ResultOf(mapping.internal_layer));
      if (!mapping.purpose.empty()) Add("condition", output_at_[result]);
      if (mapping.external_port < 0) continue;
      TRY_ASSIGN(const std::int64_t output, PlaceOf(layer_.outputs, mapping.external_port));
      results[static_cast<std::size_t>(output)] = output_at_[result];
      axes[static_cast<std::size_t>(output)] = mapping.axis.value_or(kNoAxis);
    }
    Add("outputs", std::move(results));
    Add("output_axes", std::move(axes));
    return {};
  }

  Result<std::size_t> Parameter(std::int64_t id) const {
    return InBody(places_.parameters, id, "parameter");
  }
  Result<std::size_t> ResultOf(std::int64_t id) const {
    return InBody(places_.results, id, "result");
  }
  Result<std::size_t> InBody(const std::unordered_map<std::int64_t, std::size_t>& places,
                             std::int64_t id, const std::string& what) const {
    const auto found = places.find(id);
    if (found != places.end()) return found->second;
    return Damaged("has no " + what + " " + std::to_string(id) +
                   " in its body, which its port map names");
  }

  Result<std::int64_t> PlaceOf(const std::vector<Port>& ports, std::int64_t id) const {
    const auto at = std::lower_bound(ports.begin(), ports.end(), id,
                                     [](const Port& port, std::int64_t i) { return port.id < i; });
    if (at == ports.end() || at->id != id)
      return Damaged("has no port " + std::to_string(id) + ", which its port map names");
    return static_cast<std::int64_t>(at - ports.begin());
  }

  Error Damaged(const std::string& what) const {
    return {"openvino.damaged", "layer " + std::to_string(layer_.id) + " " + what,
            AtByte(layer_.offset)};
  }

  void Add(const std::string& name, AttributeValue value) {
    model_.nodes[node_.index()].attributes.push_back(
        {model_.strings.Intern(name), std::move(value)});
  }

  const LayerInfo& layer_;
  const BodyPlaces& places_;
  Model& model_;
  NodeId node_;
  GraphId graph_;
  Integers input_at_, output_at_;  // by place before the body was ordered
};

}  // namespace

Result<void> AddPortMap(const LayerInfo& layer, const Body& body, const BodyPlaces& places,
                        Model& model, NodeId node, GraphId graph) {
  const std::string prefix = body.name.substr(0, body.name.size() - std::string("body").size());
  const auto map = std::find_if(layer.maps.begin(), layer.maps.end(), [&](const PortMap& each) {
    return each.name == prefix + "port_map";
  });
  const PortMap none;
  const PortMap& used = map == layer.maps.end() ? none : *map;
  PortMapper mapper(layer, places, model, node, graph);
  return prefix.empty() ? mapper.MapLoop(used) : mapper.MapBranch(used, prefix);
}

}  // namespace opscope::openvino
