#include "app/run_shapes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace opscope {

namespace {

// Sizes of the product contract, section 3.
constexpr std::int64_t kSequence = 128;
constexpr std::int64_t kImageSide = 224;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool Mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool IsChannels(const Dim& dim) { return dim == Dim(1) || dim == Dim(3) || dim == Dim(4); }

// A rank-4 floating input with a colour axis is an image, NCHW or NHWC; its sides are the two
// others. Without a known colour axis NCHW is taken.
bool IsImageSide(const TypeInfo& type, std::size_t axis) {
  const auto& dims = *type.shape.dims;
  if (dims.size() != 4 || axis == 0) return false;
  const bool channels_last = !IsChannels(dims[1]) && IsChannels(dims[3]);
  return channels_last ? axis == 1 || axis == 2 : axis >= 2;
}

struct Role {
  std::string_view name;
  std::int64_t size;
};

Role RoleOf(const TypeInfo& type, std::size_t axis, std::string_view symbol) {
  const std::string name = Lower(symbol);
  if (Mentions(name, {"batch"}) || name == "n" || name == "b") return {"batch", 1};
  if (Mentions(name, {"height", "width"}) || IsImageSide(type, axis)) return {"image", kImageSide};
  if (Mentions(name, {"seq", "len", "time", "token", "frame"})) return {"sequence", kSequence};
  if (axis == 0) return {"batch", 1};
  const std::size_t rank = type.shape.rank();
  if (axis == 1 && (rank == 2 || rank == 3)) return {"sequence", kSequence};
  return {"size", 1};
}

// A free dim of an input is a plain symbol; one that the file does not name goes by its place.
std::string SymbolOf(const Model& model, const Dim& dim, const std::string& input,
                     std::size_t axis) {
  const std::vector<std::string> symbols = model.dims.Symbols(dim);
  return symbols.empty() ? input + "." + std::to_string(axis) : symbols.front();
}

// Ops that hand integer ids on unchanged in value.
bool KeepsValues(std::string_view op) {
  constexpr std::array<std::string_view, 10> kOps = {
      "Cast",     "Reshape",   "Squeeze", "Unsqueeze", "Flatten",
      "Identity", "Transpose", "Slice",   "Expand",    "Clip"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

std::optional<std::int64_t> GatherRows(const Model& model, const StaticAnalysis& analysis,
                                       const Node& node) {
  const Shape& data = analysis.fact(node.inputs[0]).shape;
  if (!data.known_rank() || data.rank() == 0) return std::nullopt;
  std::int64_t axis = 0;
  if (const Attribute* attribute = FindAttribute(model, node, "axis"))
    if (const auto* value = std::get_if<std::int64_t>(&attribute->value)) axis = *value;
  const auto rank = static_cast<std::int64_t>(data.rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  const Dim rows = (*data.dims)[static_cast<std::size_t>(axis)];
  return rows.is_number() ? std::optional<std::int64_t>(rows.number()) : std::nullopt;
}

}  // namespace

RunShapes ChooseRunShapes(const Model& model, const Bindings& bindings,
                          const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  RunShapes out;
  std::map<std::string, std::int64_t> sizes(bindings.begin(), bindings.end());
  // A size given through one input's shape holds for the same symbol elsewhere.
  for (const TensorId id : model.main().inputs) {
    const Tensor& tensor = model.tensor(id);
    const std::string name(model.text(tensor.name));
    const auto given = shapes.find(name);
    if (given == shapes.end() || !tensor.declared.shape.known_rank()) continue;
    const auto& dims = *tensor.declared.shape.dims;
    for (std::size_t axis = 0; axis < std::min(dims.size(), given->second.size()); ++axis)
      if (dims[axis].is_expression() && given->second[axis] >= 0)
        sizes.emplace(SymbolOf(model, dims[axis], name, axis), given->second[axis]);
  }
  for (const TensorId id : model.main().inputs) {
    const Tensor& tensor = model.tensor(id);
    const TypeInfo& type = tensor.declared;
    if (tensor.payload.valid() || type.kind != ValueKind::kTensor || !type.shape.known_rank())
      continue;
    const std::string name(model.text(tensor.name));
    const auto given = shapes.find(name);
    if (given != shapes.end() && given->second.size() != type.shape.rank()) {
      out.shapes.emplace(name, given->second);  // refused by whoever uses it
      continue;
    }
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 0; axis < type.shape.rank(); ++axis) {
      const Dim dim = (*type.shape.dims)[axis];
      if (given != shapes.end() && axis < given->second.size() && given->second[axis] >= 0) {
        dims.push_back(given->second[axis]);
        continue;
      }
      if (dim.is_number()) {
        dims.push_back(dim.number());
        continue;
      }
      const std::string symbol = SymbolOf(model, dim, name, axis);
      auto size = sizes.find(symbol);
      if (size == sizes.end()) {
        const Role role = RoleOf(type, axis, symbol);
        out.guesses.push_back({name, axis, symbol, std::string(role.name), role.size});
        size = sizes.emplace(symbol, role.size).first;
      }
      dims.push_back(size->second);
    }
    out.shapes.emplace(name, std::move(dims));
  }
  return out;
}

std::string ShapeText(const std::vector<std::int64_t>& dims) {
  std::string out;
  for (std::size_t i = 0; i < dims.size(); ++i)
    out += (i == 0 ? "" : "x") + std::to_string(dims[i]);
  return out;
}

std::string ShapeOptionExample(const RunShapes& chosen) {
  std::string out;
  std::string last;
  for (const GuessedDim& guess : chosen.guesses) {
    if (guess.input == last) continue;
    last = guess.input;
    out += (out.empty() ? "--shape " : " --shape ") + guess.input + "=" +
           ShapeText(chosen.shapes.at(guess.input));
  }
  return out;
}

std::map<std::string, std::int64_t> IndexBounds(const Model& model,
                                                const StaticAnalysis& analysis) {
  // origin[t]: the graph input whose values tensor t shows. Nodes of the main graph in file order
  // suffice: embeddings stand at the entrance of a model.
  std::vector<TensorId> origin(model.tensors.size());
  std::map<std::string, std::int64_t> bounds;
  for (const TensorId id : model.main().inputs)
    if (IsInteger(model.tensor(id).declared.dtype)) origin[id.index()] = id;
  for (const NodeId id : model.main().nodes) {
    const Node& node = model.node(id);
    const std::string_view op = model.text(node.op);
    if (op == "Gather" && node.inputs.size() >= 2 && node.inputs[0].valid() &&
        node.inputs[1].valid() && origin[node.inputs[1].index()].valid()) {
      const auto rows = GatherRows(model, analysis, node);
      if (!rows) continue;
      const std::string name(model.text(model.tensor(origin[node.inputs[1].index()]).name));
      const auto [entry, added] = bounds.emplace(name, *rows);
      if (!added) entry->second = std::min(entry->second, *rows);
    } else if (KeepsValues(op) && !node.inputs.empty() && node.inputs[0].valid() &&
               !node.outputs.empty() && node.outputs[0].valid()) {
      origin[node.outputs[0].index()] = origin[node.inputs[0].index()];
    }
  }
  return bounds;
}

}  // namespace opscope
