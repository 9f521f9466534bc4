#include "report/emit/json.h"

#include "document/document_json.h"

namespace opscope {
namespace {

template <class T>
Result<void> Emit(const T& value, Sink& sink) {
  JsonWriter writer(sink);
  WriteJson(value, writer);
  sink.Append('\n');
  return {};
}

}  // namespace

Result<void> EmitJson(const doc::Document& document, const EmitOptions&, Sink& sink) {
  return Emit(document, sink);
}

Result<void> EmitJsonAll(const doc::Reports& reports, const EmitOptions&, Sink& sink) {
  return Emit(reports, sink);
}

}  // namespace opscope
