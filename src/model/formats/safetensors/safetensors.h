// safetensors: weights with names, types and shapes, no graph; the graph of a known decoder is
// built from config.json beside the file (model/decoder).
#pragma once

#include "model/formats/format.h"

namespace opscope::safetensors {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat{.info = {.id = "safetensors",
                                       .title = "safetensors weights",
                                       .endings = ".safetensors",
                                       .what = "headers of all shards: parameters, bytes by type; "
                                               "with config.json beside it the layers of "
                                               "known decoders",
                                       .own_endings = true},
                              .probe = &Probe,
                              .read = &Read};

}  // namespace opscope::safetensors
