// Internal to compare: what matching asks of a model again and again, worked out once.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"

namespace opscope {

std::uint64_t Mix(std::uint64_t value);
inline std::uint64_t Mixed(std::uint64_t a, std::uint64_t b) { return Mix(a ^ Mix(b)); }
std::uint64_t HashOf(std::string_view text);

// The shortest text that reads back as the same number.
template <class T>
std::string NumberText(T number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

// An attribute's value as text: "[1,1,2,2]", "float32[3] 1f3a…" for tensors, "" for bodies.
std::string AttributeText(const Model& model, const AttributeValue& value);

// An attribute that says what holds without it ("strides" "[1,1]"), in every op that has it.
bool IsDefault(std::string_view attribute, std::string_view text);

// A node that reads a tensor, and at which of its inputs.
struct Reader {
  LayerId layer;
  std::uint32_t slot;
};

class SideIndex {
 public:
  // `sample`: values of the model's free sizes.
  SideIndex(const Side& side, Bindings sample);

  const Side& side() const { return side_; }
  std::size_t layers() const { return ops_.size(); }
  const Node& node(LayerId id) const { return side_.node(id); }
  std::string_view name(LayerId id) const { return side_.model->text(node(id).name); }
  // A node that only holds a constant.
  bool is_constant_node(LayerId id) const { return ops_[id.index()] == constant_op_; }

  // By LayerId: op and domain, those of ai.onnx where the op has a counterpart there, so that
  // dialects meet; these with the attributes.
  std::uint64_t op(LayerId id) const { return ops_[id.index()]; }
  std::uint64_t op_and_attributes(LayerId id) const { return with_attributes_[id.index()]; }

  std::span<const Reader> readers(TensorId tensor) const {
    return {readers_.data() + begin_[tensor.index()], readers_.data() + begin_[tensor.index() + 1]};
  }
  // The layer that makes a tensor; invalid for inputs and constants of the model.
  LayerId maker(TensorId tensor) const;
  // A dim as text where the free sizes have the values of the sample: models of different formats
  // name them differently.
  std::string NeutralText(Dim dim) const;
  // For keys: equal where the neutral texts are. 0 = unknown.
  std::uint64_t DimKey(Dim dim) const;
  // The MACs of one execution; 0 = none or unknown.
  std::uint64_t MacsKey(LayerId id) const;
  bool HasMacs(LayerId id) const { return MacsKey(id) != 0; }

  // Layers in an order in which inputs come before their readers, where there is one.
  const std::vector<LayerId>& in_order() const { return in_order_; }

 private:
  void IndexReaders();
  void ListInOrder();

  Side side_;
  std::uint64_t constant_op_;
  std::vector<std::uint64_t> ops_, with_attributes_;
  std::vector<Reader> readers_;       // grouped by tensor
  std::vector<std::uint32_t> begin_;  // by TensorId: where its readers begin; one more at the end
  std::vector<LayerId> in_order_;
  Bindings sample_;
};

// The same sizes in any order (channels first or last), ones left out; false when a rank is open.
bool SameSizes(const SideIndex& a, const Shape& of_a, const SideIndex& b, const Shape& of_b);

}  // namespace opscope
