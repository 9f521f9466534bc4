#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "work.h"

namespace opscope::python {

namespace {

doc::Document InspectModel(const ModelOptions& model, const Surroundings& surroundings,
                           nb::object progress) {
  Work work(surroundings, std::move(progress));
  return OrRaise(work.Run([&](const Context& context) { return Inspect(model, context); }));
}

// The document, and what failed on the way as (code, message, place).
std::pair<doc::Document, std::optional<std::vector<std::string>>> AnalyzeModel(
    const AnalyzeRequest& request, const Surroundings& surroundings, nb::object progress) {
  Work work(surroundings, std::move(progress));
  Outcome outcome =
      OrRaise(work.Run([&](const Context& context) { return Analyze(request, context); }));
  std::optional<std::vector<std::string>> failure;
  if (const auto& error = outcome.failure)
    failure = std::vector{error->code, error->message, error->place};
  return {std::move(outcome.document), std::move(failure)};
}

doc::Document CompareModels(const CompareRequest& request, const Surroundings& surroundings,
                            nb::object progress) {
  Work work(surroundings, std::move(progress));
  return OrRaise(work.Run([&](const Context& context) { return Compare(request, context); }));
}

doc::Document ImportProfiles(const ImportRequest& request, const Surroundings& surroundings,
                             nb::object progress) {
  Work work(surroundings, std::move(progress));
  return OrRaise(work.Run([&](const Context& context) { return Import(request, context); }));
}

}  // namespace

void DeclareUseCases(nb::module_& module) {
  const auto declare = [&](const char* name, auto function) {
    module.def(name, function, nb::arg("request"), nb::arg("surroundings"),
               nb::arg("progress") = nb::none());
  };
  declare("inspect", InspectModel);
  declare("analyze", AnalyzeModel);
  declare("compare", CompareModels);
  declare("import_profile", ImportProfiles);
}

}  // namespace opscope::python
