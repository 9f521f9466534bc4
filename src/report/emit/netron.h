// An attachment for the Netron viewer: numbers of nodes and of the model, shown in its side panel
// once this file is dropped onto the opened model.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitNetron(const doc::Document& document, const EmitOptions& options, Sink& sink);
// Errors: output.one-model where there are several.
Result<void> EmitNetronAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
