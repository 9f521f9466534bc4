// GGUF: weights in blocks of ggml's types with the sizes of the model as metadata; the graph of a
// known decoder is built from both (model/decoder).
#pragma once

#include "model/formats/format.h"

namespace opscope::gguf {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {
    {"gguf", "GGUF weights", ".gguf",
     "headers of all parts: parameters, bytes by type and block, the layers of known decoders"},
    &Probe,
    &Read};

}  // namespace opscope::gguf
