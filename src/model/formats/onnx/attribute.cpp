// AttributeProto: `type` says which of its fields is meant; files older than IR version 2 leave it
// out, and the field that is set says it.
#include <string>
#include <utility>
#include <vector>

#include "model/formats/onnx/fields.h"
#include "model/formats/onnx/graph.h"
#include "model/formats/onnx/type.h"

namespace opscope::onnx {

namespace {

// AttributeProto.AttributeType
enum class Kind : std::uint64_t {
  kUndefined,
  kFloat,
  kInt,
  kString,
  kTensor,
  kGraph,
  kFloats,
  kInts,
  kStrings,
  kTensors,
  kGraphs,
  kSparseTensor,
  kSparseTensors,
  kTypeProto,
  kTypeProtos
};

}  // namespace

struct GraphReader::AttributeParts {
  std::uint64_t declared_kind = 0;
  Kind seen = Kind::kUndefined;  // of the last field that was set
  Str name{0};
  Str reference{0};
  std::int64_t integer = 0;
  float number = 0;
  std::string text;
  NumberList<std::uint64_t> integers{kMaxListElements};
  NumberList<std::uint64_t> numbers{kMaxListElements};
  std::vector<std::string> texts;
  std::size_t text_bytes = 0;
  bool cut = false;
  std::vector<PayloadId> payloads;
  std::vector<GraphId> graphs;
  std::vector<TypeInfo> types;

  template <class T>
  static AttributeValue FirstOf(std::vector<T>& values) {
    if (values.empty()) return std::monostate();
    return std::move(values.front());
  }

  AttributeValue Value() {
    if (reference.index() != 0) return AttributeRef{reference};
    if (cut || integers.cut || numbers.cut) return std::monostate();
    switch (declared_kind != 0 ? static_cast<Kind>(declared_kind) : seen) {
      case Kind::kFloat:
        return number;
      case Kind::kInt:
        return integer;
      case Kind::kString:
        return std::move(text);
      case Kind::kFloats:
        return Floats();
      case Kind::kInts:
        return std::vector<std::int64_t>(integers.values.begin(), integers.values.end());
      case Kind::kStrings:
        return std::move(texts);
      case Kind::kTensor:
      case Kind::kSparseTensor:
        return FirstOf(payloads);
      case Kind::kTensors:
      case Kind::kSparseTensors:
        return std::move(payloads);
      case Kind::kGraph:
        return FirstOf(graphs);
      case Kind::kGraphs:
        return std::move(graphs);
      case Kind::kTypeProto:
        return FirstOf(types);
      case Kind::kTypeProtos:
        return std::move(types);
      case Kind::kUndefined:
        break;
    }
    return std::monostate();
  }

  std::vector<float> Floats() const {
    std::vector<float> floats;
    floats.reserve(numbers.values.size());
    for (const std::uint64_t bits : numbers.values) floats.push_back(AsFloat(bits));
    return floats;
  }
};

Result<Attribute> GraphReader::ReadAttribute(WireReader message, const NodePlace& place) {
  const std::uint64_t begin = message.position();
  TRY(walker_.Count(begin));
  AttributeParts parts;
  TRY(walker_.ForEachField(message, [&](const WireField& field, const WireReader& in) {
    return ReadAttributeField(field, in, place, parts);
  }));
  for (const GraphId body : parts.graphs)
    walker_.model().graphs[body.index()].owner_attribute = parts.name;
  if (parts.cut || parts.integers.cut || parts.numbers.cut)
    walker_.Note("onnx.long-attribute", Severity::kNotice, begin,
                 "attribute '" + std::string(walker_.model().text(parts.name)) +
                     "' is longer than 1 Mi and was not kept");
  return Attribute{parts.name, parts.Value()};
}

Result<void> GraphReader::ReadBody(WireReader message, const NodePlace& place,
                                   AttributeParts& parts) {
  if (place.depth + 1 >= kMaxGraphDepth)
    return Error{"onnx.depth",
                 "bodies nest deeper than " + std::to_string(kMaxGraphDepth) +
                     " levels; no exporter writes such a file, it is damaged or hostile",
                 AtByte(message.position())};
  TRY(walker_.Count(message.position()));
  const GraphId body = NewGraph(place.graph, place.node);
  parts.graphs.push_back(body);
  return ReadGraph(message, body, place.depth + 1);
}

Result<void> GraphReader::ReadAttributeField(const WireField& field, const WireReader& message,
                                             const NodePlace& place, AttributeParts& parts) {
  const auto seen = [&](Kind kind) { parts.seen = kind; };
  const auto text = [&]() -> Result<std::string> {
    parts.text_bytes += static_cast<std::size_t>(field.length);
    parts.cut = parts.cut || parts.text_bytes > kMaxAttributeText;
    if (parts.cut) return std::string();
    TRY_ASSIGN(const std::string_view view, walker_.Text(message, field));
    return std::string(view);
  };
  // A list is hashed element by element, whichever way it is written.
  const auto hash_new = [&](const NumberList<std::uint64_t>& list, std::size_t from) {
    for (std::size_t i = from; i < list.values.size(); ++i) walker_.Hash(field, list.values[i]);
  };
  switch (Key(field)) {
    case attribute_proto::kName: {
      TRY_ASSIGN(parts.name, walker_.Name(message, field));
      return {};
    }
    case attribute_proto::kRefAttrName: {
      TRY_ASSIGN(parts.reference, walker_.Name(message, field));
      return {};
    }
    case attribute_proto::kType:
      walker_.Hash(field, field.value);
      parts.declared_kind = field.value;
      return {};
    case attribute_proto::kF:
      seen(Kind::kFloat);
      walker_.Hash(field, field.value);
      parts.number = AsFloat(field.value);
      return {};
    case attribute_proto::kI:
      seen(Kind::kInt);
      walker_.Hash(field, field.value);
      parts.integer = static_cast<std::int64_t>(field.value);
      return {};
    case attribute_proto::kS: {
      seen(Kind::kString);
      TRY_ASSIGN(parts.text, text());
      return {};
    }
    case attribute_proto::kStrings: {
      seen(Kind::kStrings);
      TRY(walker_.Count(field.offset));
      TRY_ASSIGN(std::string element, text());
      parts.texts.push_back(std::move(element));
      return {};
    }
    case attribute_proto::kFloats:
    case attribute_proto::kFloatsPacked: {
      seen(Kind::kFloats);
      const std::size_t before = parts.numbers.values.size();
      TRY(walker_.Fixed(message, field, 4, parts.numbers));
      hash_new(parts.numbers, before);
      return {};
    }
    case attribute_proto::kInts:
    case attribute_proto::kIntsPacked: {
      seen(Kind::kInts);
      const std::size_t before = parts.integers.values.size();
      TRY(walker_.Varints(message, field, parts.integers));
      hash_new(parts.integers, before);
      return {};
    }
    case attribute_proto::kT:
    case attribute_proto::kTensors: {
      seen(Key(field) == attribute_proto::kT ? Kind::kTensor : Kind::kTensors);
      TRY_ASSIGN(const NamedPayload tensor, tensors_.Read(message.Message(field)));
      parts.payloads.push_back(tensor.payload);
      return {};
    }
    case attribute_proto::kSparseTensor:
    case attribute_proto::kSparseTensors: {
      seen(Key(field) == attribute_proto::kSparseTensor ? Kind::kSparseTensor
                                                        : Kind::kSparseTensors);
      TRY_ASSIGN(const NamedPayload tensor, tensors_.ReadSparse(message.Message(field)));
      parts.payloads.push_back(tensor.payload);
      return {};
    }
    case attribute_proto::kG:
    case attribute_proto::kGraphs:
      seen(Key(field) == attribute_proto::kG ? Kind::kGraph : Kind::kGraphs);
      return ReadBody(message.Message(field), place, parts);
    case attribute_proto::kTp:
    case attribute_proto::kTypeProtos: {
      seen(Key(field) == attribute_proto::kTp ? Kind::kTypeProto : Kind::kTypeProtos);
      TRY(walker_.Count(field.offset));
      TRY_ASSIGN(TypeInfo type, ReadType(walker_, message.Message(field)));
      parts.types.push_back(std::move(type));
      return {};
    }
    default:
      return {};
  }
}

}  // namespace opscope::onnx
