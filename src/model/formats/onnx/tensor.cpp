#include "model/formats/onnx/tensor.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "model/formats/onnx/fields.h"
#include "model/formats/onnx/type.h"

namespace opscope::onnx {

namespace {

// The bytes of all elements, packed; nullopt for strings and unknown types.
std::optional<std::uint64_t> PackedBytes(const Payload& payload) {
  const auto bits = Bits(payload.dtype);
  if (!bits) return std::nullopt;
  Int128 total = *bits;
  for (const std::int64_t dim : payload.dims) total *= dim;  // CheckDims: below 2^63 * 128
  return static_cast<std::uint64_t>((total + 7) / 8);
}

// No dim is negative and the number of elements fits 63 bits.
Result<void> CheckDims(const std::vector<std::int64_t>& dims, std::uint64_t offset) {
  std::optional<std::int64_t> elements = 1;
  bool negative = false;
  for (const std::int64_t dim : dims) {
    negative = negative || dim < 0;
    if (elements && dim != 0) elements = CheckedMul(*elements, dim);
  }
  if (!negative && elements && dims.size() <= kMaxRank) return {};
  std::string text;
  for (std::size_t i = 0; i < dims.size() && i < 8; ++i)
    text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return Error{"onnx.tensor-dims",
               "a constant of shape [" + text +
                   "] cannot exist; the file is damaged, export the model again",
               AtByte(offset)};
}

// How typed fields hold an element: the field's bits are the element's, cut to its size.
std::string PackTyped(const std::vector<std::uint64_t>& values, std::size_t bytes) {
  std::string packed;
  packed.reserve(values.size() * bytes);
  for (const std::uint64_t value : values)
    for (std::size_t i = 0; i < bytes; ++i) packed += static_cast<char>(value >> (8 * i) & 0xff);
  return packed;
}

}  // namespace

std::uint32_t ExternalFiles::Find(const std::string& path, std::uint64_t offset) {
  const auto [known, added] = index_.emplace(path, static_cast<std::uint32_t>(sources_.size()));
  if (!added) return known->second;
  ExternalFile& file = walker_.model().external_files.emplace_back();
  file.path = path;
  sources_.emplace_back();
  const auto& open = walker_.context().sibling;
  auto source =
      open ? open(path)
           : Result<Source>(Error{"input.missing", "files beside this model cannot be opened", ""});
  if (source.has_value()) {
    file.bytes = source->size();
    sources_.back() = std::move(*source);
  } else {
    file.refused = source.error().code == "input.outside";
    walker_.Note(file.refused ? "onnx.external-outside" : "onnx.external-missing", Severity::kLoss,
                 offset, "external data '" + path + "': " + source.error().message);
  }
  return known->second;
}

std::optional<std::string> ExternalFiles::Read(std::uint32_t file, std::uint64_t offset,
                                               std::size_t length) {
  if (!sources_[file]) return std::nullopt;
  const auto window = sources_[file]->Window(offset, length);
  if (!window.has_value() || window->size() != length) return std::nullopt;
  return std::string(*window);
}

struct TensorReader::Parts {
  Payload payload;
  Str name{0};
  NumberList<std::uint64_t> dims{kMaxRank + 1};
  std::optional<WireField> raw;
  NumberList<std::uint64_t> typed{kSmallPayloadBytes};
  bool external = false;
  std::string location;
  std::optional<std::uint64_t> external_offset;
  std::optional<std::uint64_t> external_length;
  std::uint64_t begin = 0;
};

Result<void> TensorReader::ReadField(const WireField& field, const WireReader& message,
                                     Parts& parts) {
  switch (Key(field)) {
    case tensor_proto::kDims:
    case tensor_proto::kDimsPacked:
      return walker_.Varints(message, field, parts.dims);
    case tensor_proto::kDataType:
      walker_.Hash(field, field.value);
      parts.payload.dtype = ElementType(walker_, field.value, message.position());
      return {};
    case tensor_proto::kName: {
      TRY_ASSIGN(parts.name, walker_.Name(message, field));
      return {};
    }
    case tensor_proto::kRawData:
      parts.raw = field;
      return {};
    case tensor_proto::kFloatData:
    case tensor_proto::kFloatDataPacked:
      return walker_.Fixed(message, field, 4, parts.typed);
    case tensor_proto::kDoubleData:
    case tensor_proto::kDoubleDataPacked:
      return walker_.Fixed(message, field, 8, parts.typed);
    case tensor_proto::kInt32Data:
    case tensor_proto::kInt32DataPacked:
    case tensor_proto::kInt64Data:
    case tensor_proto::kInt64DataPacked:
    case tensor_proto::kUint64Data:
    case tensor_proto::kUint64DataPacked:
      return walker_.Varints(message, field, parts.typed);
    case tensor_proto::kDataLocation:
      walker_.Hash(field, field.value);
      parts.external = field.value == 1;
      return {};
    case tensor_proto::kExternalData:
      return ReadExternalEntry(message.Message(field), parts);
    default:
      return {};  // string_data: strings have no size of their own
  }
}

// {key: "offset", value: "4096"}; keys location, offset, length, checksum.
Result<void> TensorReader::ReadExternalEntry(const WireReader& message, Parts& parts) {
  const std::uint64_t begin = message.position();
  TRY_ASSIGN(auto entry, walker_.Entry(message, 4096));
  if (!entry) return {};
  auto& [key, value] = *entry;
  if (key == "location") {
    parts.location = std::move(value);
    return {};
  }
  if (key != "offset" && key != "length") return {};
  const auto number = ParseInt64(value);
  if (!number || *number < 0) {
    walker_.Note("onnx.external-entry", Severity::kLoss, begin,
                 "external data with " + key + " '" + value + "': not a size");
    return {};
  }
  (key == "offset" ? parts.external_offset : parts.external_length) =
      static_cast<std::uint64_t>(*number);
  return {};
}

// Sets where the bytes lie, and reads them when they are few.
Result<void> TensorReader::Place(const WireReader& message, Parts& parts) {
  Payload& payload = parts.payload;
  if (parts.external) {
    PlaceExternal(parts);
    return {};
  }
  if (!parts.raw) {
    PlaceTyped(parts);
    return {};
  }
  payload.place = Payload::Place::kInline;
  payload.offset = parts.raw->offset;
  payload.length = parts.raw->length;
  if (const auto expected = PackedBytes(payload); expected && *expected != payload.length)
    walker_.Note("onnx.payload-size", Severity::kLoss, payload.offset,
                 "a constant holds " + std::to_string(payload.length) + " bytes, its shape needs " +
                     std::to_string(*expected));
  if (payload.length > kSmallPayloadBytes) return {};
  TRY_ASSIGN(payload.small, message.Bytes(*parts.raw));
  return {};
}

void TensorReader::PlaceExternal(Parts& parts) {
  Payload& payload = parts.payload;
  payload.place = Payload::Place::kExternal;
  payload.external_file = files_.Find(parts.location, parts.begin);
  payload.offset = parts.external_offset.value_or(0);
  const auto expected = PackedBytes(payload);
  payload.length = parts.external_length.value_or(expected.value_or(0));
  const auto& file = walker_.model().external_files[payload.external_file];
  const auto end = CheckedAdd(payload.offset, payload.length);
  const bool beyond = !end || (file.bytes && *end > *file.bytes);
  if (beyond || (expected && *expected != payload.length))
    walker_.Note("onnx.external-size", Severity::kLoss, parts.begin,
                 "external data '" + parts.location + "': " + std::to_string(payload.length) +
                     " bytes at " + std::to_string(payload.offset) +
                     (beyond ? " lie beyond the file's end" : " are not what the shape needs"));
  const bool shapes = IsInteger(payload.dtype) || payload.dtype == DType::kBool;
  if (!beyond && shapes && payload.length <= kSmallPayloadBytes)
    payload.small = files_.Read(payload.external_file, payload.offset,
                                static_cast<std::size_t>(payload.length));
}

// Typed fields are decoded when they are few; elsewhere nothing of them is kept.
void TensorReader::PlaceTyped(Parts& parts) {
  Payload& payload = parts.payload;
  const auto bits = Bits(payload.dtype);
  const auto expected = PackedBytes(payload);
  if (!bits || parts.typed.cut || *expected > kSmallPayloadBytes) return;
  // Complex numbers are two entries each; types below a byte come two or four to an entry.
  const bool complex = payload.dtype == DType::kComplex64 || payload.dtype == DType::kComplex128;
  const auto entry_bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(*bits / 8, 1)) / (complex ? 2 : 1);
  std::string packed = PackTyped(parts.typed.values, entry_bytes);
  if (packed.size() == *expected) {
    payload.small = std::move(packed);
    return;
  }
  walker_.Note("onnx.payload-size", Severity::kLoss, parts.begin,
               "a constant holds " + std::to_string(parts.typed.values.size()) +
                   " typed entries, its shape needs " + std::to_string(*expected) + " bytes");
}

Result<NamedPayload> TensorReader::Read(WireReader message) {
  Parts parts;
  parts.begin = message.position();
  TRY(walker_.Count(parts.begin));
  TRY(walker_.ForEachField(message, [&](const WireField& field, const WireReader& in) {
    return ReadField(field, in, parts);
  }));
  parts.payload.dims.assign(parts.dims.values.begin(), parts.dims.values.end());
  TRY(CheckDims(parts.payload.dims, parts.begin));
  for (const std::int64_t dim : parts.payload.dims)
    walker_.Hash(WireField{.number = 1}, static_cast<std::uint64_t>(dim));
  TRY(Place(message, parts));
  Model& model = walker_.model();
  model.payloads.push_back(std::move(parts.payload));
  return NamedPayload{parts.name, {static_cast<std::uint32_t>(model.payloads.size() - 1)}};
}

// SparseTensorProto: `values` carries the name and the type, `dims` the dense shape.
Result<NamedPayload> TensorReader::ReadSparse(WireReader message) {
  const std::uint64_t begin = message.position();
  NamedPayload sparse;
  NumberList<std::uint64_t> dims{kMaxRank + 1};
  TRY(walker_.ForEachField(message,
                           [&](const WireField& field, const WireReader& in) -> Result<void> {
                             switch (Key(field)) {
                               case sparse_tensor_proto::kValues: {
                                 TRY_ASSIGN(sparse, Read(in.Message(field)));
                                 return {};
                               }
                               case sparse_tensor_proto::kDims:
                               case sparse_tensor_proto::kDimsPacked:
                                 return walker_.Varints(in, field, dims);
                               default:
                                 return {};
                             }
                           }));
  Model& model = walker_.model();
  if (!sparse.payload.valid()) {
    sparse.payload = {static_cast<std::uint32_t>(model.payloads.size())};
    model.payloads.emplace_back();
  }
  Payload& payload = model.payloads[sparse.payload.index()];
  payload.sparse = true;
  payload.dims.assign(dims.values.begin(), dims.values.end());
  TRY(CheckDims(payload.dims, begin));
  for (const std::int64_t dim : payload.dims)
    walker_.Hash(WireField{.number = 3}, static_cast<std::uint64_t>(dim));
  return sparse;
}

}  // namespace opscope::onnx
