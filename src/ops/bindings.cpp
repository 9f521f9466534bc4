#include "ops/bindings.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace opscope {

namespace {

std::string Quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// `; did you mean "x"?`, or what there is when nothing is near.
std::string Hint(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> names = Nearest(name, known);
  const bool near = !names.empty();
  constexpr std::size_t kShown = 5;
  if (!near)
    names.assign(known.begin(), known.size() > kShown ? known.begin() + kShown : known.end());
  std::string text;
  for (const std::string& candidate : names) text += (text.empty() ? "" : ", ") + Quoted(candidate);
  if (text.empty()) return "";
  return near ? "; did you mean " + text + "?" : "; there are " + text;
}

class Reader {
 public:
  Reader(Model& model, const PropagateOptions& options) : model_(model), options_(options) {
    shapes_.bindings = options.bindings;
  }

  Result<InputShapes> Run() {
    for (const auto& [symbol, value] : options_.bindings) {
      if (value < 0) {
        return Error{"usage.bind", Quoted(symbol) + " is bound to " + std::to_string(value), ""};
      }
    }
    for (const TensorId input : model_.main().inputs) {
      if (!input.valid() || model_.tensor(input).payload.valid()) continue;
      shapes_.by_input.emplace_back(input, model_.tensor(input).declared.shape);
    }
    for (const auto& [name, wanted] : options_.shapes) TRY(Apply(name, wanted));
    for (auto& [input, shape] : shapes_.by_input) Bind(shape);
    return std::move(shapes_);
  }

 private:
  Result<void> Apply(const std::string& name, const std::vector<std::int64_t>& wanted) {
    const auto input =
        std::find_if(shapes_.by_input.begin(), shapes_.by_input.end(), [&](const auto& candidate) {
          return model_.text(model_.tensor(candidate.first).name) == name;
        });
    if (input == shapes_.by_input.end()) {
      std::vector<std::string> names;
      for (const auto& [id, shape] : shapes_.by_input) {
        names.emplace_back(model_.text(model_.tensor(id).name));
      }
      return Error{"usage.shape", "no input " + Quoted(name) + Hint(name, names), ""};
    }
    Shape& shape = input->second;
    if (!shape.known_rank()) shape.dims.emplace(wanted.size());
    if (shape.rank() != wanted.size()) {
      return Error{"usage.shape",
                   "input " + Quoted(name) + " has " + std::to_string(shape.rank()) +
                       " dims, the shape given " + std::to_string(wanted.size()),
                   ""};
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      TRY(ApplyDim(name, i, (*shape.dims)[i], wanted[i]));
    return {};
  }

  // A number for a symbol binds it everywhere; a number for another number replaces it, and the
  // model has to allow that.
  Result<void> ApplyDim(const std::string& name, std::size_t axis, Dim& dim, std::int64_t wanted) {
    if (wanted == -1) return {};
    if (wanted < 0) {
      return Error{"usage.shape",
                   "input " + Quoted(name) + ": a dim cannot be " + std::to_string(wanted), ""};
    }
    const std::vector<std::string> symbols = model_.dims.Symbols(dim);
    if (symbols.size() == 1 && model_.dims.Symbol(symbols[0]) == dim) {
      const auto [bound, added] = shapes_.bindings.emplace(symbols[0], wanted);
      if (!added && bound->second != wanted) {
        return Error{"usage.bind",
                     "dim " + Quoted(symbols[0]) + " would be both " +
                         std::to_string(bound->second) + " and " + std::to_string(wanted),
                     ""};
      }
    }
    if (dim.is_number() && dim.number() != wanted)
      shapes_.replaced.push_back({name, axis, dim.number(), wanted});
    dim = wanted;
    return {};
  }

  void Bind(Shape& shape) {
    if (!shape.known_rank() || shapes_.bindings.empty()) return;
    for (Dim& dim : *shape.dims) dim = model_.dims.Bind(dim, shapes_.bindings);
  }

  Model& model_;
  const PropagateOptions& options_;
  InputShapes shapes_;
};

void AddSymbols(const Model& model, const Shape& shape, std::set<std::string>& names) {
  if (!shape.known_rank()) return;
  for (const Dim dim : *shape.dims) {
    if (!dim.is_expression()) continue;
    for (std::string& name : model.dims.Symbols(dim)) names.insert(std::move(name));
  }
}

}  // namespace

Result<InputShapes> ReadInputShapes(Model& model, const PropagateOptions& options) {
  return Reader(model, options).Run();
}

Result<void> CheckBindings(const Model& model, const Bindings& bindings,
                           std::span<const std::string> computed) {
  if (bindings.empty()) return {};
  std::set<std::string> names(computed.begin(), computed.end());
  for (const Tensor& tensor : model.tensors) AddSymbols(model, tensor.declared.shape, names);
  for (const auto& [symbol, value] : bindings) {
    if (names.count(symbol) > 0) continue;
    return Error{"usage.bind",
                 "no dim is called " + Quoted(symbol) +
                     Hint(symbol, std::vector<std::string>(names.begin(), names.end())),
                 ""};
  }
  return {};
}

}  // namespace opscope
