// The parts of the Python module. No logic: requests in, documents out; what goes wrong becomes
// opscope.Error.
#pragma once

#include <nanobind/nanobind.h>

#include "opscope/requests.h"

namespace opscope::python {

namespace nb = nanobind;

void DeclareRequests(nb::module_& module);   // the options of use cases
void DeclareDocuments(nb::module_& module);  // Document and its outputs
void DeclareUseCases(nb::module_& module);   // inspect, analyze …
void DeclareLists(nb::module_& module);      // formats, engines, explain

// Raises opscope.Error.
[[noreturn]] void Raise(const Error& error);

template <class T>
T OrRaise(Result<T> result) {
  if (!result.has_value()) Raise(result.error());
  return std::move(*result);
}

Language LanguageOf(const std::string& name);

}  // namespace opscope::python
