// One page without scripts: both languages in it, light and dark, made to be printed.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitHtml(const doc::Document& document, const EmitOptions& options, Sink& sink);
Result<void> EmitHtmlAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
