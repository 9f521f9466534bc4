// Names of an engine's layers: the grammar of model/fused_name.h, or what the engine lists itself.
#include "join/origin_rules.h"
#include "model/fused_name.h"

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

RowOrigin TensorrtOrigin(const OriginContext& context, const RuntimeRow& row) {
  RowOrigin origin;
  const FusedName name = ParseFusedName(context.text(row.name));
  if (name.kind == FusedName::Kind::kReformat) {
    origin.made = WhatReformatDoes(name);
    return origin;
  }
  origin.nodes = context.Listed(context.text(row.name));
  if (origin.nodes.empty()) origin.nodes = OnnxLayersOf(context.text(row.origin));
  if (!origin.nodes.empty()) return origin;
  if (name.kind == FusedName::Kind::kKernel && name.parts.empty()) {
    origin.generated = true;
    return origin;
  }
  bool made = !name.parts.empty();
  for (const FusedPart& part : name.parts) {
    made &= part.kind == FusedPart::Kind::kMade;
    if (part.kind != FusedPart::Kind::kMade) origin.nodes.push_back(part.name);
  }
  if (made && name.kind == FusedName::Kind::kLayers)
    origin.made = "put in by the importer or the builder: " + Listing(name.parts);
  origin.region = name.kind == FusedName::Kind::kRegion;
  return origin;
}

// Times of whole inferences.
RowOrigin TensorrtTimesOrigin(const OriginContext& context, const RuntimeRow& row) {
  RowOrigin origin;
  origin.generated = context.text(row.op) == "Compute";
  if (!origin.generated) origin.made = "moves inputs or outputs between host and device";
  return origin;
}

}  // namespace opscope
