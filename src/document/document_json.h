// The report as JSON: written as a stream, read back, described by a JSON Schema. All three come
// from the field lists of the structs (opscope/document/field.h).
#pragma once

#include <string>

#include "base/import_log.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "opscope/document.h"

namespace opscope {

void WriteJson(const doc::Document& document, JsonWriter& writer);
void WriteJson(const doc::Reports& reports, JsonWriter& writer);

// Unknown keys are skipped and noted (document.unknown-key). Errors: those of JsonReader,
// document.schema (not this kind of document, or another major version), document.type (names the
// key and what was found there).
Result<doc::Document> ReadJson(JsonReader& reader, ImportLog& log);
Result<doc::Reports> ReadReportsJson(JsonReader& reader, ImportLog& log);

// The JSON Schema (draft 2020-12) of either kind; schema/*.schema.json are these texts.
std::string ReportSchema();
std::string ReportsSchema();

}  // namespace opscope
