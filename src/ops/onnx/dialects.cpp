#include <array>

#include "ops/onnx/families.h"

namespace opscope::onnx {

std::span<const Dialect> Dialects() {
  static const std::array kOnnx = {
      AttentionOps(), BinaryOps(),        ConstantOps(), ControlOps(),  ConvOps(),   DetectionOps(),
      EinsumOps(),    GatherOps(),        LossOps(),     StateOps(),    TextOps(),   MatMulOps(),
      MoveOps(),      NormalisationOps(), PoolOps(),     QuantiseOps(), RandomOps(), ReduceOps(),
      ResizeOps(),    RnnOps(),           SequenceOps(), ShapeOps(),    SignalOps(), SliceOps(),
      SoftmaxOps(),   UnaryOps()};
  static const std::array kOnnxMl = {MlOps(), TreeOps()};
  static const std::array kPreview = {PreviewOps()};
  static const std::array kTraining = {TrainingOps()};
  static const std::array kDialects = {Dialect{"ai.onnx", kOnnx}, Dialect{"ai.onnx.ml", kOnnxMl},
                                       Dialect{"ai.onnx.preview", kPreview},
                                       Dialect{"ai.onnx.preview.training", kTraining}};
  return kDialects;
}

}  // namespace opscope::onnx
