// The walk behind Propagate: one pass over every graph in execution order, bodies on demand.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ops/bindings.h"
#include "ops/order.h"
#include "ops/propagate.h"

namespace opscope {

class Propagator {
 public:
  Propagator(Model& model, InputShapes inputs, ImportLog& log);

  // Once.
  Propagation Run();
  // For shape functions, through OpContext.
  bool RunConditionalBody(GraphId body);
  void SetTrips(GraphId body, Dim trips);
  bool MayRepeat() const;
  Dim DataDependent(const Node& node, std::string_view what, std::string_view of, Dim at_most);
  // Writes the equality down as a fact; false where it holds only under a condition.
  bool Equate(Dim a, Dim b);
  void Note(const Node& node, std::string message);

 private:
  using Opsets = std::vector<std::pair<Str, std::int64_t>>;
  // What a node that calls an expanded function runs.
  struct Call {
    const Function* function;
    GraphId body;
  };

  void FindCalls();
  void SeedFacts();
  void RunGraph(GraphId graph);
  bool RunBody(GraphId body);
  void RunNode(NodeId id);
  // Runs the op's shape function, or the body of the function that it calls. Why its outputs
  // stayed unknown; empty = they did not.
  std::string Infer(NodeId id);
  void RunFunction(NodeId id, const Call& call);
  void Finish(NodeId id);
  void Reconcile(TensorId output);
  // Rewrites what is known under the equalities found.
  void Resolve(TensorFact& fact);
  void ResolveAll();
  // Bounds how many elements are followed in all.
  void LimitElements(TensorFact& fact);
  bool KnowsItsInputs(NodeId id) const;
  void NameUnknownSizes(NodeId id, TensorId output);
  void ComputeWork();
  void Report();
  void ReportProblem(NodeId id);
  // Lies in a body, at any depth, that never runs.
  bool NeverRuns(NodeId id) const;

  const Call* CallOf(NodeId id) const;  // nullptr when the node calls no expanded function
  bool ReadsRuntime(const Node& node) const;
  bool BodiesAreRuntime(NodeId id) const;
  int OpsetOf(const Node& node) const;
  // A tensor that this node alone computes.
  bool IsOwn(NodeId id, TensorId output) const;
  TensorFact& Fact(TensorId id) { return out_.facts[id.index()]; }
  const TensorFact& Fact(TensorId id) const { return out_.facts[id.index()]; }

  Model& model_;
  InputShapes inputs_;
  ImportLog& log_;
  Propagation out_;
  ExecutionOrder order_;
  std::unordered_map<NodeId, std::vector<GraphId>, IdHash> bodies_;
  std::unordered_map<NodeId, Call, IdHash> calls_;
  const Opsets* opsets_;    // of the graph being run
  std::vector<int> opset_;  // by NodeId; 0 = not run yet
  std::size_t depth_ = 0;
  std::size_t conditions_ = 0;  // bodies around the node that may not be run
  std::size_t executed_ = 0;
  std::size_t elements_ = 0;                    // followed so far
  std::size_t contradictions_ = 0;              // met so far
  std::vector<std::size_t> contradictions_in_;  // by GraphId: met in its last run
  std::unordered_map<std::string, const Node*> symbol_owner_;
  std::unordered_set<std::uint32_t> computed_expressions_;
  std::unordered_map<std::string, std::size_t> computed_index_;  // into Propagation::computed
  std::map<NodeId, std::string> notes_;
  std::map<TensorId, std::string> differences_;
};

}  // namespace opscope
