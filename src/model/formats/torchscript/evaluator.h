// Follows the code of a TorchScript module from its `forward` on and writes the ops it would call
// into a model. Modules are entered where they are called; numbers that stand in the code are
// computed; nothing of tensors is.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "model/aten/call.h"
#include "model/formats/torchscript/code.h"
#include "model/formats/torchscript/pickle.h"
#include "model/formats/torchscript/value.h"

namespace opscope::torchscript {

// "__torch__.torch.nn.modules.conv.___torch_mangle_3.Conv2d" -> "torch.nn.modules.conv.Conv2d".
std::string TypeOf(std::string_view class_name);

class Evaluator {
 public:
  struct Surroundings {
    Model& model;
    ImportLog& log;
    const Pickle& data;
    const Pickle* constants;  // nullptr = there are none
    // The code of a file: "__torch__/torch/nn/modules/conv"; nullptr when there is none.
    std::function<Result<const CodeFile*>(const std::string& path)> code;
    // A tensor of a pickle as a constant of the model.
    std::function<Result<TensorId>(const PickleValue& tensor, const std::string& name)> weight;
  };
  explicit Evaluator(Surroundings around) : around_(std::move(around)) {}

  // Writes the graph of `forward`.
  Result<void> Run();

 private:
  using Names = std::map<std::string, Value, std::less<>>;
  struct Frame {
    Names names;
    std::string module;  // dotted path
    std::string type;    // its class
    Value result;
    bool returned = false;
  };

  Result<void> Block(const std::vector<Statement>& block, Frame& frame);
  Result<void> One(const Statement& statement, Frame& frame);
  Result<void> Assign(const Statement& statement, Frame& frame);
  Result<void> If(const Statement& statement, Frame& frame);
  Result<void> Loop(const Statement& statement, Frame& frame);
  Result<Value> Eval(const Expression& expression, Frame& frame);
  Result<Value> Attribute(const Expression& expression, Frame& frame);
  Result<Value> Index(const Expression& expression, Frame& frame);
  Result<Value> Call(const Expression& call, Frame& frame);
  Result<Value> Method(const Value& object, const std::string& name, const Expression& call,
                       Frame& frame);
  Result<Value> Function(const std::string& path, const Expression& call, Frame& frame);
  Result<Value> Enter(const FunctionCode& code, const Value* self, const Expression& call,
                      Frame& frame);
  Result<Value> Builtin(const std::string& name, const Expression& call, Frame& frame);
  Result<Value> Op(const std::string& domain, const std::string& name, const Expression& call,
                   Frame& frame);
  Result<bool> Fold(const std::string& name, const std::vector<Value>& in, Value& out);
  Value Emit(const std::string& domain, const std::string& name,
             std::vector<aten::Argument> arguments, std::size_t outputs, const Frame& frame);
  Result<const ClassCode*> ClassOf(const std::string& name);
  Result<Value> FromPickle(const PickleValue& value, const std::string& path);
  std::vector<Value> Unpack(const Value& value, std::size_t count, Frame& frame);
  Value Piece(const Value& pieces, std::size_t index);
  Value Sized(const Value& sizes, std::int64_t axis, const Frame& frame);
  aten::Argument ToArgument(const Value& value, const std::string& name, char kind, Frame& frame);
  const aten::Schema* Choose(const std::string& domain, const std::string& name,
                             const std::vector<Value>& values,
                             const std::vector<std::string>& keywords) const;
  bool Budget();

  Surroundings around_;
  aten::Schemas schemas_;
  std::unordered_map<std::string, int> names_;
  std::size_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace opscope::torchscript
