// What the rows of a runtime's profile say about the model, by the rules of the format that names
// them. One function a format; names become nodes in match_origin.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "join/analysis.h"
#include "model/model.h"
#include "trace/trace.h"

namespace opscope {

struct RowOrigin {
  std::vector<std::string> nodes;  // names of nodes that it computes (constants may be among them)
  std::vector<std::string> outputs;  // names of tensors that it writes
  std::int32_t node_index = -1;      // in the main graph
  // Of an operator inside a delegate: ops of the model that it may be, joined by order.
  std::vector<std::string_view> ops;
  std::string_view otherwise =
      {};                    // what the row does where none of these is free; empty = unknown
  bool region = false;       // `nodes` are the first and the last: what lies between is its as well
  bool outputs_all = false;  // it computes everything before its outputs that no other row does
  bool generated = false;    // its name says nothing about the model
  std::string made;          // not empty: it is no node's; what it does
};

// A row that is no node's: what it does.
void MarkRuntime(Row& row, const std::string& what);

// Of every row of the trace's profile, in its order. `engine`: the layers that ran, where the
// engine's own model is at hand (TensorRT's layer information); may be null.
std::vector<RowOrigin> OriginsOf(const Trace& trace, const Model* engine);

}  // namespace opscope
