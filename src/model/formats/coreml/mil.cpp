// ML programs: functions of blocks of operations, each with named inputs and typed outputs.
//   Operation { type = "conv", inputs { key = "x", value { arguments { name = "a" } } } …,
//               outputs { name = "b", type … }, attributes { key = "name" … } }
// Constants are operations too; small ones that are no operands become attributes of their readers.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/result.h"
#include "base/text.h"
#include "model/formats/coreml/builder.h"

namespace opscope::coreml {

namespace {

DType DTypeOf(std::uint64_t number) {
  switch (number) {
    case 1:
      return DType::kBool;
    case 2:
      return DType::kString;
    case 10:
      return DType::kFloat16;
    case 11:
      return DType::kFloat32;
    case 12:
      return DType::kFloat64;
    case 13:
      return DType::kBFloat16;
    case 21:
      return DType::kInt8;
    case 22:
      return DType::kInt16;
    case 23:
      return DType::kInt32;
    case 24:
      return DType::kInt64;
    case 25:
      return DType::kInt4;
    case 31:
      return DType::kUInt8;
    case 32:
      return DType::kUInt16;
    case 33:
      return DType::kUInt32;
    case 34:
      return DType::kUInt64;
    case 35:
    case 39:
      return DType::kUInt4;  // three bits are counted as four
    case 36:
    case 37:
      return DType::kUInt2;  // one as two
    case 38:
      return DType::kUInt8;  // six as eight
    case 40:
      return DType::kFloat8E4M3FN;
    case 41:
      return DType::kFloat8E5M2;
    default:
      return DType::kUnknown;
  }
}

// Dimension { constant { size } | unknown {} }
Result<Dim> ReadDim(const WireReader& reader, const WireField& field, int depth) {
  Dim dim;
  TRY(ForEach(
      reader.Message(field), depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
        if (f.number != 1 || f.type != WireType::kBytes) return {};
        dim = 0;
        return ForEach(
            r.Message(f), depth + 1, [&](const WireField& size, const WireReader&) -> Result<void> {
              if (size.number == 1 && size.type == WireType::kVarint)
                dim = size.value >> 62 == 0 ? Dim(static_cast<std::int64_t>(size.value)) : Dim();
              return {};
            });
      }));
  return dim;
}

Result<TypeInfo> ReadTensorType(WireReader type, int depth) {
  TypeInfo out;
  std::vector<Dim> dims;
  std::int64_t rank = 0;
  TRY(ForEach(type, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.number == 1 && f.type == WireType::kVarint) out.dtype = DTypeOf(f.value);
    if (f.number == 2 && f.type == WireType::kVarint) rank = static_cast<std::int64_t>(f.value);
    if (f.number != 3 || f.type != WireType::kBytes) return {};
    if (dims.size() >= kMaxRank)
      return Error{"coreml.damaged", "a type has more than 64 dims", AtByte(f.offset)};
    TRY_ASSIGN(const Dim dim, ReadDim(r, f, depth + 1));
    dims.push_back(dim);
    return {};
  }));
  if (rank >= 0) out.shape = Shape{std::move(dims)};
  return out;
}

// ValueType: a tensor, a list, a state of one of them …
Result<TypeInfo> ReadType(WireReader type, int depth) {
  TypeInfo out;
  TRY(ForEach(type, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.type != WireType::kBytes) return {};
    if (f.number == 1) {
      TRY_ASSIGN(out, ReadTensorType(r.Message(f), depth + 1));
    } else if (f.number == 5) {
      return ForEach(r.Message(f), depth + 1,
                     [&](const WireField& w, const WireReader& v) -> Result<void> {
                       if (w.type != WireType::kBytes) return {};
                       TRY_ASSIGN(out, ReadType(v.Message(w), depth + 2));
                       return {};
                     });
    } else {
      out.kind = ValueKind::kSequence;
    }
    return {};
  }));
  return out;
}

struct NamedType {
  std::string name;
  TypeInfo type;
};

Result<NamedType> ReadNamedType(WireReader message, int depth) {
  NamedType out;
  TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
    if (f.number == 1) {
      TRY_ASSIGN(out.name, TextOf(r, f));
    } else if (f.number == 2 && f.type == WireType::kBytes) {
      TRY_ASSIGN(out.type, ReadType(r.Message(f), depth + 1));
    }
    return {};
  }));
  return out;
}

struct Constant {
  TypeInfo type;
  Payload payload;
  std::vector<std::string> texts;
};

// floats, doubles and bytes stand as they are in memory; integers and bools as varints.
Result<void> ReadElements(WireReader values, int depth, Constant& out) {
  return ForEach(values, depth, [&](const WireField& kind, const WireReader& r) -> Result<void> {
    if (kind.type != WireType::kBytes) return {};
    return ForEach(
        r.Message(kind), depth + 1, [&](const WireField& f, const WireReader& v) -> Result<void> {
          if (f.number != 1) return {};
          if (kind.number == 4) {
            if (out.texts.size() >= 64) return {};
            TRY_ASSIGN(std::string text, TextOf(v, f));
            out.texts.push_back(std::move(text));
            return {};
          }
          out.payload.place = Payload::Place::kInline;
          out.payload.offset = f.offset;
          out.payload.length = f.length;
          if (kind.number == 1 || kind.number == 6 || kind.number == 7) {
            if (f.type != WireType::kBytes || f.length > kSmallPayloadBytes) return {};
            TRY_ASSIGN(const std::string_view bytes, v.Bytes(f, kSmallPayloadBytes));
            out.payload.small = std::string(bytes);
            return {};
          }
          if (f.length > kSmallPayloadBytes) return {};
          std::vector<std::int64_t> numbers;
          TRY(AddNumbers(v, f, numbers));
          const auto width = static_cast<std::size_t>(Bits(out.payload.dtype).value_or(32) / 8);
          std::string bytes = out.payload.small.value_or("");
          for (const std::int64_t number : numbers)
            for (std::size_t i = 0; i < std::max<std::size_t>(width, 1); ++i)
              bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
          if (bytes.size() <= kSmallPayloadBytes) out.payload.small = std::move(bytes);
          return {};
        });
  });
}

// The elements that a shape of numbers has.
std::optional<std::int64_t> CountOf(const Shape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  std::int64_t count = 1;
  for (const Dim dim : *shape.dims) {
    const auto next = dim.is_number() ? CheckedMul(count, dim.number()) : std::nullopt;
    if (!next) return std::nullopt;
    count = *next;
  }
  return count;
}

void SetType(const TypeInfo& type, Constant& out) {
  out.type = type;
  out.payload.dtype = type.dtype;
  if (type.shape.known_rank())
    for (const Dim dim : *type.shape.dims)
      out.payload.dims.push_back(dim.is_number() ? dim.number() : 0);
}

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
    bool blocks = false;
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
        op.blocks = true;
      } else if (f.number == 5) {
        return ReadEntry(r.Message(f), depth + 1,
                         [&](std::string key, WireReader value) -> Result<void> {
                           TRY_ASSIGN(Constant constant, ReadValue(value, depth + 2));
                           if (key == "name" && !constant.texts.empty())
                             op.name = constant.texts[0];
                           op.attributes.emplace_back(std::move(key), std::move(constant));
                           return {};
                         });
      }
      return {};
    }));
    return Add(op);
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
                      TRY_ASSIGN(binding.value, ReadValue(v.Message(g), depth + 2));
                    }
                    return {};
                  }));
      op.inputs.push_back(std::move(binding));
      return {};
    });
  }

  Result<Constant> ReadValue(WireReader message, int depth) {
    Constant out;
    std::optional<WireReader> immediate;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.type != WireType::kBytes) return {};
      if (f.number == 2) {
        TRY_ASSIGN(const TypeInfo type, ReadType(r.Message(f), depth + 1));
        SetType(type, out);
      } else if (f.number == 3) {
        immediate = r.Message(f);
      } else if (f.number == 5) {
        return ReadBlob(r.Message(f), depth + 1, out);
      }
      return {};
    }));
    if (immediate) {
      TRY(ForEach(*immediate, depth + 1,
                  [&](const WireField& f, const WireReader& r) -> Result<void> {
                    if (f.number != 1 || f.type != WireType::kBytes) return {};
                    return ReadElements(r.Message(f), depth + 2, out);
                  }));
    }
    return out;
  }

  // @model_path/weights/weight.bin, and where the record of 64 bytes lies that the data follow.
  Result<void> ReadBlob(WireReader message, int depth, Constant& out) {
    constexpr std::string_view kModelPath = "@model_path/";
    constexpr std::uint64_t kRecord = 64;
    std::string file;
    TRY(ForEach(message, depth, [&](const WireField& f, const WireReader& r) -> Result<void> {
      if (f.number == 1) {
        TRY_ASSIGN(file, TextOf(r, f));
      } else if (f.number == 2 && f.type == WireType::kVarint) {
        out.payload.offset = f.value < std::uint64_t{1} << 62 ? f.value + kRecord : 0;
      }
      return {};
    }));
    if (file.starts_with(kModelPath)) file.erase(0, kModelPath.size());
    out.payload.place = Payload::Place::kExternal;
    out.payload.external_file = b_.FileOf(file);
    const auto count = CountOf(out.type.shape);
    const auto bytes = count ? PackedBytes(out.payload.dtype, *count) : std::nullopt;
    out.payload.length = static_cast<std::uint64_t>(bytes.value_or(0));
    return {};
  }

  Result<void> Add(Operation& op) {
    b_.hashed += op.type + "\n";
    const bool constant = op.type == "const" || op.type.starts_with("constexpr_");
    if (constant && op.outputs.size() == 1) return AddConstant(op);
    std::vector<TensorId> inputs;
    std::vector<std::string> keys;
    std::vector<std::pair<std::string, AttributeValue>> attributes;
    Sort(op.inputs);
    for (Binding& binding : op.inputs) {
      const Constant* known = binding.value ? &*binding.value : FindConstant(binding.name);
      if (known != nullptr && !IsOperand(binding.key))
        if (auto value = ValueOf(*known)) {
          attributes.emplace_back(binding.key, std::move(*value));
          continue;
        }
      TRY_ASSIGN(const TensorId input, TensorOf(op, binding));
      inputs.push_back(input);
      keys.push_back(binding.key);
    }
    std::vector<TensorId> outputs;
    for (NamedType& output : op.outputs) outputs.push_back(Define(output));
    b_.graph.Add({"coreml", op.type,
                  op.name.empty() && !op.outputs.empty() ? op.outputs[0].name : op.name,
                  std::move(inputs), std::move(outputs)});
    for (auto& [name, value] : attributes) b_.graph.Attribute(name, std::move(value));
    // The names of the inputs, in their order.
    b_.graph.Attribute("inputs", std::move(keys));
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
                                              "cond"};
    return std::find(std::begin(kOperands), std::end(kOperands), key) != std::end(kOperands);
  }

  // A small constant as an attribute; nullopt for what is large or has no such form.
  static std::optional<AttributeValue> ValueOf(const Constant& constant) {
    const bool scalar = constant.type.shape.known_rank() && constant.type.shape.rank() == 0;
    if (constant.payload.dtype == DType::kString) {
      if (constant.texts.empty()) return std::nullopt;
      return scalar ? AttributeValue(constant.texts[0]) : AttributeValue(constant.texts);
    }
    if (const auto integers = IntegersOf(constant.payload); integers && integers->size() <= 64) {
      if (scalar && integers->size() == 1) return AttributeValue(integers->front());
      return AttributeValue(*integers);
    }
    const auto reals = FloatsOf(constant.payload);
    if (!reals || reals->empty() || reals->size() > 64) return std::nullopt;
    if (scalar) return AttributeValue(static_cast<float>(reals->front()));
    return AttributeValue(std::vector<float>(reals->begin(), reals->end()));
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

  // Constants become tensors when something reads them as data. A packed one (constexpr_…) is one
  // constant of the shape it unpacks to, in the type of its packed elements.
  Result<void> AddConstant(const Operation& op) {
    const NamedType& output = op.outputs[0];
    Constant constant;
    const Constant* from = nullptr;
    const auto consider = [&from](std::string_view key, const Constant& value) {
      if (key == "val" || key == "indices" || key == "quantized_data" || key == "data" ||
          key == "nonzero_data" || key == "source_val")
        if (from == nullptr || key != "data") from = &value;
    };
    for (const auto& [key, value] : op.attributes) consider(key, value);
    for (const Binding& input : op.inputs) {
      if (input.value) {
        consider(input.key, *input.value);
      } else if (const Constant* known = FindConstant(input.name)) {
        consider(input.key, *known);
      }
    }
    if (from != nullptr) constant = *from;
    if (op.type != "const") {
      const DType packed = constant.payload.dtype;
      const std::uint64_t length = constant.payload.length;
      constant.payload.dims.clear();
      constant.payload.small.reset();
      SetType(output.type, constant);
      constant.payload.length = length;
      constant.payload.dtype = PackedTypeOf(op, packed, length, output.type);
    }
    constants_.insert_or_assign(output.name, std::move(constant));
    return {};
  }

  // Before iOS 18 indices of a few bits stand in a vector of bytes, so that the length tells how
  // many; what is sparse counts as what is stored, which no dtype says.
  static DType PackedTypeOf(const Operation& op, DType stored, std::uint64_t length,
                            const TypeInfo& unpacked) {
    if (op.type == "constexpr_cast" || op.type.find("sparse") != std::string::npos)
      return stored == DType::kUnknown ? unpacked.dtype : stored;
    const auto count = CountOf(unpacked.shape);
    if (stored == DType::kUInt8 && count && *count > 0) {
      const std::uint64_t bits = length * 8 / static_cast<std::uint64_t>(*count);
      if (bits <= 2) return DType::kUInt2;
      if (bits <= 4) return DType::kUInt4;
    }
    return stored == DType::kUnknown ? unpacked.dtype : stored;
  }

  Building& b_;
  std::unordered_map<std::string, Constant> constants_;
};

}  // namespace

Result<void> ReadProgram(Building& building, WireReader program, int depth) {
  return Program(building).Read(program, depth);
}

}  // namespace opscope::coreml
