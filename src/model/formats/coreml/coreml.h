// Core ML: .mlmodel files and those inside .mlpackage folders: ML programs (MIL), neural networks,
// pipelines; other kinds of models are recognised and named.
#pragma once

#include "model/formats/format.h"

namespace opscope::coreml {

Match Probe(std::string_view prefix, std::uint64_t size);
// Errors: coreml.damaged, coreml.depth, coreml.undefined, coreml.no-model, and those of the wire.
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat{.info = {.id = "coreml",
                                       .title = "Core ML model",
                                       .endings = ".mlmodel",
                                       .what = "ML programs, neural networks, pipelines; flexible "
                                               "shapes; weights by reference, packed ones "
                                               "by their bytes",
                                       .own_endings = true},
                              .probe = &Probe,
                              .read = &Read};

}  // namespace opscope::coreml
