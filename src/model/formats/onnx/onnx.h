// ONNX: protobuf ModelProto files, IR versions 1 to 13, external data and local functions included.
#pragma once

#include "model/formats/format.h"

namespace opscope::onnx {

Match Probe(std::string_view prefix, std::uint64_t size);
// What is odd goes to the log under "onnx.…" codes; errors are onnx.truncated, onnx.damaged,
// onnx.no-graph, onnx.depth, onnx.tensor-dims and onnx.too-large, with "byte N" as their place.
Result<Model> Read(const ModelReadContext& context);

inline constexpr ModelFormat kFormat{
    .info = {.id = "onnx",
             .title = "ONNX model",
             .endings = ".onnx",
             .what = "nodes, weights by reference, bodies, functions, external data",
             .own_endings = true},
    .probe = Probe,
    .read = Read};

}  // namespace opscope::onnx
