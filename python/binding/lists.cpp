#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "work.h"

namespace opscope::python {

namespace {

std::vector<ExplainLine> ExplainNodeOf(const ModelOptions& model, const std::string& node,
                                       const std::string& language,
                                       const Surroundings& surroundings) {
  const Language spoken = LanguageOf(language);
  Work work(surroundings, nb::none());
  return OrRaise(
      work.Run([&](const Context& context) { return ExplainNode(model, node, spoken, context); }));
}

std::vector<EngineRow> Engines(const std::string& library, const Surroundings& surroundings) {
  Context context;
  context.surroundings = surroundings;
  const nb::gil_scoped_release released;
  return ListEngines(library, context);
}

void DeclareRows(nb::module_& module) {
  nb::class_<ExplainLine>(module, "ExplainLine")
      .def_ro("what", &ExplainLine::what)
      .def_ro("label", &ExplainLine::label)
      .def_ro("text", &ExplainLine::text);
  nb::class_<FormatRow>(module, "FormatRow")
      .def_ro("id", &FormatRow::id)
      .def_ro("kind", &FormatRow::kind)
      .def_ro("title", &FormatRow::title)
      .def_ro("endings", &FormatRow::endings)
      .def_ro("what", &FormatRow::what);
  nb::class_<EngineRow>(module, "EngineRow")
      .def_ro("id", &EngineRow::id)
      .def_ro("title", &EngineRow::title)
      .def_ro("state", &EngineRow::state)
      .def_ro("version", &EngineRow::version)
      .def_ro("library", &EngineRow::library)
      .def_ro("how_to_get", &EngineRow::how_to_get)
      .def_ro("providers", &EngineRow::providers);
}

}  // namespace

void DeclareLists(nb::module_& module) {
  DeclareRows(module);
  module.def("explain_node", ExplainNodeOf, nb::arg("model"), nb::arg("node"), nb::arg("lang"),
             nb::arg("surroundings"));
  module.def(
      "explain_topic",
      [](const std::string& topic, const std::string& language) {
        return OrRaise(ExplainTopic(topic, LanguageOf(language)));
      },
      nb::arg("topic"), nb::arg("lang"));
  module.def(
      "explain_convention",
      [](const std::string& name) { return OrRaise(ExplainConvention(name)); }, nb::arg("name"));
  module.def("formats", ListFormats);
  module.def("engines", Engines, nb::arg("library"), nb::arg("surroundings"));
}

}  // namespace opscope::python
