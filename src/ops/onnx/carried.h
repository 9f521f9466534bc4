// Values that the body of a Loop or Scan hands to its next execution.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ops/op.h"

namespace opscope::onnx {

// Sets a fact without touching where the tensor's bytes lie.
void Assign(OpContext& op, TensorId tensor, const TensorFact& fact);
// The fact of an output of a body; unknown when it is left out.
TensorFact OutputOf(const OpContext& op, GraphId body, std::size_t output);

class CarriedValues {
 public:
  // They are body inputs from `first_input` on and body outputs from `first_output` on.
  CarriedValues(OpContext& op, GraphId body, std::vector<TensorFact> initial,
                std::size_t first_input, std::size_t first_output);

  // Runs the body until what it hands on is what it was given. A dim that differs from one
  // execution to the next becomes a symbol, "dim0(v)", v being the body's input; elements become
  // unknown; what still changes after some rounds is given up. `prepare` sets the other inputs.
  void Settle(const std::function<void()>& prepare);
  // Runs the body once more as it was last run.
  void Restore(const std::function<void()>& prepare);

  // Some dim or length differs from one execution to the next.
  bool varies() const { return !symbols_.empty() || given_up_; }
  // Value i after `trips` executions, for output `output` of the node. A dim that grows by the same
  // size each time is known.
  TensorFact After(Dim trips, std::size_t i, std::size_t output);
  void OpenTripSizes(TensorFact& fact, std::size_t output);

 private:
  // `dim` says nothing outside of one execution.
  bool HangsOnTrip(Dim dim) const;
  // Widens state i by what the body made of it; true when that changed it.
  bool Widen(std::size_t i);
  bool WidenShape(std::size_t i, const TensorFact& next);
  bool WidenElements(std::size_t i, const TensorFact& next);
  bool WidenSequence(std::size_t i, const TensorFact& next);
  void GiveUp();
  Dim Open(Dim dim, std::size_t i, const std::string& what);
  // After `trips` executions, each of which makes `out` of `in`; unknown when that is not known.
  Dim Grown(Dim initial, Dim in, Dim out, Dim trips);
  void Run(const std::function<void()>& prepare);

  OpContext& op_;
  GraphId body_;
  std::vector<TensorFact> initial_, state_;
  std::size_t first_input_, first_output_;
  std::set<std::string> symbols_;
  bool given_up_ = false;
};

}  // namespace opscope::onnx
