// The weights of a file without a graph: named constants of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

// The product of dims; nullopt where one is negative or the product passes 63 bits.
std::optional<std::int64_t> ElementsOf(std::span<const std::int64_t> dims);

// Of names, types and shapes, in their order: 32 hex digits.
std::string HashOf(const Weights& weights);

}  // namespace opscope::decoder
