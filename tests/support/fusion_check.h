// What must hold of groups of fused layers, whatever the rules that made them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/cost_text.h"

namespace opscope {

// For models without bodies and calls, with bound shapes: groups are convex, and the layers'
// traffic less what is made and read inside a group alone, less repeated reads, is the fused one.
class FusionCheck {
 public:
  explicit FusionCheck(const Analysed& out) : out_(out), analysis_(out.analysis) {
    for (const NodeId node : analysis_.propagation.order[0]) order_.push_back(node);
  }

  void Run() const {
    EveryLayerIsInOneGroup();
    GroupsAreConvex();
    TrafficReconciles();
  }

 private:
  const Layer& LayerOf(NodeId node) const {
    return analysis_.layer(analysis_.layer_of[node.index()]);
  }
  bool IsData(TensorId tensor) const {
    return tensor.valid() && analysis_.fact(tensor).runtime && !analysis_.fact(tensor).ints;
  }
  static bool Moves(const Layer& layer) {
    return layer.runtime &&
           (layer.status == LayerStatus::kCounted || layer.status == LayerStatus::kUnknown);
  }

  void EveryLayerIsInOneGroup() const {
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i) {
      const Layer& layer = analysis_.layers[i];
      EXPECT_TRUE(!Moves(layer) || layer.group.valid()) << "layer " << i;
      if (!layer.group.valid()) continue;
      EXPECT_LE(layer.group.index(), i);
      EXPECT_EQ(analysis_.layer(layer.group).group, layer.group) << "named by its first layer";
    }
  }

  // From each group forward: what hangs on it through another group may not be in it.
  void GroupsAreConvex() const {
    std::map<LayerId, std::vector<NodeId>> groups;
    for (const NodeId node : order_)
      if (LayerOf(node).group.valid()) groups[LayerOf(node).group].push_back(node);
    for (const auto& [group, members] : groups) {
      if (members.size() < 2) continue;
      std::set<TensorId> inside, left;  // made by the group; hang on it through others
      for (const NodeId node : order_) {
        bool reads_inside = false, reads_left = false;
        for (const TensorId input : out_.model.node(node).inputs) {
          if (!IsData(input)) continue;
          reads_inside = reads_inside || inside.count(input) > 0;
          reads_left = reads_left || left.count(input) > 0;
        }
        const bool member = LayerOf(node).group == group;
        EXPECT_FALSE(member && reads_left) << out_.model.text(out_.model.node(node).name);
        for (const TensorId output : out_.model.node(node).outputs) {
          if (!output.valid()) continue;
          if (member) inside.insert(output);
          if (!member && (reads_inside || reads_left)) left.insert(output);
        }
      }
    }
  }

  std::int64_t Bytes(TensorId tensor) const {
    Model& model = const_cast<Model&>(out_.model);  // interns nothing: shapes are bound
    return BytesOf(model.dims, analysis_.fact(tensor)).number();
  }

  void TrafficReconciles() const {
    std::map<TensorId, std::set<LayerId>> read_by;  // storage -> groups
    std::map<TensorId, LayerId> made_by;
    std::set<TensorId> outputs;
    for (const TensorId output : out_.model.main().outputs)
      outputs.insert(analysis_.fact(output).storage);
    std::int64_t repeated = 0;
    for (const NodeId node : order_) {
      const Layer& layer = LayerOf(node);
      if (!Moves(layer)) continue;
      std::set<TensorId> seen;
      std::set<TensorId> now;  // read by this layer first: it may do so under several views
      for (const TensorId input : out_.model.node(node).inputs) {
        if (!input.valid() || !analysis_.fact(input).runtime || !seen.insert(input).second)
          continue;
        const TensorId storage = analysis_.fact(input).storage;
        const auto made = made_by.find(storage);
        if (read_by[storage].insert(layer.group).second) now.insert(storage);
        const bool first = now.count(storage) > 0;
        if (!first || (made != made_by.end() && made->second == layer.group))
          repeated += Bytes(storage);
      }
      for (const TensorId output : out_.model.node(node).outputs)
        if (output.valid()) made_by[output] = layer.group;
    }
    std::int64_t internal = 0;
    for (const auto& [tensor, group] : made_by)
      if (outputs.count(tensor) == 0 && read_by[tensor] == std::set<LayerId>{group})
        internal += Bytes(tensor);
    const StaticTotals& totals = out_.totals();
    EXPECT_EQ(totals.read_bytes.number() - repeated, totals.fused.read_bytes.number());
    EXPECT_EQ(totals.write_bytes.number() - internal, totals.fused.write_bytes.number());
    EXPECT_LE(totals.fused.weight_bytes.number(), totals.weight_bytes.number());
  }

  const Analysed& out_;
  const StaticAnalysis& analysis_;
  std::vector<NodeId> order_;
};

}  // namespace opscope
