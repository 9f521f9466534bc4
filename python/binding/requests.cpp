#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace opscope::python {

namespace {

void DeclareModelOptions(nb::module_& module) {
  nb::class_<ModelOptions>(module, "ModelOptions")
      .def(nb::init<>())
      .def_rw("path", &ModelOptions::path)
      .def_rw("as_", &ModelOptions::as)
      .def_rw("bindings", &ModelOptions::bindings)
      .def_rw("shapes", &ModelOptions::shapes)
      .def_rw("allow_external", &ModelOptions::allow_external)
      .def_rw("hash", &ModelOptions::hash)
      .def_rw("strict", &ModelOptions::strict)
      .def_rw("full_paths", &ModelOptions::full_paths);
}

void DeclareRunOptions(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_rw("engine", &RunOptions::engine)
      .def_rw("library", &RunOptions::library)
      .def_rw("providers", &RunOptions::providers)
      .def_rw("provider_libraries", &RunOptions::provider_libraries)
      .def_rw("custom_ops", &RunOptions::custom_ops)
      .def_rw("config", &RunOptions::config)
      .def_rw("threads", &RunOptions::threads)
      .def_rw("level", &RunOptions::level)
      .def_rw("spinning", &RunOptions::spinning)
      .def_rw("warmup", &RunOptions::warmup)
      .def_rw("runs", &RunOptions::runs)
      .def_rw("seconds", &RunOptions::seconds)
      .def_rw("seed", &RunOptions::seed)
      .def_rw("inputs", &RunOptions::inputs)
      .def_rw("memory_limit_bytes", &RunOptions::memory_limit_bytes)
      .def_rw("time_limit_seconds", &RunOptions::time_limit_seconds);
}

}  // namespace

void DeclareRequests(nb::module_& module) {
  DeclareModelOptions(module);
  DeclareRunOptions(module);
  nb::class_<AnalyzeRequest>(module, "AnalyzeRequest")
      .def(nb::init<>())
      .def_rw("model", &AnalyzeRequest::model)
      .def_rw("run", &AnalyzeRequest::run)
      .def_rw("no_run", &AnalyzeRequest::no_run)
      .def_rw("profiles", &AnalyzeRequest::profiles)
      .def_rw("profile_as", &AnalyzeRequest::profile_as)
      .def_rw("optimized_model", &AnalyzeRequest::optimized_model)
      .def_rw("keep_profile", &AnalyzeRequest::keep_profile);
  nb::class_<CompareRequest>(module, "CompareRequest")
      .def(nb::init<>())
      .def_rw("a", &CompareRequest::a)
      .def_rw("b", &CompareRequest::b);
  nb::class_<ImportRequest>(module, "ImportRequest")
      .def(nb::init<>())
      .def_rw("files", &ImportRequest::files)
      .def_rw("as_", &ImportRequest::as)
      .def_rw("model", &ImportRequest::model)
      .def_rw("optimized_model", &ImportRequest::optimized_model)
      .def_rw("exports", &ImportRequest::exports)
      .def_rw("window", &ImportRequest::window)
      .def_rw("strict", &ImportRequest::strict)
      .def_rw("full_paths", &ImportRequest::full_paths);
  nb::class_<Surroundings>(module, "Surroundings")
      .def(nb::init<>())
      .def_rw("program_dir", &Surroundings::program_dir)
      .def_rw("ort_library_env", &Surroundings::ort_library_env)
      .def_rw("path_env", &Surroundings::path_env)
      .def_rw("ld_library_path", &Surroundings::ld_library_path)
      .def_rw("current_dir", &Surroundings::current_dir)
      .def_rw("temp_dir", &Surroundings::temp_dir);
}

}  // namespace opscope::python
