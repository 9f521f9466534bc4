// Loads a libonnxruntime.
#pragma once

#include <string>

#include "base/result.h"
#include "engines/ort/ort_api.h"

namespace opscope::ort {

inline constexpr int kOldestApi = 10;

struct Library {
  Api api;
  std::string path;
  std::string version;  // "1.32.0"
};

// The library stays loaded for the life of the process. Errors: "missing".
Result<Library> LoadLibrary(const std::string& path);

// Where to begin asking for an API: release 1.n has version n. 0 when the text is no version.
int ApiVersionOf(std::string_view release);

}  // namespace opscope::ort
