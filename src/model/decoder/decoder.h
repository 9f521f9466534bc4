// The graph of a decoder-only transformer, built from its weights: formats that hold weights and
// no graph (safetensors, GGUF) share it.
//
// Layers are nodes named as the modules that hold their weights, so that they meet the layers of an
// export of the same model; batch, sequence and past are symbols.
#pragma once

#include <optional>

#include "base/import_log.h"
#include "model/decoder/config.h"
#include "model/decoder/weights.h"
#include "model/model.h"

namespace opscope::decoder {

constexpr std::string_view kDomain = "transformer";

// Writes the nodes into the model that holds the weights. Without a known architecture, and for
// weights that the architecture does not use, a node of unknown work for each module: parameters
// and bytes are counted, multiply-accumulates are not. What was assumed goes to the log.
void BuildGraph(Model& model, const Weights& weights, const std::optional<Config>& config,
                ImportLog& log);

}  // namespace opscope::decoder
