#include "trace/formats/tensorrt_names.h"

#include <algorithm>

#include "base/fused_name.h"

namespace opscope {

namespace {

std::string Listing(const std::vector<FusedPart>& parts) {
  std::string text;
  for (const FusedPart& part : parts) text += (text.empty() ? "" : " + ") + part.name;
  return text;
}

std::string WhatReformatDoes(const FusedName& name) {
  return "changes the layout or type of " + std::string(name.output ? "output " : "input ") +
         std::to_string(name.operand) + " of " + Listing(name.parts);
}

}  // namespace

RowOrigin TensorrtOrigin(std::string_view layer,
                         const std::unordered_map<std::string, std::string>& node_of) {
  RowOrigin origin;
  const FusedName name = ParseFusedName(layer);
  if (name.kind == FusedName::Kind::kReformat) {
    origin.made = WhatReformatDoes(name);
    return origin;
  }
  if (name.parts.empty()) {
    origin.generated = name.kind == FusedName::Kind::kKernel;
    return origin;
  }
  for (const FusedPart& part : name.parts) {
    const auto known = node_of.find(part.name);
    if (known == node_of.end() && part.kind == FusedPart::Kind::kMade) continue;
    const std::string& node = known == node_of.end() ? part.name : known->second;
    if (std::find(origin.nodes.begin(), origin.nodes.end(), node) == origin.nodes.end())
      origin.nodes.push_back(node);
  }
  if (origin.nodes.empty() && name.kind == FusedName::Kind::kLayers)
    origin.made = "put in by the importer or the builder: " + Listing(name.parts);
  origin.region = name.kind == FusedName::Kind::kRegion;
  return origin;
}

}  // namespace opscope
