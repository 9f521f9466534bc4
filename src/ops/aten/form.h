// An op of PyTorch written as the op of ai.onnx that it is, so that one rule serves both.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/aten/args.h"

namespace opscope::aten {

class Form {
 public:
  // `inputs`: which input of the node stands at each place of the ONNX op; -1 = left out.
  Form(const OpContext& op, std::string_view onnx, std::initializer_list<int> inputs);
  Form(const OpContext& op, std::string_view onnx, std::vector<int> inputs);

  Form& Set(std::string_view name, AttributeValue value);
  Form& Outputs(std::vector<TensorId> outputs);

  // Shape function and work of the ONNX op; inputs that the work names are those of the node.
  Result<void> Infer() const;
  Work WorkOf() const;
  OpContext Context() const { return op_.ReadAs(node_, 1 << 20); }

 private:
  const OpContext& op_;
  std::string_view onnx_;
  std::vector<int> inputs_;
  Node node_;
};

using FormFn = Form (*)(const OpContext& op);

template <FormFn kForm>
Result<void> InferForm(OpContext& op) {
  return kForm(op).Infer();
}
template <FormFn kForm>
Work FormWork(const OpContext& op) {
  return kForm(op).WorkOf();
}

}  // namespace opscope::aten
