// GGUF: weights in blocks of ggml's types with the sizes of the model as metadata; the graph of a
// known decoder is built from both (model/decoder).
#pragma once

#include "model/formats/format.h"

namespace opscope::gguf {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat{.info = {.id = "gguf",
                                       .title = "GGUF weights",
                                       .endings = ".gguf",
                                       .what = "headers of all parts: parameters, bytes by type "
                                               "and block, the layers of known decoders",
                                       .own_endings = true},
                              .probe = &Probe,
                              .read = &Read};

}  // namespace opscope::gguf
