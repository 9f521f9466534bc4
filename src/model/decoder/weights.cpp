#include "model/decoder/weights.h"

#include <utility>

#include "base/checked.h"
#include "base/hash.h"
#include "model/graph_builder.h"

namespace opscope::decoder {

bool Weights::Add(std::string_view name, Payload payload) {
  const std::string_view stored = model_->text(model_->strings.Intern(name));
  if (by_name_.contains(stored)) return false;
  const TensorId tensor = GraphBuilder(*model_).Constant(stored, std::move(payload));
  by_name_.emplace(stored, tensor);
  all_.push_back(tensor);
  return true;
}

TensorId Weights::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? TensorId{} : found->second;
}

std::string_view Weights::name(TensorId tensor) const {
  return model_->text(model_->tensor(tensor).name);
}

const Payload& Weights::payload(TensorId tensor) const {
  return model_->payload(model_->tensor(tensor).payload);
}

void Unpack(const Packing& packing, std::string& name, Payload& payload) {
  constexpr std::string_view kWeight = ".qweight", kZeros = ".qzeros";
  constexpr std::int64_t kWord = 32;
  const bool weight = name.ends_with(kWeight);
  const bool is_word = payload.dtype == DType::kInt32 || payload.dtype == DType::kUInt32;
  if (packing.bits == 0 || !is_word || payload.dims.size() != 2 ||
      (!weight && !name.ends_with(kZeros)))
    return;
  const std::size_t packed = weight && packing.along_rows ? 0 : 1;
  const auto whole = CheckedMul(payload.dims[packed], kWord / packing.bits);
  if (!whole) return;
  payload.dims[packed] = *whole;
  payload.dtype = packing.bits == 2   ? DType::kUInt2
                  : packing.bits == 4 ? DType::kUInt4
                                      : DType::kUInt8;
  if (!weight) return;
  std::swap(payload.dims[0], payload.dims[1]);
  name.replace(name.size() - kWeight.size(), kWeight.size(), ".weight");
}

std::optional<std::int64_t> ElementsOf(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    const auto next = CheckedMul(product, dim);
    if (dim < 0 || !next) return std::nullopt;
    product = *next;
  }
  return product;
}

std::string HashOf(const Weights& weights) {
  Hasher hasher;
  for (const TensorId tensor : weights.all()) {
    const Payload& payload = weights.payload(tensor);
    std::string text(weights.name(tensor));
    text += '\0';
    text += Name(payload.dtype);
    for (const std::int64_t dim : payload.dims) text += "," + std::to_string(dim);
    hasher.Add(text + "\n");
  }
  return hasher.Hex();
}

}  // namespace opscope::decoder
