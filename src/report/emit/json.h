// The Document itself, as it is.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitJson(const doc::Document& document, const EmitOptions& options, Sink& sink);
Result<void> EmitJsonAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
