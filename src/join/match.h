// Anchors: the nodes of the model that a row's name, its output tensor, the optimised model or the
// order of ops points to. What else a row covers is found from there (cover.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "join/analysis.h"
#include "join/model_index.h"
#include "join/rows.h"

namespace opscope {

// The row computes this node. An output anchor says that the node writes the row's result: what
// the row covers lies before it; otherwise the node is the first that the row covers, or any.
struct Anchor {
  NodeId node;
  bool output = false;
};

struct RowMatch {
  GraphId graph;  // in which the row runs; invalid when its container found no node
  std::vector<Anchor> anchors;
  std::vector<std::string> core_ops;  // the row's main op, as the model may call it
  // Every tensor that the row reads is one of the model (the optimised model says so): what it
  // covers ends there, and nowhere before.
  bool bounded = false;
  bool compiled = false;  // a subgraph that a provider compiled
};

// Rows that run in one graph: the model's own, or one body of one container row.
struct RowGroup {
  GraphId graph;
  std::vector<std::uint32_t> rows;  // by first appearance
};

struct Matches {
  std::vector<RowMatch> rows;  // by row
  std::vector<RowGroup> groups;
};

// Finds anchors; sets kind, method, confidence and because of the rows.
Matches MatchRows(const ModelIndex& index, const ModelIndex* optimized, RowTable& table);

}  // namespace opscope
