#include "support/tflite_model.h"

#include <algorithm>
#include <utility>

namespace opscope::testing {

namespace {

class Builder {
 public:
  std::string Build(const std::vector<TfliteGraph>& graphs) {
    buffers_.push_back(FlatTable({}));
    std::vector<FlatPointer> subgraphs;
    for (const TfliteGraph& graph : graphs) subgraphs.push_back(Subgraph(graph));
    return WriteFlat(FlatTable({{0, I32(3)},
                                {1, FlatList(codes_)},
                                {2, FlatList(subgraphs)},
                                {3, FlatText("made by a test")},
                                {4, FlatList(buffers_)},
                                {8, FlatList(groups_)},
                                {9, FlatList(externals_)}}),
                     "TFL3");
  }

 private:
  FlatPointer Tensor(const TfliteTensor& tensor) {
    FlatFields fields = {
        {0, FlatInts(tensor.shape)}, {1, I8(tensor.type)}, {3, FlatText(tensor.name)}, {8, I8(1)}};
    if (tensor.data) {
      fields[2] = I32(static_cast<std::int64_t>(buffers_.size()));
      buffers_.push_back(FlatTable({{0, FlatBytes(*tensor.data)}}));
    }
    if (tensor.place) AddPlace(*tensor.place, fields);
    if (tensor.quantisation != nullptr) fields[4] = tensor.quantisation;
    if (tensor.variable) fields[5] = I8(1);
    if (!tensor.signature.empty()) fields[7] = FlatInts(tensor.signature);
    return FlatTable(std::move(fields));
  }

  void AddPlace(const TfliteTensor::Place& place, FlatFields& tensor) {
    if (place.file.empty()) {
      tensor[2] = I32(static_cast<std::int64_t>(buffers_.size()));
      buffers_.push_back(FlatTable({{1, I64(place.offset)}, {2, I64(place.size)}}));
      return;
    }
    const auto group = static_cast<std::int64_t>(groups_.size());
    groups_.push_back(FlatTable({{0, FlatText(place.file)}}));
    const auto id = static_cast<std::int64_t>(externals_.size()) + 1;
    externals_.push_back(
        FlatTable({{0, I32(id)}, {1, I32(group)}, {2, I64(place.offset)}, {3, I64(place.size)}}));
    tensor[10] = I32(id);
  }

  std::int64_t Code(const TfliteOp& op) {
    const auto key = std::pair(op.code, op.custom);
    const auto known = std::find(known_.begin(), known_.end(), key);
    if (known != known_.end()) return known - known_.begin();
    FlatFields fields = {{0, I8(std::min(op.code, 127))}, {3, I32(op.code)}};
    if (!op.custom.empty()) fields[1] = FlatText(op.custom);
    codes_.push_back(FlatTable(std::move(fields)));
    known_.push_back(key);
    return static_cast<std::int64_t>(known_.size()) - 1;
  }

  FlatPointer Operator(const TfliteOp& op) {
    FlatFields fields = {{0, I32(Code(op))}, {1, FlatInts(op.inputs)}, {2, FlatInts(op.outputs)}};
    if (op.options_type != 0) {
      fields[3] = I8(op.options_type);
      fields[4] = FlatTable(op.options);
    }
    if (op.options2_type != 0) {
      fields[11] = I8(op.options2_type);
      fields[12] = FlatTable(op.options);
    }
    return FlatTable(std::move(fields));
  }

  FlatPointer Subgraph(const TfliteGraph& graph) {
    std::vector<FlatPointer> tensors, ops;
    for (const TfliteTensor& tensor : graph.tensors) tensors.push_back(Tensor(tensor));
    for (const TfliteOp& op : graph.ops) ops.push_back(Operator(op));
    return FlatTable({{0, FlatList(tensors)},
                      {1, FlatInts(graph.inputs)},
                      {2, FlatInts(graph.outputs)},
                      {3, FlatList(ops)},
                      {4, FlatText("main")}});
  }

  std::vector<FlatPointer> buffers_, codes_, groups_, externals_;
  std::vector<std::pair<int, std::string>> known_;
};

}  // namespace

std::string TfliteFile(const std::vector<TfliteGraph>& graphs) { return Builder().Build(graphs); }

}  // namespace opscope::testing
