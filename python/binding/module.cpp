#include <nanobind/stl/string.h>

#include "app/version.h"
#include "binding.h"

namespace opscope::python {

void Raise(const Error& error) {
  const nb::object kind = nb::module_::import_("opscope._error").attr("Error");
  const nb::object raised = kind(error.code, error.message, error.place);
  PyErr_SetObject(kind.ptr(), raised.ptr());
  throw nb::python_error();
}

Language LanguageOf(const std::string& name) {
  if (name == "en") return Language::kEnglish;
  if (name == "zh") return Language::kChinese;
  Raise({"usage.lang", "no language '" + name + "'; there is: en, zh", "lang"});
}

}  // namespace opscope::python

NB_MODULE(_core, module) {
  using namespace opscope::python;
  module.attr("__version__") = opscope::kVersion;
  DeclareRequests(module);
  DeclareDocuments(module);
  DeclareUseCases(module);
  DeclareLists(module);
}
