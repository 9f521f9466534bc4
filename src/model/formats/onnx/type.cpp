#include "model/formats/onnx/type.h"

#include <array>
#include <utility>

#include "model/formats/onnx/fields.h"

namespace opscope::onnx {

namespace {

// By TensorProto.DataType; 27 and 28 (6-bit floats) are not in use yet.
constexpr std::array kElementTypes = {
    DType::kUnknown,        DType::kFloat32,      DType::kUInt8,          DType::kInt8,
    DType::kUInt16,         DType::kInt16,        DType::kInt32,          DType::kInt64,
    DType::kString,         DType::kBool,         DType::kFloat16,        DType::kFloat64,
    DType::kUInt32,         DType::kUInt64,       DType::kComplex64,      DType::kComplex128,
    DType::kBFloat16,       DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2,
    DType::kFloat8E5M2FNUZ, DType::kUInt4,        DType::kInt4,           DType::kFloat4E2M1,
    DType::kFloat8E8M0,     DType::kUInt2,        DType::kInt2,
};

// {dim_value: 3}, {dim_param: "N"} or {}. A negative size and the names "" and "?" say "unknown".
Result<Dim> ReadDim(Walker& walker, WireReader message) {
  Dim dim;
  TRY(walker.ForEachField(message,
                          [&](const WireField& field, const WireReader& in) -> Result<void> {
                            if (Key(field) == shape_proto::kDimValue) {
                              walker.Hash(field, field.value);
                              const auto size = static_cast<std::int64_t>(field.value);
                              dim = size >= 0 ? Dim(size) : Dim();
                            } else if (Key(field) == shape_proto::kDimParam) {
                              TRY_ASSIGN(const std::string_view name, walker.Text(in, field));
                              const bool anonymous = name.empty() || name == "?";
                              dim = anonymous ? Dim() : walker.model().dims.Symbol(name);
                            }
                            return {};
                          }));
  return dim;
}

Result<void> ReadShape(Walker& walker, WireReader message, Shape& shape) {
  if (!shape.dims) shape.dims.emplace();
  return walker.ForEachField(
      message, [&](const WireField& field, const WireReader& in) -> Result<void> {
        if (Key(field) != shape_proto::kDim) return {};
        if (shape.rank() >= kMaxRank)
          return Error{"onnx.damaged", "a shape of more than 1024 dims; the file is damaged",
                       AtByte(field.offset)};
        walker.Hash(field, 0);
        TRY_ASSIGN(const Dim dim, ReadDim(walker, in.Message(field)));
        shape.dims->push_back(dim);
        return {};
      });
}

// TypeProto.Tensor and TypeProto.SparseTensor have the same fields.
Result<void> ReadTensorType(Walker& walker, WireReader message, TypeInfo& type) {
  return walker.ForEachField(message,
                             [&](const WireField& field, const WireReader& in) -> Result<void> {
                               if (Key(field) == type_proto::kShape)
                                 return ReadShape(walker, in.Message(field), type.shape);
                               if (Key(field) != type_proto::kElemType) return {};
                               walker.Hash(field, field.value);
                               type.dtype = ElementType(walker, field.value, in.position());
                               return {};
                             });
}

Result<void> ReadTypeAt(Walker& walker, WireReader message, std::size_t depth, TypeInfo& type);

// The type inside a sequence, an optional or a map: the field `inner` of the message.
Result<void> ReadWrapped(Walker& walker, WireReader message, std::uint32_t inner, std::size_t depth,
                         TypeInfo& type) {
  if (depth == 0)
    return Error{"onnx.depth", "types nest deeper than 16 levels; the file is damaged",
                 AtByte(message.position())};
  return walker.ForEachField(message,
                             [&](const WireField& field, const WireReader& in) -> Result<void> {
                               if (Key(field) != inner) return {};
                               return ReadTypeAt(walker, in.Message(field), depth - 1, type);
                             });
}

Result<void> ReadTypeAt(Walker& walker, WireReader message, std::size_t depth, TypeInfo& type) {
  return walker.ForEachField(
      message, [&](const WireField& field, const WireReader& in) -> Result<void> {
        if (field.type != WireType::kBytes) return {};
        walker.Hash(field, 0);
        const auto wrapped = [&](ValueKind kind, std::uint32_t inner) {
          auto result = ReadWrapped(walker, in.Message(field), inner, depth, type);
          type.kind = kind;
          return result;
        };
        switch (Key(field)) {
          case type_proto::kTensorType:
            return ReadTensorType(walker, in.Message(field), type);
          case type_proto::kSparseTensorType:
            type.kind = ValueKind::kSparseTensor;
            return ReadTensorType(walker, in.Message(field), type);
          case type_proto::kSequenceType:
            return wrapped(ValueKind::kSequence, type_proto::kInner);
          case type_proto::kOptionalType:
            return wrapped(ValueKind::kOptional, type_proto::kInner);
          case type_proto::kMapType:
            return wrapped(ValueKind::kMap, type_proto::kMapValue);
          default:
            return {};
        }
      });
}

}  // namespace

DType ElementType(Walker& walker, std::uint64_t code, std::uint64_t offset) {
  if (code < kElementTypes.size()) return kElementTypes[static_cast<std::size_t>(code)];
  walker.Note("onnx.unknown-dtype", Severity::kLoss, offset,
              "element type " + std::to_string(code) + " is not known; its bytes are not counted");
  return DType::kUnknown;
}

Result<TypeInfo> ReadType(Walker& walker, WireReader message) {
  TypeInfo type;
  TRY(ReadTypeAt(walker, message, kMaxTypeDepth, type));
  return type;
}

}  // namespace opscope::onnx
