#include "model/formats/openvino/openvino.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "model/formats/openvino/graph.h"
#include "model/formats/openvino/ir.h"

namespace opscope::openvino {

namespace {

// A network of 100,000 layers takes 50 MB.
constexpr std::uint64_t kMaxBytes = 256 << 20;

bool HoldsWeights(const Net& net) {
  return std::any_of(net.layers.begin(), net.layers.end(), [](const LayerInfo& layer) {
    return layer.Find("offset") != nullptr ||
           std::any_of(layer.bodies.begin(), layer.bodies.end(),
                       [](const Body& body) { return HoldsWeights(*body.net); });
  });
}

// "model.xml" -> "model.bin", also for "model.xml.gz"
std::string WeightsName(std::string name) {
  const std::size_t xml = name.rfind(".xml");
  return (xml == std::string::npos ? name : name.substr(0, xml)) + ".bin";
}

Weights OpenWeights(const ModelReadContext& context, const Net& net, Model& model) {
  Weights weights;
  if (!HoldsWeights(net)) return weights;
  weights.file = 0;
  ExternalFile& file = model.external_files.emplace_back();
  file.path = WeightsName(model.file);
  auto source =
      context.sibling
          ? context.sibling(file.path)
          : Result<Source>(Error{"input.missing", "files beside it cannot be opened", ""});
  if (source.has_value()) {
    file.bytes = source->size();
    weights.source = std::move(*source);
    return weights;
  }
  file.refused = source.error().code == "input.outside";
  context.log.Add("openvino.weights-missing", Severity::kLoss, file.path,
                  "the weights are not beside the network: small constants, on which shapes may "
                  "hang, are unknown (" +
                      source.error().message + ")");
  return weights;
}

void AddHash(const Net& net, Hasher& hasher) {
  for (const LayerInfo& layer : net.layers) {
    std::string text = layer.type + '\0' + layer.version + '\0' + layer.name;
    for (const auto& [key, value] : layer.data)
      if (key != "offset" && key != "execTimeMcs") text += '\0' + key + '=' + value;
    for (const Port& port : layer.outputs)
      for (const std::int64_t dim : port.dims) text += ' ' + std::to_string(dim);
    hasher.Add(text + "\n");
    for (const Body& body : layer.bodies) AddHash(*body.net, hasher);
  }
  for (const Edge& edge : net.edges)
    hasher.Add(std::to_string(edge.from_layer) + ' ' + std::to_string(edge.from_port) + ' ' +
               std::to_string(edge.to_layer) + ' ' + std::to_string(edge.to_port) + '\n');
}

// <rt_info><Runtime_version value="2026.4.1-…"/> … (Older: <MO_version value="…"/>.)
std::string ProducerOf(const Net& net) {
  for (const std::string_view key : {"Runtime_version", "OpenVINO Runtime", "MO_version"})
    for (const auto& [name, value] : net.rt_info)
      if (name == key) return "openvino " + value.substr(0, value.find('-'));
  return "openvino";
}

}  // namespace

Match Probe(std::string_view prefix, std::uint64_t) {
  if (prefix.starts_with("\xEF\xBB\xBF")) prefix.remove_prefix(3);
  const std::size_t first = prefix.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || prefix[first] != '<') return Match::kNo;
  for (std::size_t at = first; at != std::string_view::npos; at = prefix.find('<', at + 1)) {
    const std::string_view tag = prefix.substr(at);
    if (tag.starts_with("<net ") || tag.starts_with("<net>")) return Match::kYes;
    if (tag.starts_with("<!DOCTYPE"))
      return prefix.find("<net ") != std::string_view::npos ? Match::kYes : Match::kNo;
    if (!tag.starts_with("<?") && !tag.starts_with("<!--")) return Match::kNo;
  }
  return Match::kNo;
}

Result<Model> Read(const ModelReadContext& context) {
  if (context.source.size() > kMaxBytes)
    return Error{"openvino.too-large",
                 "the XML has " + std::to_string(context.source.size() >> 20) +
                     " MiB, more than the 256 that are read; weights belong into the .bin file",
                 ""};
  TRY_ASSIGN(const Net net, ReadNet(context.source));
  Model model;
  model.file = context.source.file_name();
  model.bytes = context.source.stored_bytes();
  model.format = kFormat.info.id;
  model.producer = ProducerOf(net);
  for (const auto& [key, value] : net.rt_info)
    if (value.size() <= 256) model.metadata.emplace_back(key, value);
  Hasher hasher;
  AddHash(net, hasher);
  model.structure_hash = hasher.Hex();
  Weights weights = OpenWeights(context, net, model);
  TRY(BuildGraph(net, weights, model, context.log));
  return model;
}

}  // namespace opscope::openvino
