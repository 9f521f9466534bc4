// Where engine programs and their libraries may lie on this machine.
#pragma once

#include <string>

#include "engine/engine.h"
#include "engine/locate.h"
#include "opscope/requests.h"

namespace opscope {

EngineSearch SearchPlaces(const std::string& library_option, const Surroundings& surroundings);

// "NAME", "NAME:key=value,key=value" as of --provider. Error usage.provider.
Result<EngineProvider> ParseProvider(const std::string& text);

// The engine's options of a run, without model, shapes and values. Errors: usage.engine (nearest
// name), usage.level, usage.provider, engine.missing.
Result<EngineOptions> BuildEngineOptions(const RunOptions& run, const Surroundings& surroundings);

}  // namespace opscope
