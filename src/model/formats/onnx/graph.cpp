#include "model/formats/onnx/graph.h"

#include <string>
#include <utility>

#include "model/formats/onnx/fields.h"
#include "model/formats/onnx/type.h"

namespace opscope::onnx {

GraphId GraphReader::NewGraph(GraphId parent, NodeId owner) {
  std::vector<Graph>& graphs = walker_.model().graphs;
  const GraphId id{static_cast<std::uint32_t>(graphs.size())};
  graphs.emplace_back();
  graphs.back().parent = parent;
  graphs.back().owner = owner;
  drafts_.emplace_back();
  return id;
}

Result<void> GraphReader::ReadGraph(WireReader message, GraphId graph, std::size_t depth) {
  return walker_.ForEachField(
      message, [&](const WireField& field, const WireReader& in) -> Result<void> {
        GraphDraft& draft = drafts_[graph.index()];
        switch (Key(field)) {
          case graph_proto::kNode:
            return ReadNode(in.Message(field), graph, depth);
          case graph_proto::kName: {
            TRY_ASSIGN(walker_.model().graphs[graph.index()].name, walker_.Name(in, field));
            return {};
          }
          case graph_proto::kInitializer: {
            TRY_ASSIGN(const NamedPayload tensor, tensors_.Read(in.Message(field)));
            draft.initializers.push_back(tensor);
            return {};
          }
          case graph_proto::kSparseInitializer: {
            TRY_ASSIGN(const NamedPayload tensor, tensors_.ReadSparse(in.Message(field)));
            draft.initializers.push_back(tensor);
            return {};
          }
          case graph_proto::kInput:
            return ReadValueInfo(field, in, draft.inputs);
          case graph_proto::kOutput:
            return ReadValueInfo(field, in, draft.outputs);
          case graph_proto::kValueInfo:
            return ReadValueInfo(field, in, draft.values);
          default:
            return {};
        }
      });
}

Result<void> GraphReader::ReadValueInfo(const WireField& field, const WireReader& message,
                                        std::vector<NamedType>& values) {
  TRY(walker_.Count(field.offset));
  walker_.Hash(field, 0);
  NamedType value;
  TRY(walker_.ForEachField(message.Message(field),
                           [&](const WireField& part, const WireReader& in) -> Result<void> {
                             if (Key(part) == value_info_proto::kName) {
                               TRY_ASSIGN(value.name, walker_.Name(in, part));
                             } else if (Key(part) == value_info_proto::kType) {
                               TRY_ASSIGN(value.type, ReadType(walker_, in.Message(part)));
                             }
                             return {};
                           }));
  values.push_back(std::move(value));
  return {};
}

Result<void> GraphReader::ReadNode(WireReader message, GraphId graph, std::size_t depth) {
  TRY(walker_.Count(message.position()));
  Model& model = walker_.model();
  const NodeId id{static_cast<std::uint32_t>(model.nodes.size())};
  Node& node = model.nodes.emplace_back();
  node.domain = model.strings.Intern("ai.onnx");
  node.graph = graph;
  model.graphs[graph.index()].nodes.push_back(id);
  return walker_.ForEachField(message, [&](const WireField& field, const WireReader& in) {
    return ReadNodeField(field, in, {graph, id, depth});
  });
}

Result<void> GraphReader::ReadNodeField(const WireField& field, const WireReader& message,
                                        const NodePlace& place) {
  // Bodies add nodes: the node is looked up anew for every field.
  Node& node = walker_.model().nodes[place.node.index()];
  switch (Key(field)) {
    case node_proto::kInput: {
      TRY_ASSIGN(const Str name, walker_.Name(message, field));
      node.inputs.push_back(NameAsTensor(name));
      return {};
    }
    case node_proto::kOutput: {
      TRY_ASSIGN(const Str name, walker_.Name(message, field));
      node.outputs.push_back(NameAsTensor(name));
      return {};
    }
    case node_proto::kName: {
      TRY_ASSIGN(node.name, walker_.Name(message, field));
      return {};
    }
    case node_proto::kOpType: {
      TRY_ASSIGN(node.op, walker_.Name(message, field));
      return {};
    }
    case node_proto::kDomain: {
      TRY_ASSIGN(node.domain, walker_.Domain(message, field));
      return {};
    }
    case node_proto::kOverload: {
      TRY_ASSIGN(node.overload, walker_.Name(message, field));
      return {};
    }
    case node_proto::kAttribute: {
      TRY_ASSIGN(Attribute attribute, ReadAttribute(message.Message(field), place));
      walker_.model().nodes[place.node.index()].attributes.push_back(std::move(attribute));
      return {};
    }
    case node_proto::kMetadataProps: {
      TRY_ASSIGN(const auto entry, walker_.Entry(message.Message(field), kMaxNodeMetadata));
      if (!entry) return {};
      StringPool& strings = walker_.model().strings;
      node.metadata.emplace_back(strings.Intern(entry->first), strings.Intern(entry->second));
      return {};
    }
    default:
      return {};
  }
}

Result<void> GraphReader::ReadFunction(WireReader message) {
  TRY(walker_.Count(message.position()));
  Function function;
  function.domain = walker_.model().strings.Intern("ai.onnx");
  function.graph = NewGraph();
  TRY(walker_.ForEachField(message, [&](const WireField& field, const WireReader& in) {
    return ReadFunctionField(field, in, function);
  }));
  walker_.model().graphs[function.graph.index()].name = function.name;
  walker_.model().functions.push_back(std::move(function));
  return {};
}

Result<void> GraphReader::ReadFunctionField(const WireField& field, const WireReader& message,
                                            Function& function) {
  GraphDraft& draft = drafts_[function.graph.index()];
  switch (Key(field)) {
    case function_proto::kName: {
      TRY_ASSIGN(function.name, walker_.Name(message, field));
      return {};
    }
    case function_proto::kDomain: {
      TRY_ASSIGN(function.domain, walker_.Domain(message, field));
      return {};
    }
    case function_proto::kOverload: {
      TRY_ASSIGN(function.overload, walker_.Name(message, field));
      return {};
    }
    case function_proto::kInput:
    case function_proto::kOutput: {
      TRY(walker_.Count(field.offset));
      TRY_ASSIGN(const Str name, walker_.Name(message, field));
      (Key(field) == function_proto::kInput ? draft.inputs : draft.outputs).push_back({name, {}});
      return {};
    }
    case function_proto::kValueInfo:
      return ReadValueInfo(field, message, draft.values);
    case function_proto::kNode:
      return ReadNode(message.Message(field), function.graph, 0);
    case function_proto::kAttribute: {
      TRY_ASSIGN(const Str name, walker_.Name(message, field));
      function.attributes.push_back(name);
      return {};
    }
    case function_proto::kAttributeProto: {
      TRY_ASSIGN(Attribute attribute,
                 ReadAttribute(message.Message(field), {function.graph, NodeId{}, 0}));
      function.default_attributes.push_back(std::move(attribute));
      return {};
    }
    case function_proto::kOpsetImport: {
      TRY_ASSIGN(const auto opset, walker_.Opset(message.Message(field)));
      function.opsets.push_back(opset);
      return {};
    }
    default:
      return {};
  }
}

}  // namespace opscope::onnx
