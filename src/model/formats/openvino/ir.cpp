#include "model/formats/openvino/ir.h"

#include <algorithm>

#include "base/checked.h"
#include "base/result.h"
#include "base/text.h"

namespace opscope::openvino {

namespace {

using Kind = XmlEvent::Kind;

// Versions of the network format that are read.
constexpr std::int64_t kOldest = 10;
constexpr std::int64_t kNewest = 11;

constexpr std::size_t kMaxRank = 1024;

Error Damaged(std::string message, std::uint64_t offset) {
  return {"openvino.damaged", std::move(message), AtByte(offset)};
}

Result<std::int64_t> Integer(const XmlEvent& tag, std::string_view attribute) {
  const std::string_view* text = tag.Find(attribute);
  if (text == nullptr)
    return Damaged(
        "<" + Printable(tag.name) + "> has no attribute \"" + std::string(attribute) + "\"",
        tag.offset);
  return IntegerOf(*text, attribute, tag.offset);
}

Result<std::int64_t> IntegerOr(const XmlEvent& tag, std::string_view attribute,
                               std::int64_t otherwise) {
  if (tag.Find(attribute) == nullptr) return otherwise;
  return Integer(tag, attribute);
}

std::string TextOr(const XmlEvent& tag, std::string_view attribute) {
  const std::string_view* text = tag.Find(attribute);
  return std::string(text == nullptr ? std::string_view() : *text);
}

class NetReader {
 public:
  explicit NetReader(Source& source) : xml_(source) {}

  Result<Net> Run() {
    TRY_ASSIGN(const XmlEvent* root, xml_.Next());
    if (root->kind != Kind::kOpen || root->name != "net")
      return Error{"openvino.not-a-network",
                   "the XML begins with <" + Printable(root->name) + ">, a network with <net>", ""};
    Net net;
    net.name = TextOr(*root, "name");
    TRY_ASSIGN(net.version, IntegerOr(*root, "version", 0));
    TRY(CheckVersion(net.version));
    TRY(ReadParts(net));
    TRY_ASSIGN(const XmlEvent* end, xml_.Next());
    CHECK(end->kind == Kind::kEnd);
    return net;
  }

 private:
  static Result<void> CheckVersion(std::int64_t version) {
    if (version >= kOldest && version <= kNewest) return {};
    const std::string is = "is a network of IR version " + std::to_string(version) + "; ";
    if (version > kNewest)
      return Error{"openvino.new-version", is + "this build reads versions 10 and 11", ""};
    return Error{"openvino.old-version",
                 is + "versions before 10 (OpenVINO before 2020) have other layers and are not "
                      "read: convert the original model again, or give that",
                 ""};
  }

  // What lies inside <net> or a body; bodies are nested as deep as elements may be.
  Result<void> ReadParts(Net& net) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      if (tag->name == "layers") {
        TRY(ReadLayers(net));
      } else if (tag->name == "edges") {
        TRY(ReadEdges(net));
      } else if (tag->name == "rt_info") {
        TRY(ReadInfo(net.rt_info));
      } else {
        TRY(xml_.SkipElement());
      }
    }
  }

  Result<void> ReadLayers(Net& net) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      if (tag->name != "layer") {
        TRY(xml_.SkipElement());
        continue;
      }
      LayerInfo layer;
      layer.offset = tag->offset;
      TRY_ASSIGN(layer.id, Integer(*tag, "id"));
      layer.name = TextOr(*tag, "name");
      layer.type = TextOr(*tag, "type");
      layer.version = TextOr(*tag, "version");
      if (layer.type.empty()) return Damaged("a layer without a type", layer.offset);
      TRY(ReadLayer(layer));
      net.layers.push_back(std::move(layer));
    }
  }

  Result<void> ReadLayer(LayerInfo& layer) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind == Kind::kOpen) TRY(ReadLayerPart(*tag, layer));
    }
  }

  Result<void> ReadLayerPart(const XmlEvent& tag, LayerInfo& layer) {
    if (tag.name == "data") {
      for (const auto& [key, value] : tag.attributes) layer.data.emplace_back(key, value);
      return xml_.SkipElement();
    }
    if (tag.name == "input") return ReadPorts(layer.inputs);
    if (tag.name == "output") return ReadPorts(layer.outputs);
    if (tag.name == "rt_info") return ReadInfo(layer.rt_info);
    if (tag.name == "back_edges") return ReadBackEdges(layer);
    if (tag.name.ends_with("port_map")) {
      PortMap& map = layer.maps.emplace_back();
      map.name = tag.name;
      return ReadPortMap(map);
    }
    if (tag.name.ends_with("body")) {
      Body& body = layer.bodies.emplace_back();
      body.name = tag.name;
      body.net = std::make_unique<Net>();
      return ReadParts(*body.net);
    }
    return xml_.SkipElement();
  }

  Result<void> ReadPorts(std::vector<Port>& ports) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      if (tag->name != "port") {
        TRY(xml_.SkipElement());
        continue;
      }
      Port port;
      const std::uint64_t offset = tag->offset;
      TRY_ASSIGN(port.id, Integer(*tag, "id"));
      port.precision = TextOr(*tag, "precision");
      port.names = TextOr(*tag, "names");
      TRY(ReadDims(port.dims));
      if (!ports.empty() && ports.back().id >= port.id)
        return Damaged("ports do not stand in the order of their ids", offset);
      ports.push_back(std::move(port));
    }
  }

  Result<void> ReadDims(std::vector<std::int64_t>& dims) {
    std::size_t depth = 1;
    while (depth > 0) {
      while (depth == 1) {
        const auto dim = xml_.TakePlain("dim");
        if (!dim) break;
        TRY(AddDim(*dim, xml_.offset(), dims));
      }
      TRY_ASSIGN(const XmlEvent* event, xml_.Next());
      if (event->kind == Kind::kOpen) {
        // Inside of <port>, only <dim> is known.
        if (event->name != "dim") {
          TRY(xml_.SkipElement());
          continue;
        }
        ++depth;
      } else if (event->kind == Kind::kClose) {
        --depth;
      } else if (event->kind == Kind::kText && depth == 2) {
        TRY(AddDim(event->name, event->offset, dims));
      }
    }
    return {};
  }
  static Result<void> AddDim(std::string_view text, std::uint64_t offset,
                             std::vector<std::int64_t>& dims) {
    TRY_ASSIGN(const std::int64_t dim, IntegerOf(text, "dim", offset));
    if (dim < -1) return Damaged("a dim of " + std::to_string(dim), offset);
    if (dims.size() >= kMaxRank) return Damaged("a port of more than 1024 dims", offset);
    dims.push_back(dim);
    return {};
  }

  Result<void> ReadPortMap(PortMap& map) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      PortMapping mapping;
      TRY_ASSIGN(mapping.external_port, IntegerOr(*tag, "external_port_id", -1));
      TRY_ASSIGN(mapping.internal_layer, Integer(*tag, "internal_layer_id"));
      if (tag->Find("axis") != nullptr) {
        TRY_ASSIGN(mapping.axis, Integer(*tag, "axis"));
      }
      TRY_ASSIGN(mapping.start, IntegerOr(*tag, "start", 0));
      TRY_ASSIGN(mapping.end, IntegerOr(*tag, "end", -1));
      TRY_ASSIGN(mapping.stride, IntegerOr(*tag, "stride", 1));
      TRY_ASSIGN(mapping.part_size, IntegerOr(*tag, "part_size", 1));
      mapping.purpose = TextOr(*tag, "purpose");
      (tag->name == "input" ? map.inputs : map.outputs).push_back(std::move(mapping));
      TRY(xml_.SkipElement());
    }
  }

  Result<void> ReadBackEdges(LayerInfo& layer) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      TRY_ASSIGN(const std::int64_t from, Integer(*tag, "from-layer"));
      TRY_ASSIGN(const std::int64_t to, Integer(*tag, "to-layer"));
      layer.back_edges.emplace_back(from, to);
      TRY(xml_.SkipElement());
    }
  }

  Result<void> ReadEdges(Net& net) {
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) return {};
      if (tag->kind != Kind::kOpen) continue;
      Edge edge;
      edge.offset = tag->offset;
      TRY_ASSIGN(edge.from_layer, Integer(*tag, "from-layer"));
      TRY_ASSIGN(edge.from_port, Integer(*tag, "from-port"));
      TRY_ASSIGN(edge.to_layer, Integer(*tag, "to-layer"));
      TRY_ASSIGN(edge.to_port, Integer(*tag, "to-port"));
      net.edges.push_back(edge);
      TRY(xml_.SkipElement());
    }
  }

  // <attribute name="fused_names" version="0" value="a,b"/>, <info name="layout" value="[N,C]"/>,
  // <input_model value="m.onnx"/>; whatever has a value, with the names of what is around it.
  Result<void> ReadInfo(Texts& info) {
    std::vector<std::string> path;
    for (;;) {
      TRY_ASSIGN(const XmlEvent* tag, xml_.Next());
      if (tag->kind == Kind::kClose) {
        if (path.empty()) return {};
        path.pop_back();
      }
      if (tag->kind != Kind::kOpen) continue;
      const std::string_view* name = tag->Find("name");
      path.emplace_back(name == nullptr ? std::string_view(tag->name) : *name);
      const std::string_view* value = tag->Find("value");
      if (value == nullptr || info.size() >= kMaxInfo) continue;
      std::string key;
      for (const std::string& part : path) {
        if (key.size() + part.size() > kMaxKey) break;
        key += (key.empty() ? "" : ".") + part;
      }
      info.emplace_back(std::move(key), *value);
    }
  }

  static constexpr std::size_t kMaxInfo = 256;
  static constexpr std::size_t kMaxKey = 256;
  XmlReader xml_;
};

}  // namespace

const std::string* LayerInfo::Find(std::string_view key) const {
  for (const auto& [known, value] : data)
    if (known == key) return &value;
  return nullptr;
}

Result<std::int64_t> IntegerOf(std::string_view text, std::string_view what, std::uint64_t offset) {
  if (const auto value = ParseInt64(text)) return *value;
  return Damaged(std::string(what) + " is '" + Printable(text.substr(0, 40)) + "', not an integer",
                 offset);
}

DType DTypeOf(std::string_view name) {
  struct Spelling {
    std::string_view port, element;
    DType dtype;
  };
  constexpr Spelling kSpellings[] = {{"FP32", "f32", DType::kFloat32},
                                     {"I64", "i64", DType::kInt64},
                                     {"FP16", "f16", DType::kFloat16},
                                     {"I32", "i32", DType::kInt32},
                                     {"BF16", "bf16", DType::kBFloat16},
                                     {"FP64", "f64", DType::kFloat64},
                                     {"I16", "i16", DType::kInt16},
                                     {"I8", "i8", DType::kInt8},
                                     {"I4", "i4", DType::kInt4},
                                     {"I2", "i2", DType::kInt2},
                                     {"U64", "u64", DType::kUInt64},
                                     {"U32", "u32", DType::kUInt32},
                                     {"U16", "u16", DType::kUInt16},
                                     {"U8", "u8", DType::kUInt8},
                                     {"U4", "u4", DType::kUInt4},
                                     {"U2", "u2", DType::kUInt2},
                                     {"BOOL", "boolean", DType::kBool},
                                     {"STRING", "string", DType::kString},
                                     {"F8E4M3", "f8e4m3", DType::kFloat8E4M3FN},
                                     {"F8E5M2", "f8e5m2", DType::kFloat8E5M2},
                                     {"F8E8M0", "f8e8m0", DType::kFloat8E8M0},
                                     {"F4E2M1", "f4e2m1", DType::kFloat4E2M1}};
  for (const Spelling& spelling : kSpellings)
    if (spelling.port == name || spelling.element == name) return spelling.dtype;
  return DType::kUnknown;
}

Result<Net> ReadNet(Source& source) { return NetReader(source).Run(); }

}  // namespace opscope::openvino
