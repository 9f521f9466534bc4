#include "model/formats/tflite/tensor.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "model/formats/tflite/fields.h"
#include "model/formats/tflite/options.h"

namespace opscope::tflite {

namespace {

constexpr std::size_t kMaxRank = 1024;
// Elements that shapes, axes and paddings may hang on; anything else only when it is this small.
constexpr std::int64_t kFewElements = 64;

std::int64_t ElementsOf(const std::vector<std::int64_t>& dims) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims)
    elements = CheckedMul(elements, dim).value_or(std::int64_t{1} << 62);
  return elements;
}

}  // namespace

Buffers::Buffers(Flat& flat, const Table& root, Model& model, const ModelReadContext& context)
    : flat_(flat),
      model_(model),
      context_(context),
      buffers_(flat.List(root, model_table::kBuffers, 4)),
      groups_(flat.List(root, model_table::kExternalGroups, 4)) {
  const Vector external = flat.List(root, model_table::kExternalBuffers, 4);
  for (std::uint32_t i = 0; i < external.size && flat.ok(); ++i) {
    const Table table = flat.TableAt(external, i);
    external_.emplace(flat.UInt32(table, external_buffer::kId), table);
  }
}

// The bytes are a vector of the table, or lie behind the flatbuffer: offsets 0 and 1 mean none.
Buffers::Place Buffers::PlaceOf(std::int64_t buffer) {
  if (buffer <= 0 || buffer >= std::int64_t{buffers_.size}) return {};
  const Table table = flat_.TableAt(buffers_, static_cast<std::uint32_t>(buffer));
  const Vector data = flat_.List(table, buffer_table::kData, 1);
  if (data.size > 0) return {data.at, data.size};
  if (!flat_.Has(table, buffer_table::kOffset)) return {};
  const auto offset = static_cast<std::uint64_t>(flat_.Int64(table, buffer_table::kOffset));
  const auto length = static_cast<std::uint64_t>(flat_.Int64(table, buffer_table::kSize));
  if (offset <= 1 || length == 0) return {};
  if (offset > flat_.size() || length > flat_.size() - offset) {
    flat_.Fail("tflite.truncated",
               "a buffer of " + std::to_string(length) +
                   " bytes behind the graph passes the end of the file; get it again",
               offset);
    return {};
  }
  return {offset, length};
}

Buffers::Text Buffers::Small(std::int64_t buffer, std::uint64_t limit) {
  const Place place = PlaceOf(buffer);
  Text text{place.length, {}};
  if (place.length > 0 && place.length <= limit)
    text.bytes = flat_.Payload(place.offset, static_cast<std::size_t>(place.length)).value_or("");
  return text;
}

std::uint32_t Buffers::FileNamed(const std::string& path) {
  const auto [entry, is_new] =
      files_.emplace(path, static_cast<std::uint32_t>(model_.external_files.size()));
  if (!is_new) return entry->second;
  ExternalFile& file = model_.external_files.emplace_back();
  file.path = path;
  if (!context_.sibling) return entry->second;
  const auto source = context_.sibling(path);
  if (source.has_value()) {
    file.bytes = source->size();
  } else {
    file.refused = source.error().code == "input.outside";
    context_.log.Add("tflite.external-missing", Severity::kLoss, path, source.error().message);
  }
  return entry->second;
}

bool Buffers::PlaceExternal(std::int64_t id, Payload& payload) {
  const auto found = external_.find(id);
  if (found == external_.end()) return false;
  const std::int64_t group = flat_.UInt32(found->second, external_buffer::kGroup);
  if (group >= std::int64_t{groups_.size}) return false;
  payload.place = Payload::Place::kExternal;
  payload.external_file = FileNamed(flat_.Text(
      flat_.TableAt(groups_, static_cast<std::uint32_t>(group)), external_buffer::kGroupName));
  payload.offset = static_cast<std::uint64_t>(flat_.Int64(found->second, external_buffer::kOffset));
  payload.length = static_cast<std::uint64_t>(flat_.Int64(found->second, external_buffer::kLength));
  return true;
}

void Buffers::ReadSmall(Payload& payload) {
  const std::int64_t elements = ElementsOf(payload.dims);
  const bool follows = payload.dtype == DType::kInt32 || payload.dtype == DType::kInt64;
  const auto bytes = PackedBytes(payload.dtype, elements);
  if (payload.sparse || !bytes || (!follows && elements > kFewElements) ||
      *bytes > static_cast<std::int64_t>(kSmallPayloadBytes) ||
      static_cast<std::uint64_t>(*bytes) > payload.length)
    return;
  payload.small = flat_.Payload(payload.offset, static_cast<std::size_t>(*bytes));
}

std::optional<Payload> Buffers::Find(const Table& tensor, DType dtype,
                                     std::vector<std::int64_t> dims) {
  Payload payload;
  payload.dtype = dtype;
  payload.dims = std::move(dims);
  payload.sparse = flat_.Has(tensor, tensor_table::kSparsity);
  const std::int64_t external = flat_.UInt32(tensor, tensor_table::kExternalBuffer);
  if (external != 0 && PlaceExternal(external, payload)) return payload;
  const Place place = PlaceOf(flat_.UInt32(tensor, tensor_table::kBuffer));
  if (!flat_.ok() || place.length == 0) return std::nullopt;
  payload.place = Payload::Place::kInline;
  payload.offset = place.offset;
  payload.length = place.length;
  const auto needed = PackedBytes(dtype, ElementsOf(payload.dims));
  if (!payload.sparse && needed && static_cast<std::uint64_t>(*needed) > place.length) {
    context_.log.Add("tflite.buffer-short", Severity::kLoss, AtByte(place.offset),
                     "a constant of " + std::to_string(*needed) + " bytes has a buffer of " +
                         std::to_string(place.length));
  }
  ReadSmall(payload);
  return payload;
}

// `stored` are numbers; the signature has -1 where a size is free. Without a rank (old files spell
// a scalar the same way) nothing is said.
Shape TensorReader::DeclaredShape(const Table& table, const std::vector<std::int64_t>& stored) {
  const std::vector<std::int64_t> signature =
      flat_.Int32s(flat_.List(table, tensor_table::kShapeSignature, 4));
  const bool fits = signature.size() == stored.size();
  if (stored.empty() && flat_.UInt8(table, tensor_table::kHasRank) == 0) return {};
  Shape shape{std::vector<Dim>()};
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const bool free = stored[i] < 0 || (fits && signature[i] < 0);
    shape.dims->push_back(free ? Dim() : Dim(stored[i]));
  }
  return shape;
}

QuantisationId TensorReader::ReadQuantisation(const Table& table) {
  const Table own = flat_.Child(table, tensor_table::kQuantisation);
  if (!own.present()) return {};
  const std::vector<float> scales = flat_.Floats(flat_.List(own, quantisation_table::kScale, 4));
  const std::vector<std::int64_t> zero_points =
      flat_.Int64s(flat_.List(own, quantisation_table::kZeroPoint, 8));
  Quantisation out;
  const bool blockwise =
      flat_.UInt8(own, quantisation_table::kDetailsType) == quantisation_table::kBlockwise;
  if (blockwise)
    out.block =
        flat_.Int32(flat_.Child(own, quantisation_table::kDetails), quantisation_table::kBlockSize);
  if (scales.empty() && out.block <= 0) return {};
  out.scales = std::max<std::size_t>(scales.size(), 1);
  if (!scales.empty()) out.scale = scales[0];
  if (!zero_points.empty()) out.zero_point = zero_points[0];
  if (scales.size() > 1 || out.block > 0)
    out.axis = flat_.Int32(own, quantisation_table::kDimension);
  const QuantisationId id{static_cast<std::uint32_t>(model_.quantisations.size())};
  model_.quantisations.push_back(out);
  return id;
}

TensorId TensorReader::Read(const Table& table, GraphId graph) {
  Tensor tensor;
  tensor.graph = graph;
  tensor.name = model_.strings.Intern(flat_.Text(table, tensor_table::kName));
  std::vector<std::int64_t> dims = flat_.Int32s(flat_.List(table, tensor_table::kShape, 4));
  if (dims.size() > kMaxRank)
    flat_.Fail("tflite.tensor-dims", "a tensor of " + std::to_string(dims.size()) + " dims",
               table.at);
  if (!flat_.ok()) return {};
  tensor.declared.dtype = DTypeOf(flat_.Int8(table, tensor_table::kType));
  tensor.declared.shape = DeclaredShape(table, dims);
  tensor.variable = flat_.UInt8(table, tensor_table::kIsVariable) != 0;
  tensor.quantisation = ReadQuantisation(table);
  const TensorId id{static_cast<std::uint32_t>(model_.tensors.size())};
  const bool possible = std::all_of(dims.begin(), dims.end(), [](auto dim) { return dim >= 0; });
  std::optional<Payload> payload;
  if (possible && !tensor.variable)
    payload = buffers_.Find(table, tensor.declared.dtype, std::move(dims));
  if (payload) {
    if (payload->place == Payload::Place::kInline) {
      const auto [known, is_new] = shared_.emplace(
          SharedKey(graph.value, payload->offset, payload->dtype, payload->dims), id);
      if (!is_new) return known->second;
    }
    tensor.declared.shape = Shape{std::vector<Dim>(payload->dims.begin(), payload->dims.end())};
    tensor.payload = {static_cast<std::uint32_t>(model_.payloads.size())};
    model_.payloads.push_back(std::move(*payload));
    model_.graphs[graph.index()].initializers.push_back(id);
  }
  model_.tensors.push_back(std::move(tensor));
  return id;
}

}  // namespace opscope::tflite
