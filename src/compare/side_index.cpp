#include "compare/side_index.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "ops/op.h"

namespace opscope {

namespace {

template <class List, class Text>
std::string ListText(const List& list, const Text& text) {
  std::string out = "[";
  for (const auto& element : list) out += (out.size() > 1 ? "," : "") + text(element);
  return out + "]";
}

std::string PayloadText(const Model& model, PayloadId id) {
  const Payload& payload = model.payload(id);
  std::string out(Name(payload.dtype));
  out += ListText(payload.dims, NumberText<std::int64_t>);
  if (const auto integers = IntegersOf(payload); integers && integers->size() <= 8)
    return out + " " + ListText(*integers, NumberText<std::int64_t>);
  if (const auto floats = FloatsOf(payload); floats && floats->size() <= 8)
    return out + " " + ListText(*floats, NumberText<double>);
  if (payload.small) out += " #" + NumberText(HashOf(*payload.small));
  return out;
}

std::string TypeText(const Model& model, const TypeInfo& type) {
  std::string out(Name(type.dtype));
  if (!type.shape.known_rank()) return out;
  return out + ListText(*type.shape.dims, [&](Dim dim) { return model.dims.ToText(dim); });
}

}  // namespace

// The finaliser of splitmix64.
std::uint64_t Mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// FNV-1a, mixed.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Mix(hash);
}

std::string AttributeText(const Model& model, const AttributeValue& value) {
  const auto text = [&model](const auto& v) -> std::string {
    using T = std::decay_t<decltype(v)>;
    const auto payload = [&model](PayloadId id) { return PayloadText(model, id); };
    const auto type = [&model](const TypeInfo& info) { return TypeText(model, info); };
    const auto itself = [](const std::string& s) { return s; };
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, float>)
      return NumberText(v);
    else if constexpr (std::is_same_v<T, std::string>)
      return v;
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
      return ListText(v, NumberText<std::int64_t>);
    else if constexpr (std::is_same_v<T, std::vector<float>>)
      return ListText(v, NumberText<float>);
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      return ListText(v, itself);
    else if constexpr (std::is_same_v<T, PayloadId>)
      return payload(v);
    else if constexpr (std::is_same_v<T, std::vector<PayloadId>>)
      return ListText(v, payload);
    else if constexpr (std::is_same_v<T, TypeInfo>)
      return type(v);
    else if constexpr (std::is_same_v<T, std::vector<TypeInfo>>)
      return ListText(v, type);
    else if constexpr (std::is_same_v<T, AttributeRef>)
      return "@" + std::string(model.text(v.name));
    else
      return {};  // bodies are compared node by node
  };
  return std::visit(text, value);
}

bool IsDefault(std::string_view attribute, std::string_view text) {
  struct Default {
    std::string_view attribute, text;
  };
  constexpr Default kDefaults[] = {{"allowzero", "0"},
                                   {"alpha", "1"},
                                   {"approximate", "none"},
                                   {"auto_pad", "NOTSET"},
                                   {"beta", "1"},
                                   {"ceil_mode", "0"},
                                   {"count_include_pad", "0"},
                                   {"group", "1"},
                                   {"keepdims", "1"},
                                   {"storage_order", "0"},
                                   {"training_mode", "0"},
                                   {"noop_with_empty_axes", "0"},
                                   {"transA", "0"},
                                   {"transB", "0"}};
  for (const Default& known : kDefaults)
    if (known.attribute == attribute) return known.text == text;
  const auto only = [text](char digit) {
    return text.find_first_not_of(std::string("[],") + digit) == std::string_view::npos &&
           text.find(digit) != std::string_view::npos;
  };
  // "[1,1]" and "[0,0,0,0]"; "[11]" is no list of ones.
  const bool single = text.find("11") == std::string_view::npos;
  if (attribute == "strides" || attribute == "dilations") return single && only('1');
  return attribute == "pads" && only('0');
}

SideIndex::SideIndex(const Side& side, Bindings sample)
    : side_(side),
      constant_op_(Mixed(HashOf("ai.onnx"), HashOf("Constant"))),
      sample_(std::move(sample)) {
  const Model& model = *side.model;
  ops_.reserve(side.analysis->layers.size());
  for (const Layer& layer : side.analysis->layers) {
    const Node& node = model.node(layer.node);
    const std::uint64_t op =
        Mixed(HashOf(StandardDomain(model, node)), HashOf(StandardOp(model, node)));
    std::uint64_t attributes = 0;  // a sum: their order means nothing
    for (const Attribute& attribute : node.attributes)
      attributes +=
          Mixed(HashOf(model.text(attribute.name)), HashOf(AttributeText(model, attribute.value)));
    ops_.push_back(op);
    with_attributes_.push_back(Mixed(op, attributes));
  }
  IndexReaders();
  ListInOrder();
}

std::string SideIndex::NeutralText(Dim dim) const {
  DimTable& dims = side_.model->dims;
  return dims.ToText(dim.is_expression() ? dims.Bind(dim, sample_) : dim);
}

std::uint64_t SideIndex::DimKey(Dim dim) const {
  if (dim.is_unknown()) return 0;
  if (dim.is_number()) return Mix(static_cast<std::uint64_t>(dim.number())) | 1;
  const Dim bound = side_.model->dims.Bind(dim, sample_);
  return bound.is_expression() ? HashOf(side_.model->dims.ToText(bound)) | 1 : DimKey(bound);
}

std::uint64_t SideIndex::MacsKey(LayerId id) const {
  const Dim macs = side_.layer(id).counts.macs;
  return macs == Dim(0) ? 0 : DimKey(macs);
}

bool SameSizes(const SideIndex& a, const Shape& of_a, const SideIndex& b, const Shape& of_b) {
  if (!of_a.known_rank() || !of_b.known_rank()) return false;
  const auto sorted = [](const SideIndex& index, const Shape& shape) {
    std::vector<std::uint64_t> keys;
    for (const Dim dim : *shape.dims)
      if (dim != Dim(1)) keys.push_back(index.DimKey(dim));
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  return sorted(a, of_a) == sorted(b, of_b);
}

LayerId SideIndex::maker(TensorId tensor) const {
  const NodeId producer = side_.model->tensor(tensor).producer;
  return producer.valid() ? side_.analysis->layer_of[producer.index()] : LayerId{};
}

void SideIndex::IndexReaders() {
  begin_.assign(side_.model->tensors.size() + 1, 0);
  const auto for_each_use = [this](const auto& use) {
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      const std::vector<TensorId>& inputs = node({i}).inputs;
      for (std::uint32_t slot = 0; slot < inputs.size(); ++slot)
        if (inputs[slot].valid()) use(inputs[slot], Reader{{i}, slot});
    }
  };
  for_each_use([this](TensorId tensor, const Reader&) { ++begin_[tensor.index() + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  readers_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_use(
      [&](TensorId tensor, const Reader& reader) { readers_[next[tensor.index()]++] = reader; });
}

void SideIndex::ListInOrder() {
  std::vector<bool> listed(ops_.size(), false);
  for (const std::vector<NodeId>& graph : side_.analysis->propagation.order)
    for (const NodeId node : graph) {
      const LayerId layer = side_.analysis->layer_of[node.index()];
      if (!layer.valid() || listed[layer.index()]) continue;
      listed[layer.index()] = true;
      in_order_.push_back(layer);
    }
  for (std::uint32_t i = 0; i < ops_.size(); ++i)
    if (!listed[i]) in_order_.push_back({i});
}

}  // namespace opscope
