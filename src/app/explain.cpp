// explain MODEL NODE: shapes, rule, formula, number.

#include "cost/explain.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/load.h"
#include "base/checked.h"
#include "base/result.h"
#include "base/text.h"
#include "cost/conventions/convention.h"
#include "document/format.h"
#include "opscope/requests.h"

namespace opscope {

namespace {

// "#12", a node's name, or the name of a tensor that a node writes; the first one found.
std::optional<LayerId> FindLayer(const Model& model, const StaticAnalysis& analysis,
                                 const std::string& wanted) {
  if (wanted.size() > 1 && wanted.front() == '#') {
    const auto id = ParseInt64(std::string_view(wanted).substr(1));
    if (id && *id >= 0 && *id < static_cast<std::int64_t>(analysis.layers.size()))
      return LayerId{static_cast<std::uint32_t>(*id)};
  }
  std::optional<LayerId> by_output;
  for (std::size_t i = 0; i < analysis.layers.size(); ++i) {
    const Node& node = model.node(analysis.layers[i].node);
    const LayerId id{static_cast<std::uint32_t>(i)};
    if (model.text(node.name) == wanted) return id;
    for (const TensorId output : node.outputs)
      if (!by_output && output.valid() && model.text(model.tensor(output).name) == wanted)
        by_output = id;
  }
  return by_output;
}

Error NoSuchNode(const Model& model, const StaticAnalysis& analysis, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Layer& layer : analysis.layers)
    names.emplace_back(model.text(model.node(layer.node).name));
  std::string message = "no node or tensor \"" + wanted + "\"";
  const std::vector<std::string> nearest = Nearest(wanted, names);
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest.size(), 3); ++i)
    message += (i == 0 ? "; near it: " : ", ") + nearest[i];
  if (!analysis.layers.empty())
    message +=
        "; #ID takes a layer's number (0 .. " + std::to_string(analysis.layers.size() - 1) + ")";
  return {"usage.node", message, model.file};
}

std::string NumberText(const DimTable& dims, Dim value) {
  const auto number = dims.Value(value);
  return number ? FormatInteger(*number) : dims.ToText(value);
}

void AddHead(const Model& model, const Layer& layer, LayerId id, std::vector<ExplainLine>& out) {
  const Node& node = model.node(layer.node);
  out.push_back(
      {"layer", "#" + std::to_string(id.value) + " " + std::string(model.text(node.name))});
  out.push_back({"op", std::string(model.text(node.domain)) + " " +
                           std::string(model.text(node.op)) + ", " +
                           std::string(Name(layer.status))});
  if (!layer.path.empty()) {
    std::string path;
    for (const std::string& part : layer.path) path += (path.empty() ? "" : " / ") + part;
    out.push_back({"in", path});
  }
  out.push_back({"times", NumberText(model.dims, layer.times)});
}

void AddTensors(const Model& model, const Explanation& explained, std::vector<ExplainLine>& out) {
  for (const ExplainedTensor& tensor : explained.tensors)
    out.push_back({(tensor.output ? "output " : "input ") + std::to_string(tensor.index),
                   std::string(model.text(model.tensor(tensor.tensor).name)) + "  " + tensor.dtype +
                       "[" + tensor.shape + "]  " + NumberText(model.dims, tensor.bytes) +
                       " bytes" + (tensor.constant ? "  constant" : "")});
}

void AddNumbers(const Model& model, const Explanation& explained, std::vector<ExplainLine>& out) {
  for (const ExplainedNumber& number : explained.numbers) {
    std::string text;
    if (!number.general.empty()) text += number.general + " = ";
    if (!number.formula.empty()) text += number.formula + " = ";
    text += NumberText(model.dims, number.value);
    out.push_back({std::string(number.column), text});
    if (!number.rule.empty()) out.push_back({"", std::string(number.rule)});
    if (!number.source.empty()) out.push_back({"", "source: " + std::string(number.source)});
  }
}

}  // namespace

Result<std::vector<ExplainLine>> ExplainNode(const ModelOptions& options, const std::string& node,
                                             const Context&) {
  ImportLog log;
  TRY_ASSIGN(LoadedModel loaded, LoadModel(options, log));
  Model& model = loaded.model;
  auto analysis = AnalyzeStatic(
      model, {{options.bindings.begin(), options.bindings.end()}, options.shapes}, log);
  if (!analysis.has_value()) return WithContext(std::move(analysis.error()), model.file);
  const auto id = FindLayer(model, *analysis, node);
  if (!id) return NoSuchNode(model, *analysis, node);
  const Layer& layer = analysis->layer(*id);
  const Explanation explained = Explain(model, *analysis, *id);
  std::vector<ExplainLine> out;
  AddHead(model, layer, *id, out);
  AddTensors(model, explained, out);
  AddNumbers(model, explained, out);
  if (!layer.because.empty()) out.push_back({"because", layer.because});
  return out;
}

Result<std::vector<ExplainLine>> ExplainConvention(const std::string& name) {
  const Convention* convention = FindConvention(name);
  if (convention == nullptr)
    return Error{"usage.convention", "no convention '" + name + "'; there is: " + ConventionNames(),
                 ""};
  std::vector<ExplainLine> out;
  const bool flops = convention->unit == ConventionUnit::kFlop;
  out.push_back({"convention", name + ", in " + (flops ? "FLOP = 2 * MAC" : "MAC")});
  const auto text = [](const auto& weights) {
    const std::string sum = WeightsText(weights);
    return sum.empty() ? std::string("0") : sum;
  };
  for (const Rule& rule : convention->rules)
    out.push_back({std::string(rule.key), text(rule.weights)});
  out.push_back({"all others", text(convention->otherwise)});
  if (!convention->prints_params) return out;
  for (const ParamRule& rule : convention->param_rules)
    out.push_back({"params, " + std::string(rule.key), text(rule.weights)});
  out.push_back({"params, all others", text(convention->params_otherwise)});
  return out;
}

}  // namespace opscope
