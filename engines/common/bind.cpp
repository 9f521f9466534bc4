#include "engines/common/bind.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "engines/common/npz.h"

namespace opscope::child {
namespace {

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const std::int64_t dim : shape) out += (out.empty() ? "" : "x") + std::to_string(dim);
  return out.empty() ? "scalar" : out;
}

// "[N, 3, ?, 224]", for messages.
std::string DeclaredText(const Value& input) {
  std::string out;
  for (const Dim& dim : input.shape) {
    if (!out.empty()) out += ", ";
    out += dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return "[" + out + "]";
}

// Declared 0 is as good as free: exporters write it for "any".
bool Fits(const Value& input, const std::vector<std::int64_t>& shape) {
  if (shape.size() != input.shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (input.shape[i].size && *input.shape[i].size != shape[i]) return false;
  return true;
}

template <class Given>
const Given* FindGiven(const std::vector<Given>& given, const std::string& input) {
  for (const Given& item : given)
    if (item.input == input) return &item;
  return nullptr;
}

Error NoSuchInput(const std::string& name, const std::vector<Value>& inputs) {
  std::vector<std::string> names;
  for (const Value& input : inputs) names.push_back(input.name);
  std::string message = "the model has no input '" + name + "'";
  const auto near = Nearest(name, names);
  if (!near.empty()) {
    message += "; did you mean '" + near[0] + "'?";
  } else {
    message += "; it has:";
    for (const std::string& known : names) message += " " + known;
  }
  return {"option", message, ""};
}

Result<void> CheckNames(const std::vector<Value>& inputs, const LoadRequest& request) {
  const auto known = [&](const std::string& name) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Value& input) { return input.name == name; });
  };
  for (const GivenShape& shape : request.shapes)
    if (!known(shape.input)) return NoSuchInput(shape.input, inputs);
  for (const GivenValues& values : request.values)
    if (!known(values.input)) return NoSuchInput(values.input, inputs);
  return {};
}

// "x: dim 0 (N), dim 2": what is free in an input.
std::string FreeDims(const Value& input) {
  std::string out;
  for (std::size_t i = 0; i < input.shape.size(); ++i) {
    const Dim& dim = input.shape[i];
    if (dim.size) continue;
    out += (out.empty() ? "" : ", ") + ("dim " + std::to_string(i));
    if (!dim.symbol.empty() && dim.symbol != "?") out += " (" + dim.symbol + ")";
  }
  return out;
}

std::string ExampleOption(const Value& input) {
  // Ones are seldom what a model takes behind the first axis.
  constexpr std::int64_t kExample = 128;
  std::string dims;
  for (std::size_t i = 0; i < input.shape.size(); ++i)
    dims +=
        (i == 0 ? "" : "x") + std::to_string(input.shape[i].size.value_or(i == 0 ? 1 : kExample));
  return "--shape " + input.name + "=" + dims;
}

Result<void> SetRunShapes(std::vector<Value>& inputs, const LoadRequest& request) {
  std::string open, example;
  for (Value& input : inputs) {
    const GivenShape* given = FindGiven(request.shapes, input.name);
    if (given && !Fits(input, given->dims))
      return Error{"option",
                   "the shape " + ShapeText(given->dims) + " does not fit input '" + input.name +
                       "', which is " + DeclaredText(input),
                   ""};
    if (given) {
      input.run_shape = given->dims;
      continue;
    }
    const std::string free = FreeDims(input);
    if (!free.empty()) {
      open += (open.empty() ? "" : "; ") + input.name + ": " + free;
      example += (example.empty() ? "" : " ") + ExampleOption(input);
      continue;
    }
    for (const Dim& dim : input.shape) input.run_shape.push_back(*dim.size);
  }
  if (open.empty()) return {};
  return Error{"shape",
               "free dims without a value: " + open + "; give them, for example " + example, ""};
}

// A length given as an input means the length of the sequence beside it: the second axis of the
// first other input that has one.
std::optional<GivenValues> LengthOf(const Value& input, const std::vector<Value>& inputs) {
  const bool integer = input.dtype == "int64" || input.dtype == "int32";
  const bool named = input.name.find("length") != std::string::npos ||
                     input.name.find("_len") != std::string::npos;
  if (!integer || !named || input.run_shape.size() > 1) return std::nullopt;
  for (const Value& other : inputs)
    if (other.run_shape.size() >= 2)
      return GivenValues{input.name, std::nullopt, static_cast<double>(other.run_shape[1])};
  return std::nullopt;
}

Result<std::vector<Array>> MakeByType(std::vector<Value>& inputs, const LoadRequest& request) {
  TRY(SetRunShapes(inputs, request));
  std::vector<Array> out;
  for (Value& input : inputs) {
    const GivenValues* given = FindGiven(request.values, input.name);
    const auto length = given ? std::nullopt : LengthOf(input, inputs);
    TRY_ASSIGN(Array array, MakeArray(input, length ? &*length : given, request.seed));
    input.fill = array.fill;
    out.push_back(std::move(array));
  }
  return out;
}

Result<std::vector<Array>> ReadFromFile(std::vector<Value>& inputs, const LoadRequest& request) {
  TRY_ASSIGN(Npz file, Npz::Open(request.inputs));
  std::vector<Array> out;
  for (Value& input : inputs) {
    TRY_ASSIGN(Array array, file.Read(input.name, input.dtype));
    if (!Fits(input, array.shape))
      return Error{"input",
                   "array '" + input.name + "' has the shape " + ShapeText(array.shape) +
                       ", the model's input is " + DeclaredText(input),
                   file.name()};
    array.fill = "from " + file.name();
    input.fill = array.fill;
    input.run_shape = array.shape;
    out.push_back(std::move(array));
  }
  return out;
}

}  // namespace

Result<std::vector<Array>> BindInputs(std::vector<Value>& inputs, const LoadRequest& request) {
  for (const Value& input : inputs)
    if (input.kind != "tensor")
      return Error{
          "refused",
          "input '" + input.name + "' is a " + input.kind + "; only tensors can be made or read",
          ""};
  TRY(CheckNames(inputs, request));
  return request.inputs.empty() ? MakeByType(inputs, request) : ReadFromFile(inputs, request);
}

}  // namespace opscope::child
