#include "model/formats/coreml/mil_value.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/result.h"

namespace opscope::coreml {

namespace {

DType DTypeOf(std::uint64_t number) {
  switch (number) {
    case 1:
      return DType::kBool;
    case 2:
      return DType::kString;
    case 10:
      return DType::kFloat16;
    case 11:
      return DType::kFloat32;
    case 12:
      return DType::kFloat64;
    case 13:
      return DType::kBFloat16;
    case 21:
      return DType::kInt8;
    case 22:
      return DType::kInt16;
    case 23:
      return DType::kInt32;
    case 24:
      return DType::kInt64;
    case 25:
      return DType::kInt4;
    case 31:
      return DType::kUInt8;
    case 32:
      return DType::kUInt16;
    case 33:
      return DType::kUInt32;
    case 34:
      return DType::kUInt64;
    case 35:
    case 39:
      return DType::kUInt4;  // three bits are counted as four
    case 36:
    case 37:
      return DType::kUInt2;  // one as two
    case 38:
      return DType::kUInt8;  // six as eight
    case 40:
      return DType::kFloat8E4M3FN;
    case 41:
      return DType::kFloat8E5M2;
    default:
      return DType::kUnknown;
  }
}

// Dimension { constant { size } | unknown {} }
Result<Dim> ReadDim(const WireReader& reader, const WireField& field, int depth) {
  Dim dim;
  TRY(ForEach(
      reader.Message(field), depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
        if (f.number != 1 || f.type != WireType::kBytes) return {};
        dim = 0;
        return ForEach(
            r.Message(f), depth + 1, [&](const WireField& size, const WireReader&) -> Result<void> {
              if (size.number == 1 && size.type == WireType::kVarint)
                dim = size.value >> 62 == 0 ? Dim(static_cast<std::int64_t>(size.value)) : Dim();
              return {};
            });
      }));
  return dim;
}

Result<TypeInfo> ReadTensorType(WireReader type, int depth) {
  TypeInfo out;
  std::vector<Dim> dims;
  std::int64_t rank = 0;
  TRY(ForEach(type, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.number == 1 && f.type == WireType::kVarint) out.dtype = DTypeOf(f.value);
    if (f.number == 2 && f.type == WireType::kVarint) rank = static_cast<std::int64_t>(f.value);
    if (f.number != 3 || f.type != WireType::kBytes) return {};
    if (dims.size() >= kMaxRank)
      return Error{"coreml.damaged", "a type has more than 64 dims", AtByte(f.offset)};
    TRY_ASSIGN(const Dim dim, ReadDim(r, f, depth + 1));
    dims.push_back(dim);
    return {};
  }));
  if (rank >= 0) out.shape = Shape{std::move(dims)};
  return out;
}

// ValueType: a tensor, a list, a state of one of them …
Result<TypeInfo> ReadType(WireReader type, int depth) {
  TypeInfo out;
  TRY(ForEach(type, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.type != WireType::kBytes) return {};
    if (f.number == 1) {
      TRY_ASSIGN(out, ReadTensorType(r.Message(f), depth + 1));
    } else if (f.number == 5) {
      return ForEach(r.Message(f), depth + 1,
                     [&](const WireField& w, const WireReader& v) -> Result<void> {
                       if (w.type != WireType::kBytes) return {};
                       TRY_ASSIGN(out, ReadType(v.Message(w), depth + 2));
                       return {};
                     });
    } else {
      out.kind = ValueKind::kSequence;
    }
    return {};
  }));
  return out;
}

// floats, doubles and bytes stand as they are in memory; integers and bools as varints.
Result<void> ReadElements(WireReader values, int depth, Constant& out) {
  return ForEach(values, depth, [&](const WireField& kind, const WireReader& r) -> Result<void> {
    if (kind.type != WireType::kBytes) return {};
    return ForEach(
        r.Message(kind), depth + 1, [&](const WireField& f, const WireReader& v) -> Result<void> {
          if (f.number != 1) return {};
          if (kind.number == 4) {
            if (out.texts.size() >= 64) return {};
            TRY_ASSIGN(std::string text, TextOf(v, f));
            out.texts.push_back(std::move(text));
            return {};
          }
          out.payload.place = Payload::Place::kInline;
          out.payload.offset = f.offset;
          out.payload.length = f.length;
          if (kind.number == 1 || kind.number == 6 || kind.number == 7) {
            if (f.type != WireType::kBytes || f.length > kSmallPayloadBytes) return {};
            TRY_ASSIGN(const std::string_view bytes, v.Bytes(f, kSmallPayloadBytes));
            out.payload.small = std::string(bytes);
            return {};
          }
          if (f.length > kSmallPayloadBytes) return {};
          std::vector<std::int64_t> numbers;
          TRY(AddNumbers(v, f, numbers));
          const auto width = static_cast<std::size_t>(Bits(out.payload.dtype).value_or(32) / 8);
          std::string bytes = out.payload.small.value_or("");
          for (const std::int64_t number : numbers)
            for (std::size_t i = 0; i < std::max<std::size_t>(width, 1); ++i)
              bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
          if (bytes.size() <= kSmallPayloadBytes) out.payload.small = std::move(bytes);
          return {};
        });
  });
}

// @model_path/weights/weight.bin, and where the record of 64 bytes lies that the data follow.
Result<void> ReadBlob(Building& building, WireReader message, int depth, Constant& out) {
  constexpr std::string_view kModelPath = "@model_path/";
  constexpr std::uint64_t kRecord = 64;
  std::string file;
  TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.number == 1) {
      TRY_ASSIGN(file, TextOf(r, f));
    } else if (f.number == 2 && f.type == WireType::kVarint) {
      out.payload.offset = f.value < std::uint64_t{1} << 62 ? f.value + kRecord : 0;
    }
    return {};
  }));
  if (file.starts_with(kModelPath)) file.erase(0, kModelPath.size());
  out.payload.place = Payload::Place::kExternal;
  out.payload.external_file = building.FileOf(file);
  const auto count = CountOf(out.type.shape);
  const auto bytes = count ? PackedBytes(out.payload.dtype, *count) : std::nullopt;
  out.payload.length = static_cast<std::uint64_t>(bytes.value_or(0));
  return {};
}

}  // namespace

std::optional<std::int64_t> CountOf(const Shape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  std::int64_t count = 1;
  for (const Dim dim : *shape.dims) {
    const auto next = dim.is_number() ? CheckedMul(count, dim.number()) : std::nullopt;
    if (!next) return std::nullopt;
    count = *next;
  }
  return count;
}

void SetType(const TypeInfo& type, Constant& out) {
  out.type = type;
  out.payload.dtype = type.dtype;
  if (type.shape.known_rank())
    for (const Dim dim : *type.shape.dims)
      out.payload.dims.push_back(dim.is_number() ? dim.number() : 0);
}

Result<NamedType> ReadNamedType(WireReader message, int depth) {
  NamedType out;
  TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.number == 1) {
      TRY_ASSIGN(out.name, TextOf(r, f));
    } else if (f.number == 2 && f.type == WireType::kBytes) {
      TRY_ASSIGN(out.type, ReadType(r.Message(f), depth + 1));
    }
    return {};
  }));
  return out;
}

Result<Constant> ReadValue(Building& building, WireReader message, int depth) {
  Constant out;
  std::optional<WireReader> immediate;
  TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.type != WireType::kBytes) return {};
    if (f.number == 2) {
      TRY_ASSIGN(const TypeInfo type, ReadType(r.Message(f), depth + 1));
      SetType(type, out);
    } else if (f.number == 3) {
      immediate = r.Message(f);
    } else if (f.number == 5) {
      return ReadBlob(building, r.Message(f), depth + 1, out);
    }
    return {};
  }));
  if (immediate) {
    TRY(ForEach(*immediate, depth + 1,
                [&](const WireField& f, const WireReader& r) -> Result<void> {
                  if (f.number != 1 || f.type != WireType::kBytes) return {};
                  return ReadElements(r.Message(f), depth + 2, out);
                }));
  }
  return out;
}

std::optional<AttributeValue> AttributeOf(const Constant& constant) {
  const bool scalar = constant.type.shape.known_rank() && constant.type.shape.rank() == 0;
  if (constant.payload.dtype == DType::kString) {
    if (constant.texts.empty()) return std::nullopt;
    return scalar ? AttributeValue(constant.texts[0]) : AttributeValue(constant.texts);
  }
  if (const auto integers = IntegersOf(constant.payload); integers && integers->size() <= 64) {
    if (scalar && integers->size() == 1) return AttributeValue(integers->front());
    return AttributeValue(*integers);
  }
  const auto reals = FloatsOf(constant.payload);
  if (!reals || reals->empty() || reals->size() > 64) return std::nullopt;
  if (scalar) return AttributeValue(static_cast<float>(reals->front()));
  return AttributeValue(std::vector<float>(reals->begin(), reals->end()));
}

DType PackedTypeOf(std::string_view op, DType stored, std::uint64_t length,
                   const TypeInfo& unpacked) {
  if (op == "constexpr_cast" || op.find("sparse") != std::string_view::npos)
    return stored == DType::kUnknown ? unpacked.dtype : stored;
  const auto count = CountOf(unpacked.shape);
  if (stored == DType::kUInt8 && count && *count > 0) {
    const std::uint64_t bits = length * 8 / static_cast<std::uint64_t>(*count);
    if (bits <= 2) return DType::kUInt2;
    if (bits <= 4) return DType::kUInt4;
  }
  return stored == DType::kUnknown ? unpacked.dtype : stored;
}

}  // namespace opscope::coreml
