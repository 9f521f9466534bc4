// Propagation: runs the op tables over a model, bodies included, and says what is known of every
// tensor and how often every node runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/import_log.h"
#include "model/model.h"
#include "ops/fact.h"
#include "ops/op.h"

namespace opscope {

struct PropagateOptions {
  Bindings bindings;                                        // --bind N=1
  std::map<std::string, std::vector<std::int64_t>> shapes;  // --shape x=1x3x224x224 (-1 = keep)
};

struct Propagation {
  std::vector<TensorFact> facts;        // by TensorId
  std::vector<const OpEntry*> entries;  // by NodeId; nullptr = unknown op or container
  std::vector<Work> works;              // by NodeId
  // By NodeId: hangs on a graph input. Shape-only arithmetic on known dims is a constant.
  std::vector<bool> runtime;
  std::vector<std::string> problems;  // by NodeId: why outputs stayed unknown; empty = none
};

// Local functions become bodies of the nodes that call them (the call path is kept); a function
// that calls itself, or grows past a million nodes, stays a call and is reported.
void ExpandFunctions(Model& model, ImportLog& log);

// Errors: usage.shape (an input that is not there, another rank), usage.bind (no such symbol).
Result<Propagation> Propagate(Model& model, const PropagateOptions& options, ImportLog& log);

}  // namespace opscope
