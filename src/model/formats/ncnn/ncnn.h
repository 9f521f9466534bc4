// ncnn: layer lists as text (.param), as numbers (.param.bin), and pnnx's richer text
// (.pnnx.param); the weights beside them (.bin) by their sizes alone.
#pragma once

#include "model/formats/format.h"

namespace opscope::ncnn {

Match Probe(std::string_view prefix, std::uint64_t size);
// Errors: ncnn.truncated, ncnn.damaged, ncnn.undefined, ncnn.too-large.
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {
    {"ncnn", "ncnn, pnnx parameters", ".param",
     "layers with their parameters, shape hints, weights by the sizes that the layers state"},
    &Probe,
    &Read};

}  // namespace opscope::ncnn
