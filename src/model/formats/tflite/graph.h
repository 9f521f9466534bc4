// Sub-graphs and their operators. The main one is sub-graph 0; one that an operator runs (IF,
// WHILE, CALL …) becomes a body of it, a copy for each place that runs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats/tflite/options.h"
#include "model/formats/tflite/tensor.h"

namespace opscope::tflite {

// What an index of the model's operator codes stands for.
struct OperatorCode {
  Str domain{0};
  Str op{0};
};

class GraphReader {
 public:
  GraphReader(Flat& flat, const Table& root, Model& model, const ModelReadContext& context);

  // Adds sub-graph `index` and everything it runs. `owner` invalid = the main graph.
  GraphId Read(std::int64_t index, GraphId parent, NodeId owner, std::string_view attribute);
  Buffers& buffers() { return tensors_.buffers(); }
  std::int64_t subgraphs() const { return std::int64_t{subgraphs_.size}; }
  // Which sub-graphs were read.
  const std::vector<bool>& used() const { return used_; }

 private:
  void ReadCodes(const Table& root);
  void ReadOperator(const Table& table, GraphId graph, const std::vector<TensorId>& tensors);
  void ReadAttributes(const Table& table, NodeId node, std::vector<BodyReference>& bodies);
  void ReadBody(NodeId node, const BodyReference& reference);
  std::vector<TensorId> Bind(const std::vector<std::int64_t>& indices,
                             const std::vector<TensorId>& tensors);
  void NameFreeDims(GraphId graph);
  void Note(std::string_view code, Severity severity, std::string_view where,
            std::string_view message) {
    context_.log.Add(code, severity, where, message);
  }

  Flat& flat_;
  Model& model_;
  const ModelReadContext& context_;
  TensorReader tensors_;
  Vector subgraphs_;
  std::vector<OperatorCode> codes_;
  std::vector<std::int64_t> open_;  // sub-graphs being read, outermost first
  std::vector<bool> used_;
};

}  // namespace opscope::tflite
