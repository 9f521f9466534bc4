#include <array>
#include <functional>
#include <unordered_map>

#include "ops/aten/families.h"
#include "ops/contrib/families.h"
#include "ops/coreml/families.h"
#include "ops/ncnn/families.h"
#include "ops/onnx/families.h"
#include "ops/op.h"
#include "ops/openvino/families.h"
#include "ops/tensorrt/families.h"
#include "ops/tflite/families.h"
#include "ops/transformer/families.h"

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

constexpr std::string_view kStandard = "ai.onnx";

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

std::span<const OpEntry* const> Versions(std::string_view domain, std::string_view op) {
  static const Index kIndex = BuildIndex();
  const auto found = kIndex.find({domain, op});
  if (found == kIndex.end()) return {};
  return found->second;
}

// The counterpart in ai.onnx of an op of another dialect; empty = none.
std::string_view Counterpart(const Model& model, const Node& node) {
  const auto versions = Versions(model.text(node.domain), model.text(node.op));
  if (versions.empty()) return {};
  const OpEntry& entry = *versions.front();
  const std::string_view by_attribute =
      entry.like_of != nullptr ? entry.like_of(model, node) : std::string_view();
  return by_attribute.empty() ? entry.like : by_attribute;
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
  static const std::array kTensorRt = {tensorrt::ComputeOps(), tensorrt::ElementOps()};
  static const std::array kTransformer = {transformer::AttentionOps(), transformer::LinearOps()};
  static const std::array kNcnn = {ncnn::ConvOps(),  ncnn::ElementwiseOps(), ncnn::MatMulOps(),
                                   ncnn::NormOps(),  ncnn::PoolOps(),        ncnn::ShapeOps(),
                                   ncnn::VisionOps()};
  static const std::array kPnnx = {ncnn::PlainOps(), ncnn::TracedOps()};
  static const std::array kAten = {aten::AttentionOps(), aten::ConvOps(),      aten::CreateOps(),
                                   aten::GatherOps(),    aten::LinearOps(),    aten::MoveOps(),
                                   aten::NormOps(),      aten::PointwiseOps(), aten::PoolOps(),
                                   aten::ReduceOps(),    aten::ResampleOps(),  aten::RnnOps(),
                                   aten::SplitOps(),     aten::ViewOps()};
  static const std::array kHigherOrder = {aten::ControlOps(), aten::FlexOps()};
  static const std::array kOperator = {aten::ScalarOps()};
  static const std::array kQuantisedDecomposed = {aten::QuantisedOps()};
  static const std::array kTorchvision = {aten::VisionOps()};
  static const std::array kTflite = {
      tflite::BinaryOps(), tflite::ControlOps(), tflite::ConvOps(),  tflite::MatMulOps(),
      tflite::MoveOps(),   tflite::NamedOps(),   tflite::PoolOps(),  tflite::ReduceOps(),
      tflite::RnnOps(),    tflite::ShapeOps(),   tflite::SliceOps(), tflite::StableHloOps(),
      tflite::UnaryOps()};
  static const std::array kTfliteCustom = {tflite::CustomOps()};
  static const std::array kCoreMl = {coreml::ModelOps(), coreml::ProgramMathOps(),
                                     coreml::ProgramPlainOps()};
  static const std::array kCoreMlLayers = {coreml::LayerMathOps(), coreml::LayerPlainOps()};
  static const std::array kOpenVino = {
      openvino::AttentionOps(), openvino::ControlOps(),     openvino::ConvOps(),
      openvino::DetectionOps(), openvino::ElementwiseOps(), openvino::GatherOps(),
      openvino::MatMulOps(),    openvino::MoveOps(),        openvino::NormalisationOps(),
      openvino::PoolOps(),      openvino::ReduceOps(),      openvino::RnnOps(),
      openvino::ShapeOps(),     openvino::SignalOps()};
  static const std::array kOpenVinoExecuted = {openvino::ExecutedOps()};
  static const std::array kDialects = {Dialect{"ai.onnx", kOnnx},
                                       Dialect{"ai.onnx.ml", kOnnxMl},
                                       Dialect{"ai.onnx.preview", kPreview},
                                       Dialect{"ai.onnx.preview.training", kTraining},
                                       Dialect{"com.microsoft", kMicrosoft},
                                       Dialect{"com.microsoft.nchwc", kNchwc},
                                       Dialect{"com.ms.internal.nhwc", kNhwc},
                                       Dialect{"openvino", kOpenVino},
                                       Dialect{"openvino.executed", kOpenVinoExecuted},
                                       Dialect{"tensorrt", kTensorRt},
                                       Dialect{"coreml", kCoreMl},
                                       Dialect{"coreml.nn", kCoreMlLayers},
                                       Dialect{"ncnn", kNcnn},
                                       Dialect{"pnnx", kPnnx},
                                       Dialect{"transformer", kTransformer},
                                       Dialect{"aten", kAten},
                                       Dialect{"higher_order", kHigherOrder},
                                       Dialect{"operator", kOperator},
                                       Dialect{"quantized_decomposed", kQuantisedDecomposed},
                                       Dialect{"torchvision", kTorchvision},
                                       Dialect{"tflite", kTflite},
                                       Dialect{"tflite.custom", kTfliteCustom}};
  return kDialects;
}

const OpEntry* FindOp(std::string_view domain, std::string_view op, int opset) {
  for (const OpEntry* entry : Versions(domain, op)) {
    if (entry->since <= opset && opset <= entry->until) return entry;
  }
  return nullptr;
}

std::string_view StandardOp(const Model& model, const Node& node) {
  if (model.text(node.domain) == kStandard) return model.text(node.op);
  const std::string_view counterpart = Counterpart(model, node);
  return counterpart.empty() ? model.text(node.op) : counterpart;
}

std::string_view StandardDomain(const Model& model, const Node& node) {
  const std::string_view domain = model.text(node.domain);
  return domain != kStandard && !Counterpart(model, node).empty() ? kStandard : domain;
}

}  // namespace opscope
