#include "cost/tflite_arena.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "cost/arena.h"

namespace opscope {

namespace {

constexpr std::size_t kUnset = static_cast<std::size_t>(-1);
// Placing is quadratic in tensors that live at once; beyond this nothing is planned.
constexpr std::size_t kMaxTensors = 4'000;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;

struct Life {
  std::size_t first = kUnset, last = 0;  // steps
  std::int64_t bytes = 0;
};

struct Placed {
  Life life;
  std::int64_t offset = 0;
  std::int64_t end() const { return offset + life.bytes; }
};

std::int64_t Aligned(std::int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

template <std::size_t N>
bool Among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Planner {
 public:
  Planner(Model& model, const StaticAnalysis& analysis)
      : model_(model),
        analysis_(analysis),
        lives_(model.tensors.size()),
        shown_(model.tensors.size()),
        uses_(model.tensors.size(), 0),
        persistent_(model.tensors.size(), false) {}

  std::optional<TfliteArena> Run() {
    const std::vector<NodeId>& steps = model_.main().nodes;
    for (std::size_t t = 0; t < shown_.size(); ++t) shown_[t] = {static_cast<std::uint32_t>(t)};
    for (const NodeId node : steps)
      for (const TensorId input : model_.node(node).inputs)
        if (input.valid()) ++uses_[input.index()];
    for (const TensorId input : model_.main().inputs)
      if (input.valid() && IsActivation(input)) lives_[input.index()] = {0, steps.size(), 0};
    for (std::size_t step = 0; step < steps.size(); ++step) Visit(model_.node(steps[step]), step);
    for (const TensorId output : model_.main().outputs)
      if (output.valid() && IsActivation(output)) LifeOf(output).last = steps.size();
    if (!Measure() || !Place(steps.size())) return std::nullopt;
    return arena_;
  }

 private:
  bool IsActivation(TensorId tensor) const {
    return !model_.tensor(tensor).payload.valid() && !model_.tensor(tensor).variable &&
           !persistent_[tensor.index()];
  }

  Life& LifeOf(TensorId tensor) { return lives_[shown_[tensor.index()].index()]; }

  void Visit(const Node& node, std::size_t step) {
    constexpr std::array<std::string_view, 2> kDecoding = {"DEQUANTIZE", "DENSIFY"};
    const std::string_view op = model_.text(node.op);
    if (Among(kDecoding, op) && !node.inputs.empty() && node.inputs[0].valid() &&
        (model_.tensor(node.inputs[0]).payload.valid() || persistent_[node.inputs[0].index()])) {
      for (const TensorId output : node.outputs)
        if (output.valid()) persistent_[output.index()] = true;
      return;
    }
    if (!node.outputs.empty() && node.outputs[0].valid()) WriteOver(node, op);
    for (const TensorId output : node.outputs) {
      if (!output.valid() || !IsActivation(output)) continue;
      Life& life = LifeOf(output);
      if (life.first == kUnset) life.first = step;
      life.last = std::max(life.last, step);
    }
    for (const TensorId input : node.inputs)
      if (input.valid() && IsActivation(input))
        LifeOf(input).last = std::max(LifeOf(input).last, step);
  }

  void WriteOver(const Node& node, std::string_view op) {
    constexpr std::array<std::string_view, 4> kViews = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS",
                                                        "BITCAST"};
    constexpr std::array<std::string_view, 4> kArithmetic = {"ADD", "SUB", "MUL", "DIV"};
    const TensorId output = node.outputs[0];
    const bool view = Among(kViews, op);
    if (!view && !Among(kArithmetic, op)) return;
    for (const TensorId input : node.inputs) {
      if (input.valid() && IsActivation(input) && (view || DiesHere(input, output))) {
        shown_[output.index()] = shown_[input.index()];
        return;
      }
      if (view) return;
    }
  }

  bool DiesHere(TensorId input, TensorId output) const {
    const Tensor& tensor = model_.tensor(input);
    return uses_[input.index()] == 1 && !tensor.graph_input && !tensor.graph_output &&
           Bytes(input) == Bytes(output);
  }

  Dim Bytes(TensorId tensor) const { return BytesOf(model_.dims, analysis_.fact(tensor)); }

  // Sizes of everything; false where one is not a number.
  bool Measure() {
    std::int64_t total = 0;
    for (std::size_t t = 0; t < lives_.size(); ++t) {
      const TensorId tensor{static_cast<std::uint32_t>(t)};
      const bool main = model_.tensor(tensor).graph == GraphId{0};
      const bool variable = model_.tensor(tensor).variable && main;
      if (lives_[t].first == kUnset && !persistent_[t] && !variable) continue;
      const Dim bytes = Bytes(tensor);
      if (!bytes.is_number()) return false;
      total = SaturatingAdd(total, bytes.number());
      if (total > kMaxBytes) return false;
      if (variable) arena_.variable_bytes += Aligned(bytes.number());
      if (persistent_[t]) arena_.persistent_bytes += Aligned(bytes.number());
      lives_[t].bytes = bytes.number();
    }
    return true;
  }

  bool Place(std::size_t end) {
    std::vector<Life> waiting;
    for (const Life& life : lives_)
      if (life.first != kUnset) waiting.push_back(life);
    if (waiting.size() > kMaxTensors) return false;
    const auto whole = [end](const Life& life) { return life.first == 0 && life.last == end; };
    std::stable_sort(waiting.begin(), waiting.end(), [&](const Life& a, const Life& b) {
      if (whole(a) != whole(b)) return whole(a);
      if (whole(a)) return false;
      if (a.bytes != b.bytes) return a.bytes > b.bytes;
      return a.first < b.first;
    });
    std::vector<Placed> placed;  // by offset
    for (const Life& life : waiting) PlaceOne(life, placed);
    for (const Placed& block : placed) arena_.bytes = std::max(arena_.bytes, block.end());
    return true;
  }

  static void PlaceOne(const Life& life, std::vector<Placed>& placed) {
    std::int64_t at = 0, best = -1, best_gap = kMaxBytes * 2;
    for (const Placed& other : placed) {
      if (other.life.last < life.first || other.life.first > life.last) continue;
      const std::int64_t from = Aligned(at);
      if (from + life.bytes <= other.offset && other.offset - at < best_gap) {
        best = from;
        best_gap = other.offset - at;
      }
      at = std::max(at, other.end());
    }
    const Placed block = {life, best >= 0 ? best : Aligned(at)};
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), block,
                         [](const Placed& a, const Placed& b) { return a.offset < b.offset; }),
        block);
  }

  Model& model_;
  const StaticAnalysis& analysis_;
  std::vector<Life> lives_;        // by TensorId; of those that own their bytes
  std::vector<TensorId> shown_;    // by TensorId: whose bytes it has
  std::vector<std::size_t> uses_;  // by TensorId
  std::vector<bool> persistent_;   // by TensorId
  TfliteArena arena_;
};

}  // namespace

std::optional<TfliteArena> PlanTfliteArena(Model& model, const StaticAnalysis& analysis) {
  if (model.format != "tflite") return std::nullopt;
  return Planner(model, analysis).Run();
}

}  // namespace opscope
