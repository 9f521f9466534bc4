// Execution providers: those built into the library and those of plug-in libraries.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engines/common/engine.h"
#include "engines/ort/ort_api.h"

namespace opscope::ort {

// "CUDAExecutionProvider" and "cuda" are both "CUDA": the short name in the runtime's spelling
// where it is known.
std::string ShortProviderName(std::string_view name);

// The long names the library was built with.
std::vector<std::string> AvailableProviders(const Api& api);

// Registers the plug-in libraries and appends the providers that the request asks for. Returns the
// long names in order, the CPU last. Errors: "missing" (names what there is), "refused".
Result<std::vector<std::string>> AppendProviders(const Api& api, Env* env, SessionOptions* options,
                                                 const child::LoadRequest& request);

}  // namespace opscope::ort
