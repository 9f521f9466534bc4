// SampleSymbols: which free sizes of two models are the same, and a value for each.

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/compare.h"

namespace opscope {

namespace {

// The name of a dim that is one symbol and nothing else.
std::optional<std::string> SymbolOf(const Model& model, Dim dim) {
  if (!dim.is_expression()) return std::nullopt;
  std::vector<std::string> symbols = model.dims.Symbols(dim);
  if (symbols.size() != 1) return std::nullopt;
  const std::string text = model.dims.ToText(dim);
  if (text != symbols[0] && text != "`" + symbols[0] + "`") return std::nullopt;
  return std::move(symbols[0]);
}

// The input of the same name, else the one at the same position.
TensorId InputLike(const Side& own, std::size_t position, const Side& other) {
  const std::vector<TensorId>& inputs = other.model->main().inputs;
  const TensorId input = own.model->main().inputs[position];
  if (!input.valid()) return {};
  const std::string_view name = own.model->text(own.model->tensor(input).name);
  for (const TensorId candidate : inputs)
    if (candidate.valid() && other.model->text(other.model->tensor(candidate).name) == name)
      return candidate;
  return position < inputs.size() ? inputs[position] : TensorId{};
}

// Primes far apart: no size of a model, and no simple multiples of each other.
std::int64_t SampleValue(std::size_t place) {
  constexpr std::int64_t kValues[] = {1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009};
  constexpr std::size_t kCount = std::size(kValues);
  return kValues[place % kCount] + 9000 * static_cast<std::int64_t>(place / kCount);
}

class Sampler {
 public:
  Sampler(const Side& a, const Side& b) : a_(a), b_(b) {}

  SamplePoint Run() {
    for (std::size_t i = 0; i < a_.model->main().inputs.size(); ++i) AddInput(i);
    AddRest(b_, out_.b);
    return std::move(out_);
  }

 private:
  void AddInput(std::size_t position) {
    const TensorId of_a = a_.model->main().inputs[position];
    const TensorId of_b = InputLike(a_, position, b_);
    if (!of_a.valid()) return;
    const Shape& shape_a = a_.analysis->fact(of_a).shape;
    if (!shape_a.known_rank()) return;
    const Shape* shape_b = of_b.valid() ? &b_.analysis->fact(of_b).shape : nullptr;
    const bool same_rank = shape_b != nullptr && shape_b->known_rank() &&
                           shape_b->dims->size() == shape_a.dims->size();
    for (std::size_t i = 0; i < shape_a.dims->size(); ++i)
      AddPlace((*shape_a.dims)[i], same_rank ? (*shape_b->dims)[i] : Dim());
  }
  // A number in one model stands for the symbol of the other. One of both symbols may be known
  // already: it stands in several places of one model.
  void AddPlace(Dim dim_a, Dim dim_b) {
    const auto of_a = SymbolOf(*a_.model, dim_a);
    const auto of_b = SymbolOf(*b_.model, dim_b);
    std::int64_t value = 0;
    if (dim_a.is_number())
      value = dim_a.number();
    else if (dim_b.is_number())
      value = dim_b.number();
    else if (of_a && out_.a.count(*of_a) > 0)
      value = out_.a.find(*of_a)->second;
    else if (of_b && out_.b.count(*of_b) > 0)
      value = out_.b.find(*of_b)->second;
    else
      value = SampleValue(places_++);
    if (of_a) out_.a.emplace(*of_a, value);
    if (of_b) out_.b.emplace(*of_b, value);
  }
  void AddRest(const Side& side, Bindings& bindings) {
    for (const TensorId input : side.model->main().inputs) {
      if (!input.valid() || !side.analysis->fact(input).shape.known_rank()) continue;
      for (const Dim dim : *side.analysis->fact(input).shape.dims)
        if (const auto symbol = SymbolOf(*side.model, dim); symbol && bindings.count(*symbol) == 0)
          bindings.emplace(*symbol, SampleValue(places_++));
    }
  }

  const Side &a_, &b_;
  SamplePoint out_;
  std::size_t places_ = 0;
};

}  // namespace

SamplePoint SampleSymbols(const Side& a, const Side& b) { return Sampler(a, b).Run(); }

}  // namespace opscope
