// What the model computes, moves and keeps, without running it.
#pragma once

#include "opscope/document/convention.h"
#include "opscope/document/field.h"
#include "opscope/document/llm.h"
#include "opscope/document/text.h"

namespace opscope::doc {

struct UncountedOp {
  static constexpr std::string_view kTitle = "UncountedOp";

  std::string op;
  std::int64_t nodes = 0;
  Text because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("op", self.op, {"With its domain unless that is ai.onnx"});
    v("nodes", self.nodes, {"", "1"});
    v("because", self.because);
  }
};

// Where a planned block lies and how long it is used.
struct ArenaBlock {
  static constexpr std::string_view kTitle = "ArenaBlock";

  std::optional<std::string> tensor;
  std::optional<std::int64_t> first, last;  // layer ids
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
  std::int64_t inplace_offset = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("tensor", self.tensor, {"Null: the bodies of the layer that it is there for"});
    v("first", self.first, {"Id of the layer that makes it; null = there from the start"});
    v("last", self.last, {"Id of the last layer that needs it; null = kept to the end"});
    v("bytes", self.bytes, {"", "bytes"});
    v("offset", self.offset, {"In the arena of arena_bytes", "bytes"});
    v("inplace_offset", self.inplace_offset, {"In the arena of arena_inplace_bytes", "bytes"});
  }
};

// A body of If, Loop or Scan on its own. While its container runs, the largest body's numbers are
// part of those outside.
struct BodyMemory {
  static constexpr std::string_view kTitle = "BodyMemory";

  std::vector<std::string> path;
  std::int64_t container = 0;
  Count live_peak_bytes, arena_bytes, arena_inplace_bytes;
  std::vector<ArenaBlock> plan;
  Map<std::string> formula;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("path", self.path, {"As in the layers of the body"});
    v("container", self.container, {"Id of the layer whose body it is"});
    v("live_peak_bytes", self.live_peak_bytes, {"", "bytes"});
    v("arena_bytes", self.arena_bytes, {"", "bytes"});
    v("arena_inplace_bytes", self.arena_inplace_bytes, {"", "bytes"});
    v.Part("plan", self.plan);
    v.Part("formula", self.formula, {"For numbers above that hang on a free symbol and are null"});
    v.Part("because", self.because, {"Why a number above is null, by its key"});
  }
};

// What the interpreter of the format plans for tensors when it runs its own kernels, without their
// scratch.
struct InterpreterArena {
  static constexpr std::string_view kTitle = "InterpreterArena";

  std::string interpreter;
  std::int64_t bytes = 0;
  std::int64_t persistent_bytes = 0;
  std::int64_t variable_bytes = 0;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("interpreter", self.interpreter, {"tflite"});
    v("bytes", self.bytes, {"For activations, inputs and outputs kept throughout", "bytes"});
    v("persistent_bytes", self.persistent_bytes, {"Weights decoded once", "bytes"});
    v("variable_bytes", self.variable_bytes, {"State that stays between runs", "bytes"});
  }
};

struct Memory {
  static constexpr std::string_view kTitle = "Memory";

  Count live_peak_bytes;
  std::optional<std::int64_t> live_peak_at;  // layer id
  std::vector<std::string> live_tensors;
  Count arena_bytes;
  Count arena_inplace_bytes;
  Count naive_bytes;
  std::optional<InterpreterArena> interpreter_arena;
  std::vector<ArenaBlock> plan;
  std::vector<BodyMemory> bodies;
  Map<std::string> formula;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("live_peak_bytes", self.live_peak_bytes,
      {"Largest sum of activations alive at one layer; views share storage", "bytes"});
    v("live_peak_at", self.live_peak_at, {"Id of that layer"});
    v("live_tensors", self.live_tensors, {"Alive at the peak, largest first"});
    v("arena_bytes", self.arena_bytes, {"One planned block for all activations", "bytes"});
    v("arena_inplace_bytes", self.arena_inplace_bytes,
      {"The same with safe reuse in place", "bytes"});
    v("naive_bytes", self.naive_bytes, {"All activations side by side, views taken out", "bytes"});
    v.Part("interpreter_arena", self.interpreter_arena, {"Of TFLite models whose sizes are known"});
    v.Part("plan", self.plan, {"The blocks of both arenas, in the order in which they are needed"});
    v.Part("bodies", self.bodies, {"Bodies of control flow, in the order of their containers"});
    v.Part("formula", self.formula, {"For numbers above that hang on a free symbol and are null"});
    v.Part("because", self.because, {"Why a number above is null, by its key"});
  }
};

struct MacsByType {
  static constexpr std::string_view kTitle = "MacsByType";

  std::string activation;
  std::string weight;
  std::string accumulator;
  Count macs;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("activation", self.activation);
    v("weight", self.weight);
    v("accumulator", self.accumulator);
    v("macs", self.macs, {"", "MAC"});
  }
};

// The columns of the cost model, shared by totals and layers.
struct Counts {
  static constexpr std::string_view kTitle = "Counts";

  Count macs, bias_adds, elementwise, transcendental, comparisons, flops, operations;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("macs", self.macs, {"Multiply-accumulates; 1 MAC = 1 multiplication + 1 addition", "MAC"});
    v("bias_adds", self.bias_adds, {"Additions of a bias", "operations"});
    v("elementwise", self.elementwise, {"Additions, multiplications … by element", "operations"});
    v("transcendental", self.transcendental, {"exp, log, tanh, sqrt …", "operations"});
    v("comparisons", self.comparisons, {"max, min, compare, select", "operations"});
    v("flops", self.flops, {"2 * macs", "FLOP"});
    v("operations", self.operations, {"flops + the four columns before it", "operations"});
  }
};

// Traffic after the usual fusions (docs/fusions.md): only what crosses the border of a group moves.
struct Fused {
  static constexpr std::string_view kTitle = "Fused";

  std::int64_t groups = 0;
  Count read_bytes, write_bytes, weight_bytes;
  std::optional<double> intensity;
  Map<std::string> formula;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("groups", self.groups, {"Groups that move bytes; a layer that nothing joins is one", "1"});
    v("read_bytes", self.read_bytes, {"Activations read by all groups", "bytes"});
    v("write_bytes", self.write_bytes, {"Activations written by all groups", "bytes"});
    v("weight_bytes", self.weight_bytes, {"Constants read by all groups", "bytes"});
    v("intensity", self.intensity, {"flops / (read + write + weight bytes)", "FLOP/byte"});
    v.Part("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
  }
};

struct Totals {
  static constexpr std::string_view kTitle = "Totals";

  std::int64_t nodes = 0;
  std::int64_t runtime_nodes = 0;
  std::int64_t counted = 0;
  bool complete = true;
  std::vector<UncountedOp> uncounted;
  Counts counts;
  Count parameters, statistics, constants, parameter_bytes;
  Count read_bytes, write_bytes, weight_bytes, activation_bytes;
  std::optional<double> intensity;
  Fused fused;
  Memory memory;
  Map<ConventionTotals> by_convention;
  std::vector<MacsByType> macs_by_dtype;
  Map<std::string> formula;
  Map<Extent> bounds;
  Map<std::string> at_most;
  Map<Text> because;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("nodes", self.nodes, {"Nodes of the file, bodies included", "1"});
    v("runtime_nodes", self.runtime_nodes, {"Nodes that hang on a graph input", "1"});
    v("counted", self.counted, {"Nodes whose cost is known", "1"});
    v("complete", self.complete, {"False: the totals are a lower bound"});
    v("uncounted", self.uncounted, {"Nodes without a cost, by op"});
    Counts::Visit(v, self.counts);
    v("parameters", self.parameters, {"Weights and biases", "elements"});
    v("statistics", self.statistics, {"Mean and variance of batch normalisation", "elements"});
    v("constants", self.constants, {"Masks, tables, shape values", "elements"});
    v("parameter_bytes", self.parameter_bytes, {"Of parameters, as stored", "bytes"});
    v("read_bytes", self.read_bytes, {"Activations read by all layers, unfused", "bytes"});
    v("write_bytes", self.write_bytes, {"Activations written by all layers, unfused", "bytes"});
    v("weight_bytes", self.weight_bytes, {"Constants read by all layers", "bytes"});
    v("activation_bytes", self.activation_bytes, {"Outputs of all runtime nodes", "bytes"});
    v("intensity", self.intensity, {"flops / (read + write + weight bytes), unfused", "FLOP/byte"});
    v("fused", self.fused);
    v("memory", self.memory);
    v.Part("by_convention", self.by_convention, {"What other tools would print, by their name"});
    v("macs_by_dtype", self.macs_by_dtype);
    v("formula", self.formula, {"For integers above that hang on a free symbol and are null"});
    v.Part("bounds", self.bounds,
           {"Sizes that only the data decide and were not bound: what each is at most, null = no "
            "bound is known"});
    v.Part("at_most", self.at_most,
           {"Upper bounds of the formulas that hang on such a size, in the other symbols"});
    v.Part("because", self.because, {"Why an integer above is null, by its key"});
  }
};

// A tensor as a layer sees it.
struct TensorUse {
  static constexpr std::string_view kTitle = "TensorUse";

  std::string tensor;
  std::string dtype;
  Shape shape;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("tensor", self.tensor);
    v("dtype", self.dtype);
    v("shape", self.shape);
  }
};

// One node of the file; nodes of bodies follow their container.
struct Layer {
  static constexpr std::string_view kTitle = "Layer";

  std::int64_t id = 0;
  std::string name;
  std::string op;
  std::string domain;
  std::vector<std::string> scope;
  std::vector<std::string> path;
  std::optional<std::int64_t> times = 1;
  std::vector<TensorUse> inputs;
  std::vector<TensorUse> outputs;
  std::string status;
  std::optional<Text> because;
  std::optional<std::string> rule;
  std::optional<std::string> formula;
  Counts counts;
  Count parameters, parameter_bytes;
  std::optional<std::int64_t> shared_with;
  Count weight_bytes, read_bytes, write_bytes;
  std::optional<double> intensity;
  std::optional<std::int64_t> group;
  Map<std::string> formulas;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("id", self.id, {"Position in this list"});
    v("name", self.name);
    v("op", self.op);
    v("domain", self.domain);
    v("scope", self.scope, {"Module path, from the name or the metadata"});
    v("path", self.path, {"Body or function nest"});
    v("times", self.times, {"Trips of the enclosing loops; 0 = branch not counted", "1"});
    v("inputs", self.inputs);
    v("outputs", self.outputs);
    v("status", self.status, {"", "", "counted|view|free|constant|container|unknown"});
    v("because", self.because, {"Why a number is null"});
    v("rule", self.rule, {"The rule of the cost model that was used"});
    v("formula", self.formula, {"The rule with its factors"});
    Counts::Visit(v, self.counts);
    v("parameters", self.parameters,
      {"Weights and biases this layer is the first reader of", "elements"});
    v("parameter_bytes", self.parameter_bytes, {"", "bytes"});
    v("shared_with", self.shared_with, {"Layer that owns the shared constants"});
    v("weight_bytes", self.weight_bytes, {"Constants read in one execution", "bytes"});
    v("read_bytes", self.read_bytes, {"Activations read in one execution", "bytes"});
    v("write_bytes", self.write_bytes, {"Activations written in one execution", "bytes"});
    v("intensity", self.intensity, {"flops / (read + write + weight bytes)", "FLOP/byte"});
    v("group", self.group, {"Id of the first layer of the group it is fused with; null = in none"});
    v.Part("formulas", self.formulas,
           {"For integers above that hang on a free symbol and are null"});
  }
};

struct Static {
  static constexpr std::string_view kTitle = "Static";

  Totals totals;
  std::optional<Llm> llm;
  std::vector<Layer> layers;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("totals", self.totals, {"Sums of the layers times their `times`"});
    v("llm", self.llm, {"Null without attention"});
    v("layers", self.layers, {"One a node, in file order"});
  }
};

}  // namespace opscope::doc
