// The op tables: one entry per op and version range. A new op is one entry in its family's file
// (docs/adding-an-op.md); each dialect's `dialects.cpp` lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "ops/fact.h"
#include "ops/work.h"

namespace opscope {

// `node "Conv_3" (Conv)`, or by its first output when it has no name.
std::string Label(const Model& model, const Node& node);

// What a shape function may ask of the walk over the model (propagate.cpp): bodies and symbols.
class Propagator;

// One node together with what is known of its inputs. Shape functions set its outputs.
class OpContext {
 public:
  OpContext(Model& model, const Node& node, int opset, std::vector<TensorFact>& facts,
            Propagator* propagator = nullptr)
      : model_(&model),
        node_(&node),
        own_(&node),
        opset_(opset),
        facts_(&facts),
        propagator_(propagator) {}

  const Model& model() const { return *model_; }
  const Node& node() const { return *node_; }
  // The same node read as one of another version.
  OpContext AtOpset(int opset) const {
    OpContext other = *this;
    other.opset_ = opset;
    return other;
  }
  // The node as an op of another dialect would be written: `form` has the attributes and, in their
  // order, the inputs and outputs of that op, which are tensors of this node. Problems and notes
  // name this node. `form` must outlive what is returned.
  OpContext ReadAs(const Node& form, int opset) const {
    OpContext other = AtOpset(opset);
    other.node_ = &form;
    return other;
  }
  // For writing such a form.
  Str Intern(std::string_view text) const { return model_->strings.Intern(text); }
  std::string_view op() const { return model_->text(node_->op); }
  int opset() const { return opset_; }
  DimTable& dims() const { return model_->dims; }

  std::size_t inputs() const { return node_->inputs.size(); }
  // Present: inside the list and not left out.
  bool has(std::size_t input) const { return input < inputs() && node_->inputs[input].valid(); }
  const TensorFact& in(std::size_t input) const;  // an unknown fact when not present
  std::size_t outputs() const { return node_->outputs.size(); }
  bool has_output(std::size_t output) const {
    return output < outputs() && node_->outputs[output].valid();
  }
  // The fact being set; a sink that nobody reads when the output is left out.
  TensorFact& out(std::size_t output);
  const TensorFact& out(std::size_t output) const;

  // Attributes by name; nullopt when absent (or of another kind, which `infer` reports).
  std::optional<std::int64_t> Int(std::string_view name) const;
  std::int64_t IntOr(std::string_view name, std::int64_t otherwise) const {
    return Int(name).value_or(otherwise);
  }
  std::optional<double> Float(std::string_view name) const;
  std::optional<std::string_view> String(std::string_view name) const;
  std::optional<std::span<const std::int64_t>> Ints(std::string_view name) const;
  std::optional<std::span<const float>> Floats(std::string_view name) const;
  std::optional<std::span<const std::string>> Strings(std::string_view name) const;
  const Payload* PayloadAttribute(std::string_view name) const;
  std::optional<GraphId> GraphAttribute(std::string_view name) const;
  // The first attribute that was asked for and had another kind; empty = none.
  const std::string& misuse() const { return misuse_; }

  // Control flow: set the facts of a body's inputs, run it, read those of its outputs. False when
  // a node in it contradicts what is known of its inputs.
  TensorFact& FactOf(TensorId tensor) const { return (*facts_)[tensor.index()]; }
  bool RunBody(GraphId body);
  // How often one execution of this node runs the body. A body that never runs may contradict.
  void SetTrips(GraphId body, Dim trips);
  // False where loops nest so deep that looking for a fixed point again would cost too much.
  bool MayRepeat() const;
  // A size that only the data decide, as a symbol of its own: "count(NonZero_3)", and what it is
  // at most, where that is known.
  Dim DataDependent(std::string_view what, Dim at_most = {});
  // A size of a tensor that hangs on what happens at run time: "dim1(y)", "length(y)".
  Dim OpenSize(TensorId tensor, std::string_view what, Dim at_most = {});
  Dim OpenDim(TensorId tensor, std::size_t axis, Dim at_most = {}) {
    return OpenSize(tensor, "dim" + std::to_string(axis), at_most);
  }
  // Two dims that a valid model makes equal, as the better known of both. Notes the assumption; it
  // holds everywhere from here on, unless this node runs only under a condition.
  Dim TakeEqual(Dim a, Dim b, std::string_view what) const;
  // An assumption the result stands on; goes to the ImportLog.
  void Note(std::string message) const;

  // An error that names the node: `node "Conv_3" (Conv): attribute "pads" has 3 values, needs 4`.
  Error Problem(std::string message) const;

 private:
  Model* model_;
  const Node* node_;
  const Node* own_;  // of the model; another than `node_` while it is read as another dialect's op
  int opset_;
  std::vector<TensorFact>* facts_;
  Propagator* propagator_;
  TensorFact unused_;
  mutable std::string misuse_;
};

// Sets the outputs' dtype, shape and, where shapes hang on it, elements. An error means: this node
// contradicts the specification; its outputs stay unknown and the error goes to the ImportLog.
using InferFn = Result<void> (*)(OpContext& op);
// What one execution computes; unknown dims give unknown members, never an error.
using WorkFn = Work (*)(const OpContext& op);

struct OpEntry {
  std::string_view op;
  int since = 1;  // opset versions [since, until]
  int until = 1 << 20;
  InferFn infer = nullptr;
  WorkFn work = nullptr;
  std::string_view rule;  // explained by `opscope explain`: "conv", "matmul", …
  // What each input is for, a letter each; the last one also stands for all that follow:
  //   x data   w weight slot (also one element counts as a parameter: weight, bias, scale,
  //   zero point)   s statistic (running mean, variance)   c control (shape, axes, indices, masks)
  std::string_view roles = "x";
  // Other dialects: the op of ai.onnx whose arithmetic this is ("Add" for tflite's ADD): its row
  // of the element-wise table, its part in patterns and conventions. Empty = none.
  std::string_view like = "";
  // The same where an attribute decides (ncnn's UnaryOp); goes before `like`.
  std::string_view (*like_of)(const Model& model, const Node& node) = nullptr;
};

// The entry for an op, or nullptr when this build does not know it.
const OpEntry* FindOp(std::string_view domain, std::string_view op, int opset);

// What the node's op is called in ai.onnx; its own name where it has no counterpart there.
std::string_view StandardOp(const Model& model, const Node& node);
// The domain that goes with it: "ai.onnx" where the op has a counterpart there.
std::string_view StandardDomain(const Model& model, const Node& node);

// For `opscope explain` and the tests: every entry of a domain.
struct Dialect {
  std::string_view domain;
  std::span<const std::span<const OpEntry>> families;
};
std::span<const Dialect> Dialects();

}  // namespace opscope
