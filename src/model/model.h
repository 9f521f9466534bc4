// Model: a neural network as flat vectors of nodes and tensors, addressed by typed ids.
//
// What a reader knows, and nothing inferred: declared types stay apart from what `ops` computes.
// Weights are references (file, offset, length); only small constants, which may feed shapes, are
// kept. Bodies (If, Loop, Scan) and local functions are graphs of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/string_pool.h"
#include "model/dim.h"
#include "model/dtype.h"

namespace opscope {

using NodeId = Id<struct NodeTag>;
using TensorId = Id<struct TensorTag>;
using GraphId = Id<struct GraphTag>;
using PayloadId = Id<struct PayloadTag>;
using QuantisationId = Id<struct QuantisationTag>;

// A shape: unknown rank, or a list of dims each of which may be unknown.
struct Shape {
  std::optional<std::vector<Dim>> dims;

  bool known_rank() const { return dims.has_value(); }
  std::size_t rank() const { return dims->size(); }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// tensor(T), or a sequence / optional / map that only control flow and ai.onnx.ml move around.
enum class ValueKind : std::uint8_t { kTensor, kSparseTensor, kSequence, kOptional, kMap };

struct TypeInfo {
  ValueKind kind = ValueKind::kTensor;
  DType dtype = DType::kUnknown;  // of the elements, also inside sequences and optionals
  Shape shape;                    // of the element tensor
};

// A constant's bytes: where they lie, and the bytes themselves when they are few.
struct Payload {
  DType dtype = DType::kUnknown;
  std::vector<std::int64_t> dims;
  // Where: in the model file, in an external file (found or not: see Model::external_files), or
  // nowhere (typed fields and strings, which have no bytes of their own).
  enum class Place : std::uint8_t { kInline, kExternal, kNone } place = Place::kNone;
  std::uint32_t external_file = 0;  // index into Model::external_files
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  // Little-endian packed elements when the constant is small (at most kSmallPayloadBytes).
  std::optional<std::string> small;
  bool sparse = false;
};
constexpr std::size_t kSmallPayloadBytes = 8192;

// Elements of a small payload of an integer type (bool as 0 and 1), or of a floating type (float16,
// bfloat16, float8 and float4 decoded). Nullopt when the type is another, the bytes are not at hand
// or too few, or a uint64 passes int64.
std::optional<std::vector<std::int64_t>> IntegersOf(const Payload& payload);
std::optional<std::vector<double>> FloatsOf(const Payload& payload);

// real = scale * (stored - zero point), with one pair for the tensor, for each index of an axis, or
// for each block along it. Of several pairs the first is kept.
struct Quantisation {
  std::size_t scales = 1;
  std::optional<std::int64_t> axis;
  std::int64_t block = 0;  // elements that share a scale along the axis; 0 = no blocks
  float scale = 0;
  std::int64_t zero_point = 0;
};

struct Tensor {
  Str name{0};
  GraphId graph;
  TypeInfo declared;  // what the file says; unknown where it says nothing
  NodeId producer;    // invalid for graph inputs, initializers and outer references
  PayloadId payload;  // valid for initializers
  QuantisationId quantisation;
  bool graph_input = false;
  bool graph_output = false;
  bool variable = false;  // state: nobody computes it, nodes change it, runs hand it on
};

// Attribute values. `Ref` is a function's reference to an attribute of its caller.
struct AttributeRef {
  Str name{0};
};
using AttributeValue =
    std::variant<std::monostate, std::int64_t, float, std::string, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<std::string>, PayloadId, std::vector<PayloadId>,
                 GraphId, std::vector<GraphId>, TypeInfo, AttributeRef, std::vector<TypeInfo>>;
struct Attribute {
  Str name{0};
  AttributeValue value;
};

struct Node {
  Str name{0};      // may be empty, repeated, quoted, Chinese
  Str op{0};        // "Conv"
  Str domain{0};    // normalised: "ai.onnx" for the empty domain
  Str overload{0};  // of the local function that the node calls
  GraphId graph;
  std::vector<TensorId> inputs;  // invalid id = an optional input left out
  std::vector<TensorId> outputs;
  std::vector<Attribute> attributes;
  std::vector<std::pair<Str, Str>> metadata;  // metadata_props, e.g. pkg.torch.onnx.name_scopes
};

// A graph: the model's own, a body, or a function's.
struct Graph {
  Str name{0};
  GraphId parent;          // invalid for the main graph and for functions
  NodeId owner;            // the If / Loop / Scan node that holds this body
  Str owner_attribute{0};  // "then_branch", "body" …
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<TensorId> initializers;
  std::vector<NodeId> nodes;  // file order
};

struct Function {
  Str domain;
  Str name;
  Str overload{0};  // empty = none
  GraphId graph;
  std::vector<Str> attributes;  // names without a default
  std::vector<Attribute> default_attributes;
  std::vector<std::pair<Str, std::int64_t>> opsets;
};

struct ExternalFile {
  std::string path;                    // as the model names it, relative to its folder
  std::optional<std::uint64_t> bytes;  // of the file on disk; nullopt = not found
  bool refused = false;                // leaves the model's folder and that was not allowed
};

struct Model {
  StringPool strings;
  DimTable dims;
  std::vector<Graph> graphs;  // graphs[0] is the model's own
  std::vector<Node> nodes;
  std::vector<Tensor> tensors;
  std::vector<Payload> payloads;
  std::vector<Quantisation> quantisations;
  std::vector<Function> functions;
  std::vector<std::pair<Str, std::int64_t>> opsets;  // domain -> version
  std::vector<ExternalFile> external_files;
  std::vector<std::pair<std::string, std::string>> metadata;  // short values only (<= 256 bytes)
  std::string file;                                           // name alone, without its folder
  std::uint64_t bytes = 0;
  std::string format;          // "onnx"
  std::string producer;        // "pytorch 2.1.0"
  std::string structure_hash;  // xxh3-128 of everything but payloads, 32 hex digits

  const Graph& main() const { return graphs[0]; }
  const Node& node(NodeId id) const { return nodes[id.index()]; }
  const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
  const Graph& graph(GraphId id) const { return graphs[id.index()]; }
  const Payload& payload(PayloadId id) const { return payloads[id.index()]; }
  std::string_view text(Str id) const { return strings.View(id); }
};

// The attribute of that name, or nullptr.
const Attribute* FindAttribute(const Model& model, const Node& node, std::string_view name);

}  // namespace opscope
