// TensorFlow Lite: flatbuffers with the identifier TFL3, schema version 3.
#pragma once

#include "model/formats/format.h"

namespace opscope::tflite {

Match Probe(std::string_view prefix, std::uint64_t size);
// What is odd goes to the log under "tflite.…" codes; errors are tflite.truncated, tflite.damaged,
// tflite.no-graph, tflite.tensor-dims and tflite.too-large, with "byte N" as their place.
Result<Model> Read(const ModelReadContext& context);

inline constexpr ModelFormat kFormat{
    .info = {.id = "tflite",
             .title = "TensorFlow Lite model",
             .endings = ".tflite",
             .what = "operators, weights by reference, sub-graphs, signatures, quantisation",
             .own_endings = true},
    .probe = Probe,
    .read = Read};

}  // namespace opscope::tflite
