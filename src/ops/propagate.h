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

// A size that only the data decide: "count(NonZero_3)".
struct ComputedSymbol {
  std::string name;
  Dim at_most;                        // unknown = no bound is known
  std::optional<std::int64_t> bound;  // by --bind
};

struct Propagation {
  std::vector<TensorFact> facts;        // by TensorId
  std::vector<const OpEntry*> entries;  // by NodeId; nullptr = unknown op or function call
  std::vector<Work> works;              // by NodeId
  // By NodeId: hangs on a graph input. Shape-only arithmetic on known dims is a constant.
  std::vector<bool> runtime;
  std::vector<std::string> problems;  // by NodeId: why outputs stayed unknown; empty = none
  // By GraphId: how often one execution of the owner runs this body. 1 for functions and for both
  // branches of an If, 0 for a branch that contradicts the shapes while the other fits; unknown
  // for graphs that no node owns.
  std::vector<Dim> trips;
  // By GraphId: the nodes in an order in which every input is computed before it is read; file
  // order where the file is sorted. Nodes that wait for a cycle stand last.
  std::vector<std::vector<NodeId>> order;
  std::vector<ComputedSymbol> computed;  // in the order of the walk
};

// Local functions become bodies of the nodes that call them (the call path is kept): graphs whose
// `owner` is the call and whose `owner_attribute` is the function's name. Nodes inside read the
// tensors of the caller directly; only outputs are tensors of their own, which the call's outputs
// share storage with. A function that calls itself, nests deeper than kMaxCallDepth, or would grow
// the model past kMaxExpandedNodes stays a call and is reported (ops.function-recursive,
// ops.function-limit).
constexpr std::size_t kMaxExpandedNodes = 200'000;
constexpr std::size_t kMaxCallDepth = 64;
void ExpandFunctions(Model& model, ImportLog& log);

// Errors: usage.shape (an input that is not there, another rank, a number in place of another that
// some node then contradicts), usage.bind (no such symbol).
Result<Propagation> Propagate(Model& model, const PropagateOptions& options, ImportLog& log);

}  // namespace opscope
