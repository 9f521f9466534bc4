// The weights of a file without a graph: named constants of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/decoder/config.h"
#include "model/model.h"

namespace opscope::decoder {

class Weights {
 public:
  explicit Weights(Model& model) : model_(&model) {}

  // False when there is a weight of that name already; nothing is added then.
  bool Add(std::string_view name, Payload payload);
  // Invalid when there is none.
  TensorId Find(std::string_view name) const;
  std::span<const TensorId> all() const { return all_; }  // in the order of the file
  std::string_view name(TensorId tensor) const;
  const Payload& payload(TensorId tensor) const;
  std::size_t size() const { return all_.size(); }

 private:
  Model* model_;
  std::vector<TensorId> all_;
  std::unordered_map<std::string_view, TensorId> by_name_;  // views of the model's strings
};

// A packed tensor as what it holds: `x.qweight` int32 [in/8, out] is `x.weight` uint4 [out, in] in
// the same bytes, `x.qzeros` one zero point a group and output. Everything else stays.
void Unpack(const Packing& packing, std::string& name, Payload& payload);

// The product of dims; nullopt where one is negative or the product passes 63 bits.
std::optional<std::int64_t> ElementsOf(std::span<const std::int64_t> dims);

// Of names, types and shapes, in their order: 32 hex digits.
std::string HashOf(const Weights& weights);

}  // namespace opscope::decoder
