// What readers of PyTorch's files do with the finished graph.
#pragma once

#include <string>

#include "base/source.h"
#include "model/model.h"

namespace opscope::aten {

// xxh3-128 of the nodes, what they read and write, declared shapes and whole-number attributes.
std::string HashOf(const Model& model);

// Reads the bytes of a small payload that shapes may hang on: integers, and single numbers.
Result<void> ReadSmall(Source& file, Payload& payload);

}  // namespace opscope::aten
