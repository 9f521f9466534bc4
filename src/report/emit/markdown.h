// For pull requests and wikis: the same answer as the terminal's, as tables.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitMarkdown(const doc::Document& document, const EmitOptions& options, Sink& sink);
Result<void> EmitMarkdownAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
