// Zip files of PyTorch that hold pickles: TorchScript (torch.jit.save) and checkpoints
// (torch.save).
//
//   net/code/__torch__.py, net/data.pkl, net/constants.pkl, net/data/0 …, net/version
//   net/data.pkl, net/data/0 …, net/version                           a checkpoint has no code
#pragma once

#include "model/formats/format.h"

namespace opscope::torchscript {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {
    {"torchscript", "TorchScript, PyTorch checkpoint", ".pt, .pth",
     "code followed from forward on, modules as paths, weights by reference; of checkpoints the "
     "weights; no pickle is run"},
    &Probe,
    &Read};

}  // namespace opscope::torchscript
