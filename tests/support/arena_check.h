// Runs a memory plan: tensors are written to their places and must still be there, whole, when they
// are read. It knows the model and the plan's rows, nothing of how they were made.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/cost_text.h"

namespace opscope {

class ArenaCheck {
 public:
  // The first fault of the plan without or with reuse in place; empty = none.
  static std::string Of(const Analysed& out, bool inplace) {
    ArenaCheck check(out, inplace);
    const MemoryPlan& memory = out.totals().memory;
    if (!memory.arena_bytes) return "there is no arena";
    if (*memory.arena_inplace_bytes > *memory.arena_bytes) return "in place it is larger";
    check.RunGraph(GraphId{0}, memory);
    return check.fault_;
  }

 private:
  struct Range {
    std::int64_t end;
    TensorId owner;
  };
  using Memory = std::map<std::int64_t, Range>;  // by begin: who wrote these bytes last

  ArenaCheck(const Analysed& out, bool inplace)
      : out_(out), model_(out.model), analysis_(out.analysis), inplace_(inplace) {
    for (std::size_t i = 0; i < model_.graphs.size(); ++i)
      if (model_.graphs[i].owner.valid())
        bodies_[model_.graphs[i].owner].push_back({static_cast<std::uint32_t>(i)});
  }

  void Fault(const std::string& what, TensorId tensor) {
    if (fault_.empty())
      fault_ = what + (tensor.valid() ? " " + std::string(model_.text(model_.tensor(tensor).name))
                                      : std::string());
  }
  TensorId Storage(TensorId tensor) const { return analysis_.fact(tensor).storage; }
  std::int64_t Size(const RunMemory& memory) const {
    return inplace_ ? *memory.arena_inplace_bytes : *memory.arena_bytes;
  }
  std::int64_t Begin(const ArenaBlock& row) const {
    return inplace_ ? row.inplace_offset : row.offset;
  }
  bool IsCall(NodeId node) const {
    return analysis_.propagation.entries[node.index()] == nullptr && bodies_.count(node) > 0;
  }

  void Write(Memory& bytes, std::int64_t begin, std::int64_t end, TensorId owner) {
    if (begin == end) return;
    auto at = bytes.upper_bound(begin);
    if (at != bytes.begin()) {
      const auto before = std::prev(at);
      const Range old = before->second;
      if (old.end > begin) before->second.end = begin;
      if (old.end > end) bytes[end] = old;
    }
    while ((at = bytes.lower_bound(begin)) != bytes.end() && at->first < end) {
      const Range old = at->second;
      bytes.erase(at);
      if (old.end > end) bytes[end] = old;
    }
    bytes[begin] = {end, owner};
  }

  void Read(const Memory& bytes, const ArenaBlock& row) {
    const std::int64_t begin = Begin(row);
    if (row.bytes == 0) return;
    const auto at = bytes.find(begin);
    if (at == bytes.end() || at->second.owner != row.tensor || at->second.end < begin + row.bytes)
      Fault("overwritten before it is read:", row.tensor);
  }

  // Every tensor of this graph that the node, or a body inside it, reads.
  void ReadsOf(NodeId node, std::set<TensorId>& reads) const {
    for (const TensorId input : model_.node(node).inputs)
      if (input.valid() && analysis_.fact(input).runtime) reads.insert(Storage(input));
    const auto found = bodies_.find(node);
    if (found == bodies_.end()) return;
    for (const GraphId body : found->second) {
      if (analysis_.dead[body.index()]) continue;
      for (const TensorId output : model_.graph(body).outputs)
        if (output.valid() && analysis_.fact(output).runtime) reads.insert(Storage(output));
      for (const NodeId inner : model_.graph(body).nodes) ReadsOf(inner, reads);
    }
  }

  bool MayReuse(NodeId node) const {
    const Work& work = analysis_.propagation.works[node.index()];
    const auto* elementwise = std::get_if<work::Elementwise>(&work);
    const auto* movement = std::get_if<work::Movement>(&work);
    return (elementwise != nullptr && elementwise->pointwise) ||
           (movement != nullptr && movement->pointwise) ||
           std::holds_alternative<work::Normalisation>(work);
  }

  struct Rows {
    std::map<TensorId, const ArenaBlock*> of_tensor;
    std::map<LayerId, const ArenaBlock*> of_bodies;
  };

  void RunGraph(GraphId graph, const RunMemory& memory) {
    Rows rows;
    for (const ArenaBlock& row : memory.plan) {
      if (Begin(row) % 64 != 0) Fault("not aligned:", row.tensor);
      if (row.tensor.valid()) {
        rows.of_tensor[row.tensor] = &row;
        if (Begin(row) + row.bytes > Size(memory)) Fault("outside the arena:", row.tensor);
      } else {
        rows.of_bodies[row.first] = &row;
      }
    }
    Memory bytes;
    for (const TensorId input : model_.graph(graph).inputs) Place(bytes, rows, input);
    RunNodes(graph, memory, rows, bytes);
    for (const TensorId output : model_.graph(graph).outputs) {
      if (!output.valid() || !analysis_.fact(output).runtime) continue;
      const auto row = rows.of_tensor.find(Storage(output));
      if (row != rows.of_tensor.end()) Read(bytes, *row->second);
    }
  }

  void Place(Memory& bytes, const Rows& rows, TensorId tensor) {
    const auto row = rows.of_tensor.find(tensor);
    if (!tensor.valid() || row == rows.of_tensor.end()) return;
    Write(bytes, Begin(*row->second), Begin(*row->second) + row->second->bytes, tensor);
  }

  void RunNodes(GraphId graph, const RunMemory& memory, const Rows& rows, Memory& bytes) {
    for (const NodeId node : analysis_.propagation.order[graph.index()]) {
      if (IsCall(node)) {
        for (const GraphId body : bodies_.at(node)) RunNodes(body, memory, rows, bytes);
        continue;
      }
      std::set<TensorId> reads;
      ReadsOf(node, reads);
      const auto read_all = [&](bool reused_too) {
        for (const TensorId tensor : reads) {
          const auto row = rows.of_tensor.find(tensor);
          if (row == rows.of_tensor.end()) continue;
          if (reused_too || !IsReused(*row->second, node, rows)) Read(bytes, *row->second);
        }
      };
      read_all(true);
      RunBodies(node, rows, bytes);
      for (const TensorId output : model_.node(node).outputs) Place(bytes, rows, output);
      // Inputs are still there while outputs are written, but for one that is reused in place.
      read_all(false);
      for (const TensorId output : model_.node(node).outputs) {
        const auto row = rows.of_tensor.find(output);
        if (output.valid() && row != rows.of_tensor.end()) Read(bytes, *row->second);
      }
    }
  }

  bool IsReused(const ArenaBlock& operand, NodeId node, const Rows& rows) const {
    if (!inplace_ || !MayReuse(node)) return false;
    const TensorId output = model_.node(node).outputs[0];
    const auto row = rows.of_tensor.find(output);
    if (row == rows.of_tensor.end()) return false;
    const Model& model = model_;
    const bool from_outside = !model.tensor(operand.tensor).producer.valid();
    return !from_outside && Begin(*row->second) == Begin(operand) &&
           row->second->bytes == operand.bytes;
  }

  void RunBodies(NodeId node, const Rows& rows, Memory& bytes) {
    const auto found = bodies_.find(node);
    if (found == bodies_.end()) return;
    std::int64_t largest = 0;
    const LayerId layer = analysis_.layer_of[node.index()];
    for (const RunMemory& body : out_.totals().memory.bodies) {
      if (body.container != layer) continue;
      largest = std::max(largest, Size(body));
      for (const GraphId graph : found->second)
        if (model_.text(model_.graph(graph).owner_attribute) == body.path.back())
          RunGraph(graph, body);
    }
    const auto row = rows.of_bodies.find(layer);
    if (row == rows.of_bodies.end()) return;
    Write(bytes, Begin(*row->second), Begin(*row->second) + largest, TensorId{});
  }

  const Analysed& out_;
  const Model& model_;
  const StaticAnalysis& analysis_;
  const bool inplace_;
  std::map<NodeId, std::vector<GraphId>> bodies_;
  std::string fault_;
};

}  // namespace opscope
