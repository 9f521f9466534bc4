// TensorRT layer information: what `trtexec --exportLayerInfo` and the engine inspector write as
// JSON, TensorRT 8.2 to 11. The engine's layers as a model of domain "tensorrt".
#pragma once

#include "model/formats/format.h"

namespace opscope::tensorrt {

Match Probe(std::string_view prefix, std::uint64_t size);
// Errors: tensorrt.damaged, tensorrt.no-layers. What is lacking (names only, dynamic sizes, further
// optimisation profiles) goes to the log.
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {{"tensorrt", "TensorRT layer information", ".json",
                                  "layers of an engine with types, layouts, tactics, weights and "
                                  "the ONNX layers they come from; "
                                  "TensorRT 8.2 to 11"},
                                 &Probe,
                                 &Read};

}  // namespace opscope::tensorrt
