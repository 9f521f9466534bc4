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

// Names and numbers; the rest is read by ReadAttributeObject.
Result<void> GraphReader::ReadAttributeField(const WireField& field, const WireReader& message,
                                             const NodePlace& place, AttributeParts& parts) {
  // A list is hashed element by element, whichever way it is written.
  const auto list = [&](Kind kind, NumberList<std::uint64_t>& numbers) -> Result<void> {
    parts.seen = kind;
    const std::size_t before = numbers.values.size();
    TRY(kind == Kind::kInts ? walker_.Varints(message, field, numbers)
                            : walker_.Fixed(message, field, 4, numbers));
    for (std::size_t i = before; i < numbers.values.size(); ++i)
      walker_.Hash(field, numbers.values[i]);
    return {};
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
      parts.seen = Kind::kFloat;
      walker_.Hash(field, field.value);
      parts.number = AsFloat(field.value);
      return {};
    case attribute_proto::kI:
      parts.seen = Kind::kInt;
      walker_.Hash(field, field.value);
      parts.integer = static_cast<std::int64_t>(field.value);
      return {};
    case attribute_proto::kFloats:
    case attribute_proto::kFloatsPacked:
      return list(Kind::kFloats, parts.numbers);
    case attribute_proto::kInts:
    case attribute_proto::kIntsPacked:
      return list(Kind::kInts, parts.integers);
    default:
      return ReadAttributeObject(field, message, place, parts);
  }
}

// Texts, tensors, bodies and types.
Result<void> GraphReader::ReadAttributeObject(const WireField& field, const WireReader& message,
                                              const NodePlace& place, AttributeParts& parts) {
  const auto tensor = [&](Kind kind, Result<NamedPayload> read) -> Result<void> {
    parts.seen = kind;
    TRY_ASSIGN(const NamedPayload payload, std::move(read));
    parts.payloads.push_back(payload.payload);
    return {};
  };
  switch (Key(field)) {
    case attribute_proto::kS: {
      parts.seen = Kind::kString;
      TRY_ASSIGN(parts.text, ReadAttributeText(field, message, parts));
      return {};
    }
    case attribute_proto::kStrings: {
      parts.seen = Kind::kStrings;
      TRY(walker_.Count(field.offset));
      TRY_ASSIGN(std::string text, ReadAttributeText(field, message, parts));
      parts.texts.push_back(std::move(text));
      return {};
    }
    case attribute_proto::kT:
      return tensor(Kind::kTensor, tensors_.Read(message.Message(field)));
    case attribute_proto::kTensors:
      return tensor(Kind::kTensors, tensors_.Read(message.Message(field)));
    case attribute_proto::kSparseTensor:
      return tensor(Kind::kSparseTensor, tensors_.ReadSparse(message.Message(field)));
    case attribute_proto::kSparseTensors:
      return tensor(Kind::kSparseTensors, tensors_.ReadSparse(message.Message(field)));
    case attribute_proto::kG:
      parts.seen = Kind::kGraph;
      return ReadBody(message.Message(field), place, parts);
    case attribute_proto::kGraphs:
      parts.seen = Kind::kGraphs;
      return ReadBody(message.Message(field), place, parts);
    case attribute_proto::kTp:
    case attribute_proto::kTypeProtos: {
      parts.seen = Key(field) == attribute_proto::kTp ? Kind::kTypeProto : Kind::kTypeProtos;
      TRY(walker_.Count(field.offset));
      TRY_ASSIGN(TypeInfo type, ReadType(walker_, message.Message(field)));
      parts.types.push_back(std::move(type));
      return {};
    }
    default:
      return {};
  }
}

// Empty, and the attribute cut, once its texts are too long to keep.
Result<std::string> GraphReader::ReadAttributeText(const WireField& field,
                                                   const WireReader& message,
                                                   AttributeParts& parts) {
  parts.cut = parts.cut || field.length > kMaxAttributeText - parts.text_bytes;
  if (parts.cut) return std::string();
  parts.text_bytes += static_cast<std::size_t>(field.length);
  TRY_ASSIGN(const std::string_view text, walker_.Text(message, field));
  return std::string(text);
}

}  // namespace opscope::onnx
