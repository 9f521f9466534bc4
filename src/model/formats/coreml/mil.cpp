// ML programs: functions of blocks of operations, each with named inputs and typed outputs.
//   Operation { type = "conv", inputs { key = "x", value { arguments { name = "a" } } } …,
//               outputs { name = "b", type … }, attributes { key = "name" … } }
// Constants are operations too; small ones that are no operands become attributes of their readers.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "model/formats/coreml/builder.h"
#include "model/formats/coreml/mil_value.h"

namespace opscope::coreml {

namespace {

class Program {
 public:
  explicit Program(Building& building) : b_(building) {}

  Result<void> Read(WireReader program, int depth) {
    std::vector<std::pair<std::string, WireReader>> functions;
    TRY(ForEach(program, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number != 2 || f.type != WireType::kBytes) return {};
      return ReadEntry(r.Message(f), depth + 1,
                       [&](std::string key, WireReader value) -> Result<void> {
                         if (functions.size() < 1024) functions.emplace_back(std::move(key), value);
                         return {};
                       });
    }));
    if (functions.empty()) return Error{"coreml.damaged", "the program has no function", ""};
    auto chosen = std::find_if(functions.begin(), functions.end(),
                               [](const auto& f) { return f.first == "main"; });
    if (chosen == functions.end()) chosen = functions.begin();
    if (functions.size() > 1)
      b_.context.log.Add("coreml.functions", Severity::kNotice, chosen->first,
                         "of " + std::to_string(functions.size()) +
                             " functions this one is shown; the others share its weights");
    return ReadFunction(chosen->second, depth + 1);
  }

 private:
  using Entry = std::function<Result<void>(std::string key, WireReader value)>;
  // A map's entry: key (1), value (2).
  static Result<void> ReadEntry(WireReader message, int depth, const Entry& visit) {
    std::string key;
    std::optional<WireReader> value;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1) {
        TRY_ASSIGN(key, TextOf(r, f));
      } else if (f.number == 2 && f.type == WireType::kBytes) {
        value = r.Message(f);
      }
      return {};
    }));
    if (!value) return {};
    return visit(std::move(key), *value);
  }

  Result<void> ReadFunction(WireReader function, int depth) {
    std::vector<std::pair<std::string, WireReader>> blocks;
    std::string opset;
    TRY(ForEach(function, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1 && f.type == WireType::kBytes) {
        TRY_ASSIGN(NamedType input, ReadNamedType(r.Message(f), depth + 1));
        AddInput(input);
      } else if (f.number == 2) {
        TRY_ASSIGN(opset, TextOf(r, f));
      } else if (f.number == 3 && f.type == WireType::kBytes) {
        return ReadEntry(r.Message(f), depth + 1,
                         [&](std::string key, WireReader value) -> Result<void> {
                           if (blocks.size() < 64) blocks.emplace_back(std::move(key), value);
                           return {};
                         });
      }
      return {};
    }));
    if (blocks.empty()) return Error{"coreml.damaged", "the function has no block", ""};
    auto chosen = std::find_if(blocks.begin(), blocks.end(),
                               [&](const auto& block) { return block.first == opset; });
    if (chosen == blocks.end()) chosen = blocks.begin();
    b_.model.metadata.emplace_back("mil opset", chosen->first.substr(0, 64));
    return ReadBlock(chosen->second, depth + 1);
  }

  // Features of the model's description are there already, with their flexible sizes.
  void AddInput(const NamedType& input) {
    const auto found = b_.tensors.find(input.name);
    if (found == b_.tensors.end()) {
      b_.tensors.emplace(input.name,
                         b_.graph.Input(input.name, input.type.dtype, input.type.shape));
      return;
    }
    Tensor& tensor = b_.model.tensors[found->second.index()];
    if (!tensor.declared.shape.known_rank() && !tensor.producer.valid())
      tensor.declared.shape = input.type.shape;
    if (tensor.declared.dtype == DType::kUnknown) tensor.declared.dtype = input.type.dtype;
  }

  Result<void> ReadBlock(WireReader block, int depth) {
    return ForEach(block, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number != 3 || f.type != WireType::kBytes) return {};
      return ReadOperation(r.Message(f), depth + 1);
    });
  }

  struct Binding {
    std::string key;
    std::string name;
    std::optional<Constant> value;
  };
  struct Operation {
    std::string type, name;
    std::vector<Binding> inputs;
    std::vector<NamedType> outputs;
    std::vector<std::pair<std::string, Constant>> attributes;
    std::vector<WireReader> blocks;
  };

  Result<void> ReadOperation(WireReader message, int depth) {
    Operation op;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      if (f.number == 1) {
        TRY_ASSIGN(op.type, TextOf(r, f));
      } else if (f.number == 2) {
        return ReadEntry(r.Message(f), depth + 1, [&](std::string key, WireReader value) {
          return ReadArgument(key, value, depth + 2, op);
        });
      } else if (f.number == 3) {
        TRY_ASSIGN(NamedType output, ReadNamedType(r.Message(f), depth + 1));
        op.outputs.push_back(std::move(output));
      } else if (f.number == 4) {
        op.blocks.push_back(r.Message(f));
      } else if (f.number == 5) {
        return ReadEntry(r.Message(f), depth + 1,
                         [&](std::string key, WireReader value) -> Result<void> {
                           TRY_ASSIGN(Constant constant, ReadValue(b_, value, depth + 2));
                           if (key == "name" && !constant.texts.empty())
                             op.name = constant.texts[0];
                           op.attributes.emplace_back(std::move(key), std::move(constant));
                           return {};
                         });
      }
      return {};
    }));
    return Add(op, depth);
  }

  Result<void> ReadArgument(const std::string& key, WireReader argument, int depth, Operation& op) {
    return ForEach(argument, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number != 1 || f.type != WireType::kBytes) return {};
      Binding binding;
      binding.key = key;
      TRY(ForEach(r.Message(f), depth + 1,
                  [&](const WireField& g, const WireReader& v) -> Result<void> {
                    if (g.number == 1) {
                      TRY_ASSIGN(binding.name, TextOf(v, g));
                    } else if (g.number == 2 && g.type == WireType::kBytes) {
                      TRY_ASSIGN(binding.value, ReadValue(b_, v.Message(g), depth + 2));
                    }
                    return {};
                  }));
      op.inputs.push_back(std::move(binding));
      return {};
    });
  }

  Result<void> Add(Operation& op, int depth) {
    b_.hashed += op.type + "\n";
    const bool constant = op.type == "const" || op.type.starts_with("constexpr_");
    if (constant && op.outputs.size() == 1) return AddConstant(op);
    std::vector<TensorId> inputs;
    std::vector<std::string> keys;
    std::vector<std::pair<std::string, TensorId>> beside;
    std::vector<std::pair<std::string, AttributeValue>> attributes;
    Sort(op.inputs);
    for (Binding& binding : op.inputs) {
      const Constant* known = binding.value ? &*binding.value : FindConstant(binding.name);
      if (known != nullptr && !IsOperand(binding.key))
        if (auto value = AttributeOf(*known)) {
          attributes.emplace_back(binding.key, std::move(*value));
          continue;
        }
      TRY_ASSIGN(const TensorId input, TensorOf(op, binding));
      inputs.push_back(input);
      keys.push_back(binding.key);
      if (known != nullptr && binding.key.starts_with("weight"))
        for (const auto& [name, payload] : known->beside)
          beside.emplace_back(binding.key + "." + name, BesideOf(binding.name, name, payload));
    }
    for (auto& [key, input] : beside) {
      inputs.push_back(input);
      keys.push_back(std::move(key));
    }
    std::vector<TensorId> outputs;
    for (NamedType& output : op.outputs) outputs.push_back(Define(output));
    b_.graph.Add({"coreml", op.type,
                  op.name.empty() && !op.outputs.empty() ? op.outputs[0].name : op.name,
                  std::move(inputs), std::move(outputs)});
    for (auto& [name, value] : attributes) b_.graph.Attribute(name, std::move(value));
    // The names of the inputs, in their order.
    b_.graph.Attribute("inputs", std::move(keys));
    return AddBodies(op, depth);
  }

  // cond: what is done when it holds, and when it does not; both see the values around them.
  // while_loop: the condition and the body, each with the loop's values as its inputs.
  Result<void> AddBodies(const Operation& op, int depth) {
    if (op.blocks.size() != 2) return {};
    const bool loop = op.type == "while_loop";
    if (!loop && op.type != "cond") return {};
    const NodeId owner{static_cast<std::uint32_t>(b_.model.nodes.size() - 1)};
    constexpr std::string_view kNames[2][2] = {{"then_branch", "else_branch"}, {"cond", "body"}};
    for (std::size_t i = 0; i < 2; ++i) {
      const GraphId before = b_.graph.Enter(owner, kNames[loop ? 1 : 0][i]);
      TRY(ReadBody(op, op.blocks[i], depth + 1));
      b_.graph.Leave(before);
    }
    return {};
  }

  Result<void> ReadBody(const Operation& op, WireReader block, int depth) {
    std::vector<std::string> outputs;
    TRY(ForEach(block, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      if (f.number == 1) {
        TRY_ASSIGN(const NamedType input, ReadNamedType(r.Message(f), depth + 1));
        b_.tensors.insert_or_assign(input.name,
                                    b_.graph.Input(input.name, input.type.dtype, input.type.shape));
      } else if (f.number == 2) {
        TRY_ASSIGN(std::string output, TextOf(r, f));
        outputs.push_back(std::move(output));
      } else if (f.number == 3) {
        return ReadOperation(r.Message(f), depth + 1);
      }
      return {};
    }));
    for (std::string& output : outputs) {
      TRY_ASSIGN(const TensorId id, TensorOf(op, {"output", std::move(output), std::nullopt}));
      b_.graph.Output(id);
    }
    return {};
  }

  TensorId Define(const NamedType& value) {
    TensorId id = b_.graph.Value(value.name, value.type);
    const auto [at, added] = b_.tensors.emplace(value.name, id);
    if (!added) {
      const Tensor& before = b_.model.tensor(at->second);
      // An output feature that the description named.
      if (!before.producer.valid() && !before.graph_input && !before.payload.valid())
        return at->second;
      at->second = id;
    }
    return id;
  }

  // Data first, weights behind, as the tables of roles have them.
  static void Sort(std::vector<Binding>& inputs) {
    constexpr std::string_view kOrder[] = {
        "x",       "data",      "values",    "input",  "query",     "key",
        "value",   "a",         "b",         "cond",   "y",         "indices",
        "updates", "initial_h", "initial_c", "weight", "weight_ih", "weight_hh",
        "bias",    "alpha",     "beta",      "gamma",  "mean",      "variance"};
    const auto place = [&](const Binding& binding) {
      return std::find(std::begin(kOrder), std::end(kOrder), binding.key) - std::begin(kOrder);
    };
    std::stable_sort(inputs.begin(), inputs.end(), [&](const Binding& l, const Binding& r) {
      return place(l) != place(r) ? place(l) < place(r) : false;
    });
    // gamma before beta, as everywhere.
    const auto gamma = std::find_if(inputs.begin(), inputs.end(),
                                    [](const Binding& i) { return i.key == "gamma"; });
    const auto beta = std::find_if(inputs.begin(), inputs.end(),
                                   [](const Binding& i) { return i.key == "beta"; });
    if (gamma != inputs.end() && beta != inputs.end() && beta < gamma) std::iter_swap(gamma, beta);
  }

  static bool IsOperand(std::string_view key) {
    constexpr std::string_view kOperands[] = {"x",
                                              "y",
                                              "data",
                                              "values",
                                              "input",
                                              "query",
                                              "key",
                                              "value",
                                              "a",
                                              "b",
                                              "weight",
                                              "bias",
                                              "gamma",
                                              "beta",
                                              "mean",
                                              "variance",
                                              "weight_ih",
                                              "weight_hh",
                                              "initial_h",
                                              "initial_c",
                                              "weight_ih_back",
                                              "weight_hh_back",
                                              "bias_back",
                                              "updates",
                                              "cond",
                                              "pred",
                                              "loop_vars"};
    return std::find(std::begin(kOperands), std::end(kOperands), key) != std::end(kOperands);
  }

  const Constant* FindConstant(const std::string& name) const {
    const auto found = constants_.find(name);
    return found == constants_.end() ? nullptr : &found->second;
  }

  Result<TensorId> TensorOf(const Operation& op, const Binding& binding) {
    if (binding.value)
      return b_.graph.Constant(op.name + "." + binding.key, binding.value->payload);
    if (const auto found = b_.tensors.find(binding.name); found != b_.tensors.end())
      return found->second;
    if (const Constant* constant = FindConstant(binding.name)) {
      const TensorId id = b_.graph.Constant(binding.name, constant->payload);
      b_.tensors.emplace(binding.name, id);
      return id;
    }
    return Error{"coreml.undefined",
                 "operation \"" + Printable(op.name) + "\" (" + Printable(op.type) + ") reads \"" +
                     Printable(binding.name) + "\", which nothing before it writes",
                 ""};
  }

  // A table, its scale and zero point, those of the scales: no chain of packings is longer.
  static constexpr std::size_t kMaxBeside = 8;

  // Once for all that read the weight.
  TensorId BesideOf(const std::string& weight, const std::string& name, const Payload& payload) {
    const std::string full = weight + "." + name;
    const auto [at, added] = b_.tensors.emplace(full, TensorId());
    if (added) at->second = b_.graph.Constant(full, payload);
    return at->second;
  }

  // Constants become tensors when something reads them as data. A packed one (constexpr_…) is one
  // constant of the shape it unpacks to, in the type of its packed elements, with the tables and
  // scales beside it.
  Result<void> AddConstant(const Operation& op) {
    const NamedType& output = op.outputs[0];
    Constant constant;
    const Constant* from = nullptr;
    const auto consider = [&](const std::string& key, const Constant& value) {
      constexpr std::string_view kBeside[] = {"scale", "zero_point", "offset", "lut", "mask"};
      if (key == "val" || key == "indices" || key == "quantized_data" || key == "data" ||
          key == "nonzero_data" || key == "source_val") {
        if (from == nullptr || key != "data") from = &value;
      } else if (std::find(std::begin(kBeside), std::end(kBeside), key) != std::end(kBeside)) {
        constant.beside.emplace_back(key, value.payload);
      }
    };
    for (const auto& [key, value] : op.attributes) consider(key, value);
    for (const Binding& input : op.inputs) {
      if (input.value) {
        consider(input.key, *input.value);
      } else if (const Constant* known = FindConstant(input.name)) {
        consider(input.key, *known);
      }
    }
    if (from != nullptr) {
      // Packed twice: the scales of a table of scales.
      auto beside = std::exchange(constant.beside, {});
      constant = *from;
      constant.beside.insert(constant.beside.end(), beside.begin(), beside.end());
      if (constant.beside.size() > kMaxBeside) constant.beside.resize(kMaxBeside);
    }
    if (op.type != "const") {
      const DType packed = constant.payload.dtype;
      const std::uint64_t length = constant.payload.length;
      constant.payload.dims.clear();
      constant.payload.small.reset();
      SetType(output.type, constant);
      constant.payload.length = length;
      constant.payload.dtype = PackedTypeOf(op.type, packed, length, output.type);
    }
    constants_.insert_or_assign(output.name, std::move(constant));
    return {};
  }

  Building& b_;
  std::unordered_map<std::string, Constant> constants_;
};

}  // namespace

Result<void> ReadProgram(Building& building, WireReader program, int depth) {
  return Program(building).Read(program, depth);
}

}  // namespace opscope::coreml
