#include "report/emit/html.h"
namespace opscope {
Result<void> EmitHtml(const doc::Document&, const EmitOptions&, Sink&) { return {}; }
Result<void> EmitHtmlAll(const doc::Reports&, const EmitOptions&, Sink&) { return {}; }
}  // namespace opscope
