#include <array>
#include <functional>
#include <unordered_map>

#include "ops/contrib/families.h"
#include "ops/onnx/families.h"
#include "ops/op.h"

namespace opscope {

namespace {

struct Key {
  std::string_view domain, op;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.op) * 31 + hash(key.domain);
  }
};

// The versions of one op, which mostly are one entry.
using Index = std::unordered_map<Key, std::vector<const OpEntry*>, KeyHash>;

Index BuildIndex() {
  Index index;
  for (const Dialect& dialect : Dialects()) {
    for (const std::span<const OpEntry> family : dialect.families) {
      for (const OpEntry& entry : family) index[{dialect.domain, entry.op}].push_back(&entry);
    }
  }
  return index;
}

}  // namespace

std::span<const Dialect> Dialects() {
  static const std::array kOnnx = {
      onnx::AttentionOps(), onnx::BinaryOps(),        onnx::ConstantOps(), onnx::ControlOps(),
      onnx::ConvOps(),      onnx::DetectionOps(),     onnx::EinsumOps(),   onnx::GatherOps(),
      onnx::LossOps(),      onnx::StateOps(),         onnx::TextOps(),     onnx::MatMulOps(),
      onnx::MoveOps(),      onnx::NormalisationOps(), onnx::PoolOps(),     onnx::QuantiseOps(),
      onnx::RandomOps(),    onnx::ReduceOps(),        onnx::ResizeOps(),   onnx::RnnOps(),
      onnx::SequenceOps(),  onnx::ShapeOps(),         onnx::SignalOps(),   onnx::SliceOps(),
      onnx::SoftmaxOps(),   onnx::UnaryOps()};
  static const std::array kOnnxMl = {onnx::MlOps(), onnx::TreeOps()};
  static const std::array kPreview = {onnx::PreviewOps()};
  static const std::array kTraining = {onnx::TrainingOps()};
  static const std::array kMicrosoft = {
      contrib::AttentionOps(), contrib::CacheAttentionOps(), contrib::ConvOps(),
      contrib::DecodeOps(),    contrib::ElementwiseOps(),    contrib::ExpertOps(),
      contrib::MatMulOps(),    contrib::MoveOps(),           contrib::NBitsOps(),
      contrib::NamedOps(),     contrib::NormOps(),           contrib::PoolOps(),
      contrib::QuantiseOps(),  contrib::StateOps()};
  static const std::array kNchwc = {contrib::NchwcOps()};
  static const std::array kNhwc = {contrib::NhwcOps()};
  static const std::array kDialects = {Dialect{"ai.onnx", kOnnx},
                                       Dialect{"ai.onnx.ml", kOnnxMl},
                                       Dialect{"ai.onnx.preview", kPreview},
                                       Dialect{"ai.onnx.preview.training", kTraining},
                                       Dialect{"com.microsoft", kMicrosoft},
                                       Dialect{"com.microsoft.nchwc", kNchwc},
                                       Dialect{"com.ms.internal.nhwc", kNhwc}};
  return kDialects;
}

const OpEntry* FindOp(std::string_view domain, std::string_view op, int opset) {
  static const Index kIndex = BuildIndex();
  const auto found = kIndex.find({domain, op});
  if (found == kIndex.end()) return nullptr;
  for (const OpEntry* entry : found->second) {
    if (entry->since <= opset && opset <= entry->until) return entry;
  }
  return nullptr;
}

}  // namespace opscope
