#include <nanobind/stl/string.h>

#include "base/sink.h"
#include "base/source.h"
#include "binding.h"
#include "document/document_json.h"
#include "report/build.h"
#include "report/emit/emitter.h"

namespace opscope::python {

namespace {

EmitOptions OptionsOf(const std::string& language, std::size_t top, const std::string& convention) {
  EmitOptions out;
  out.language = LanguageOf(language);
  out.wide = true;
  out.bars = false;
  out.top = top;
  out.convention = convention;
  return out;
}

std::string Emit(const doc::Document& document, const std::string& format,
                 const std::string& language, std::size_t top, const std::string& convention) {
  const Emitter* emitter = FindEmitter(format);
  if (emitter == nullptr) Raise({"usage.format", "no output format '" + format + "'", "format"});
  const EmitOptions options = OptionsOf(language, top, convention);
  std::string text;
  const Result<void> done = [&] {
    const nb::gil_scoped_release released;
    Sink sink(text);
    auto emitted = emitter->emit(document, options, sink);
    return emitted.has_value() ? sink.Finish() : emitted;
  }();
  if (!done.has_value()) Raise(done.error());
  return text;
}

void Save(const doc::Document& document, const std::string& path, const std::string& language,
          std::size_t top, const std::string& convention) {
  const Emitter* emitter = EmitterForFile(path);
  if (emitter == nullptr)
    Raise({"usage.output", "no output format has the ending of '" + path + "'", path});
  const EmitOptions options = OptionsOf(language, top, convention);
  const Result<void> done = [&] {
    const nb::gil_scoped_release released;
    return WriteFileAtomically(path,
                               [&](Sink& sink) { return emitter->emit(document, options, sink); });
  }();
  if (!done.has_value()) Raise(done.error());
}

// Samples of a run get their statistics.
doc::Document ReadReport(const std::string& text) {
  const nb::gil_scoped_release released;
  Source source = Source::FromBytes("report.json", text);
  JsonReader reader(source);
  ImportLog log;
  auto document = ReadJson(reader, log);
  if (document.has_value()) {
    for (doc::Run& run : document->runs)
      if (run.latency && !run.latency->median) run.latency = BuildLatency(run.latency->samples);
  }
  const nb::gil_scoped_acquire acquired;
  return OrRaise(std::move(document));
}

}  // namespace

void DeclareDocuments(nb::module_& module) {
  nb::class_<doc::Document>(module, "Document")
      .def("emit", Emit, nb::arg("format"), nb::arg("lang") = "en", nb::arg("top") = 10,
           nb::arg("convention") = "")
      .def("save", Save, nb::arg("path"), nb::arg("lang") = "en", nb::arg("top") = 10,
           nb::arg("convention") = "");
  module.def("report_schema", ReportSchema);
  module.def("read_report", ReadReport, nb::arg("text"));
}

}  // namespace opscope::python
