// explain MODEL NODE: shapes, rule, formula, number; explain TOPIC: a word of the reports.

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
#include "document/messages.h"
#include "opscope/requests.h"

namespace opscope {

namespace {

// real = scale * (stored - zero point), as far as one line says it.
std::string QuantisedText(const Quantisation& quantised) {
  if (quantised.block > 0)
    return "a scale for each " + std::to_string(quantised.block) + " along axis " +
           std::to_string(quantised.axis.value_or(0));
  constexpr int kDigits = 6;
  if (quantised.scales > 1)
    return std::to_string(quantised.scales) + " scales along axis " +
           std::to_string(quantised.axis.value_or(0)) + ", first " +
           FormatNumber(quantised.scale, kDigits);
  const std::int64_t zero = quantised.zero_point;
  const std::string scale = "real = " + FormatNumber(quantised.scale, kDigits) + " * ";
  if (zero == 0) return scale + "stored";
  return scale + "(stored " + (zero < 0 ? "+ " : "- ") + std::to_string(zero < 0 ? -zero : zero) +
         ")";
}

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

class Lines {
 public:
  Lines(const Model& model, Language language) : model_(model), language_(language) {}

  void AddHead(const Layer& layer, LayerId id) {
    const Node& node = model_.node(layer.node);
    Add("layer", "#" + std::to_string(id.value) + " " + std::string(model_.text(node.name)));
    Add("op", std::string(model_.text(node.domain)) + " " + std::string(model_.text(node.op)) +
                  ", " + std::string(Name(layer.status)));
    if (!layer.path.empty()) {
      std::string path;
      for (const std::string& part : layer.path) path += (path.empty() ? "" : " / ") + part;
      Add("in", path);
    }
    Add("times", NumberText(model_.dims, layer.times));
    // What the file says about it: where it comes from, which kernel was chosen.
    for (const auto& [key, value] : node.metadata)
      Add(std::string(model_.text(key)), std::string(model_.text(value)));
  }

  void AddTensors(const Explanation& explained) {
    for (const ExplainedTensor& tensor : explained.tensors) {
      const bool bracketed = tensor.shape.rfind('[', 0) == 0;
      Add((tensor.output ? "output " : "input ") + std::to_string(tensor.index),
          std::string(model_.text(model_.tensor(tensor.tensor).name)) + "  " + tensor.dtype +
              (bracketed ? tensor.shape : "[" + tensor.shape + "]") + "  " +
              BytesText(tensor.bytes) + (tensor.constant ? "  constant" : ""));
      const QuantisationId quantised = model_.tensor(tensor.tensor).quantisation;
      if (quantised.valid())
        Add("quantised", QuantisedText(model_.quantisations[quantised.index()]));
    }
  }

  // general = with sizes = number; a part that says the same as the one before is left out.
  void AddNumbers(const Explanation& explained) {
    for (const ExplainedNumber& number : explained.numbers) {
      const std::string value = NumberText(model_.dims, number.value);
      std::string text = number.general;
      if (!number.formula.empty() && !IsNumber(number.formula) && number.formula != value)
        text += (text.empty() ? "" : " = ") + number.formula;
      text += (text.empty() ? "" : " = ") + value;
      const std::string column(number.column);
      Add(column, text);
      if (!number.rule.empty()) out_.push_back({column + ".rule", "", Told(number.rule)});
      if (!number.source.empty())
        out_.push_back(
            {column + ".source", "",
             Phrase("explain.source", {{"source", std::string(number.source)}}, language_)});
    }
  }

  void AddBecause(const std::string& because) {
    if (!because.empty()) Add("because", Told(because));
  }

  std::vector<ExplainLine> Take() { return std::move(out_); }

 private:
  void Add(const std::string& label, std::string text) {
    out_.push_back({label, label, std::move(text)});
  }
  std::string Told(std::string_view english) const { return Render(doc::Text(english), language_); }
  static bool IsNumber(const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
  }
  std::string BytesText(Dim bytes) const {
    return bytes.is_unknown() ? "? bytes" : NumberText(model_.dims, bytes) + " bytes";
  }

  const Model& model_;
  Language language_;
  std::vector<ExplainLine> out_;
};

std::string TopicId(const std::string& topic) {
  std::string id = "topic." + topic;
  std::replace(id.begin(), id.end(), '_', '-');
  return id;
}

}  // namespace

Result<std::vector<ExplainLine>> ExplainNode(const ModelOptions& options, const std::string& node,
                                             Language language, const Context&) {
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
  Lines lines(model, language);
  lines.AddHead(layer, *id);
  lines.AddTensors(explained);
  lines.AddNumbers(explained);
  lines.AddBecause(layer.because);
  return lines.Take();
}

Result<std::vector<ExplainLine>> ExplainTopic(const std::string& topic, Language language) {
  constexpr std::string_view kArea = "topic.";
  const std::string id = TopicId(topic);
  std::vector<std::string> known;
  for (const MessageEntry& entry : Messages()) {
    if (entry.id == id)
      return std::vector<ExplainLine>{
          {topic, topic,
           std::string(language == Language::kChinese ? entry.chinese : entry.english)}};
    if (entry.id.substr(0, kArea.size()) != kArea) continue;
    known.emplace_back(entry.id.substr(kArea.size()));
    std::replace(known.back().begin(), known.back().end(), '-', '_');
  }
  std::vector<std::string> offered = Nearest(topic, known);
  const bool near = !offered.empty();
  if (!near) offered = known;
  std::string list;
  for (const std::string& name : offered) list += (list.empty() ? "" : ", ") + name;
  return Error{
      "usage.topic",
      "no file and no topic '" + topic + "'; " + (near ? "near it: " : "there is: ") + list, ""};
}

Result<std::vector<ExplainLine>> ExplainConvention(const std::string& name) {
  const Convention* convention = FindConvention(name);
  if (convention == nullptr)
    return Error{"usage.convention", "no convention '" + name + "'; there is: " + ConventionNames(),
                 ""};
  std::vector<ExplainLine> out;
  const auto add = [&out](const std::string& label, std::string text) {
    out.push_back({label, label, std::move(text)});
  };
  const bool flops = convention->unit == ConventionUnit::kFlop;
  add("convention", name + ", in " + (flops ? "FLOP = 2 * MAC" : "MAC"));
  const auto text = [](const auto& weights) {
    const std::string sum = WeightsText(weights);
    return sum.empty() ? std::string("0") : sum;
  };
  for (const Rule& rule : convention->rules) add(std::string(rule.key), text(rule.weights));
  add("all others", text(convention->otherwise));
  if (!convention->prints_params) return out;
  for (const ParamRule& rule : convention->param_rules)
    add("params, " + std::string(rule.key), text(rule.weights));
  add("params, all others", text(convention->params_otherwise));
  return out;
}

}  // namespace opscope
