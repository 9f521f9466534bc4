// Internal to the format: the network as the file spells it, before it becomes a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "model/dtype.h"
#include "model/formats/openvino/xml.h"

namespace opscope::openvino {

using Texts = std::vector<std::pair<std::string, std::string>>;

//   <port id="2" precision="FP32" names="conv1"> <dim>1</dim> <dim>-1</dim> </port>
struct Port {
  std::int64_t id = 0;
  std::string precision;
  std::string names;               // of tensors, joined by commas; one in a name is escaped: "a\,b"
  std::vector<std::int64_t> dims;  // -1 = not fixed
};

//   <input external_port_id="1" internal_layer_id="0" axis="1" part_size="1" stride="1" end="-1"/>
//   <output external_port_id="-1" internal_layer_id="7" purpose="execution_condition"/>
struct PortMapping {
  std::int64_t external_port = -1;
  std::int64_t internal_layer = 0;
  std::optional<std::int64_t> axis;
  std::int64_t start = 0, end = -1, stride = 1, part_size = 1;
  std::string purpose;
};

struct Net;

struct Body {
  std::string name;  // "body", "then_body", "else_body"
  std::unique_ptr<Net> net;
};

struct PortMap {
  std::string name;  // "port_map", "then_port_map", "else_port_map"
  std::vector<PortMapping> inputs, outputs;
};

struct LayerInfo {
  std::int64_t id = 0;
  std::string name;
  std::string type;
  std::string version;  // "opset8"; empty in execution graphs
  std::uint64_t offset = 0;
  Texts data;
  Texts rt_info;  // name and value
  std::vector<Port> inputs, outputs;
  std::vector<Body> bodies;
  std::vector<PortMap> maps;
  std::vector<std::pair<std::int64_t, std::int64_t>> back_edges;  // result, parameter

  const std::string* Find(std::string_view key) const;
};

//   <edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
struct Edge {
  std::int64_t from_layer = 0, from_port = 0, to_layer = 0, to_port = 0;
  std::uint64_t offset = 0;
};

struct Net {
  std::string name;
  std::int64_t version = 0;
  std::vector<LayerInfo> layers;
  std::vector<Edge> edges;
  Texts rt_info;  // nested entries with their path: "conversion_parameters.input_model"
};

// Errors: openvino.xml, openvino.damaged, openvino.old-version, openvino.not-a-network.
Result<Net> ReadNet(Source& source);

// "1", "-1"; an error at `offset` for anything else.
Result<std::int64_t> IntegerOf(std::string_view text, std::string_view what, std::uint64_t offset);

// "FP32" of a port, "f32" of a constant; "dynamic" and what nobody knows is unknown.
DType DTypeOf(std::string_view name);

}  // namespace opscope::openvino
