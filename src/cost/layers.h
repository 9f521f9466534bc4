// The rows of the analysis: one a node, in file order, bodies after their container.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// No dim of it is unknown.
bool KnownShape(const TensorFact& fact);
// Why a number is unknown although all shapes are.
constexpr std::string_view kTooLarge = "a size or a formula passes the limits of this build";

// By NodeId: the graphs that node owns (branches, loop bodies, the expanded function it calls), in
// the order of their ids.
std::vector<std::vector<GraphId>> BodiesByOwner(const Model& model);

// True for a call of an expanded function: its nodes count as if they stood in its place.
bool IsCall(const StaticAnalysis& analysis, NodeId node);

// The `path` of the layers in a body.
std::vector<std::string> BodyPath(const Model& model, const StaticAnalysis& analysis, GraphId body);

// Fills `layers` (node, container, scope, path, runtime) and `layer_of` from the model's graphs.
void ListLayers(const Model& model, const std::vector<std::vector<GraphId>>& bodies,
                StaticAnalysis& analysis);

// Module path of a node: metadata pkg.torch.onnx.name_scopes, else its name without the last part.
std::vector<std::string> ScopeOf(const Model& model, const Node& node);

// Fills status, because, rule, counts and dtypes of every layer from its Work.
void CountLayers(Model& model, StaticAnalysis& analysis);

// Fills `times` and `dead`: trips of the enclosing loops multiplied. Of the branches of an If the
// one that is known to be taken runs once, else the one with more MACs; the other never, so that
// rows add up to the totals.
void SetTimes(Model& model, const std::vector<std::vector<GraphId>>& bodies,
              StaticAnalysis& analysis);

}  // namespace opscope
