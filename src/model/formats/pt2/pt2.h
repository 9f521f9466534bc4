// Archives of torch.export: .pt2.
//
//   net/models/model.json, net/data/weights/{model_weights_config.json, weight_0 …},
//   net/data/constants/…, net/archive_format = "pt2"                     torch 2.8 and later
//   serialized_exported_program.json, serialized_state_dict.pt (or .json), version   torch 2.1
//   - 2.7
#pragma once

#include "model/formats/format.h"

namespace opscope::pt2 {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat{
    .info = {.id = "pt2",
             .title = "PyTorch exported program",
             .endings = ".pt2",
             .what =
                 "graph, module paths, symbolic sizes, shapes of all values; weights by reference",
             .own_endings = true},
    .probe = &Probe,
    .read = &Read};

}  // namespace opscope::pt2
