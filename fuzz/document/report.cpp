// Any bytes as a report: what can be read is written back the same, and every output shows it
// without a control character.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "document/document_json.h"
#include "report/emit/emitter.h"

namespace {

using namespace opscope;  // NOLINT: a program of its own

std::string Json(const doc::Document& document) {
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink, JsonStyle::kCompact);
  WriteJson(document, writer);
  CHECK(sink.Finish());
  return out;
}

void Show(const doc::Document& document, const EmitOptions& options) {
  for (const Emitter& emitter : Emitters()) {
    std::string out;
    Sink sink(out);
    CHECK(emitter.emit(document, options, sink));
    CHECK(sink.Finish());
    for (const char c : out) CHECK(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JsonReader reader(text);
  ImportLog log;
  const Result<doc::Document> document = ReadJson(reader, log);
  if (!document) return 0;
  const std::string json = Json(*document);
  JsonReader again{std::string_view(json)};
  const Result<doc::Document> second = ReadJson(again, log);
  CHECK(second);
  CHECK(Json(*second) == json);
  EmitOptions options;
  options.width = 60 + size % 60;
  options.language = size % 2 == 0 ? Language::kEnglish : Language::kChinese;
  options.ascii = size % 3 == 0;
  options.max_report_bytes = 300'000;
  Show(*document, options);
  return 0;
}
