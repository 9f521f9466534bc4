// For a terminal: the answer first, one screen.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitText(const doc::Document& document, const EmitOptions& options, Sink& sink);
Result<void> EmitTextAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
