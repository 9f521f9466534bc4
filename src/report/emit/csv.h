// For spreadsheets (RFC 4180): a row a layer; keys in English, units in the header.
#pragma once

#include "report/emit/emitter.h"

namespace opscope {

Result<void> EmitCsv(const doc::Document& document, const EmitOptions& options, Sink& sink);
Result<void> EmitCsvAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink);

}  // namespace opscope
