// The families of the dialect in which graphs of decoders are built from weights alone
// (model/decoder): layers as their modules are, whatever the format of the file.
#pragma once

#include <span>

#include "ops/op.h"

namespace opscope::transformer {

std::span<const Dialect> Dialects();

std::span<const OpEntry> AttentionOps();
std::span<const OpEntry> LinearOps();

}  // namespace opscope::transformer
