// The JSON of an ATen graph, as archives of torch.export hold it (docs/aten.md).
//
//   {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": […], "nodes": [{"target":
//    "torch.ops.aten.conv2d.default", "inputs": [{"name": "input", "arg": {"as_tensor": …}}], …}],
//    "tensor_values": {"x": {"dtype": 7, "sizes": [{"as_int": 8}, …]}}, "sym_int_values": {…}, …}
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_reader.h"
#include "model/aten/call.h"

namespace opscope::aten {

struct TensorMeta {
  TypeInfo type;
  std::int64_t storage_offset = 0;  // in elements
  std::string device;               // "cpu", "cuda"; empty = unknown
};
// {"dtype": 7, "sizes": [{"as_int": 8}, {"as_expr": {"expr_str": "2*s0"}}], …}, behind its '{'.
Result<TensorMeta> ReadTensorMeta(JsonReader& json, DimTable& dims);

// "float32", or the number that archives of torch.export have for it.
DType ReadDType(const JsonToken& token);

// What weights are called in the graph and in the module.
struct Signature {
  struct Weight {
    std::string value;  // "p_conv1_weight"
    std::string name;   // "conv1.weight"
    enum class Kind : std::uint8_t { kParameter, kBuffer, kConstant } kind = Kind::kParameter;
  };
  std::vector<Weight> weights;
  std::vector<std::string> user_outputs;  // empty = every output of the graph
};

class GraphReader {
 public:
  GraphReader(Model& model, JsonReader& json) : model_(model), json_(json) {}

  // The main graph, behind its '{'. Values that nobody writes become inputs in Finish.
  Result<void> ReadMain();
  // Behind '{' of graph_module.signature.
  Result<Signature> ReadSignature();

  // The graph's inputs: weights get the payload that `signature` names for them in `payloads` (by
  // the name in the module), others are the model's inputs. Weights with the same bytes are one.
  void Finish(const Signature& signature, const std::unordered_map<std::string, Payload>& payloads);

 private:
  // Names of values, of one graph.
  struct Names {
    GraphId graph;
    std::unordered_map<std::string, TensorId> values;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
  };

  Result<void> ReadGraph(Names& names);
  Result<void> ReadNames(const JsonToken& first, std::vector<std::string>& out);
  Result<void> ReadNode(Names& names);
  Result<void> ReadMetadata(Call& call);
  Result<void> ReadNamedArgument(Names& names, Argument& argument);
  Result<void> ReadArgument(Names& names, Argument& argument);
  Result<void> ReadAlternative(Names& names, const std::string& key, Argument& argument);
  Result<void> ReadList(Names& names, const std::string& key, Argument& argument);
  Result<void> ReadElement(Names& names, const JsonToken& first, const std::string& key,
                           Argument& argument);
  Result<void> ReadBody(Names& names, Argument& argument);
  Result<void> ReadOutputs(Names& names, Call& call);
  Result<void> ReadTensorValues(Names& names);
  Result<void> ReadSymbols(Names& names);
  Result<std::string> ReadNameField(std::string_view wanted);
  TensorId Value(Names& names, const std::string& name);
  void BindBodies(std::size_t first_graph, const Call& call);

  // A body whose inputs are given by the node that holds it.
  struct Body {
    GraphId graph;
    std::vector<TensorId> inputs;
  };

  Model& model_;
  JsonReader& json_;
  Schemas schemas_;
  std::set<std::string> devices_;  // of all values
  Names main_;
  std::vector<Body> bodies_;  // of the node being read
};

}  // namespace opscope::aten
