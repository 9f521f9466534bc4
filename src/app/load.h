// Loading: from a path to a Model, with its surroundings (external files, archives, hash).
#pragma once

#include <memory>
#include <string>

#include "base/import_log.h"
#include "base/source.h"
#include "model/model.h"
#include "opscope/requests.h"

namespace opscope {

struct LoadedModel {
  Source source;
  Model model;
  std::string hash;  // of the whole file; empty unless asked for
};

// Errors: those of Source::Open and of the reader, with the file's name as their place.
Result<LoadedModel> LoadModel(const ModelOptions& options, ImportLog& log);

// What a report calls a file: its name alone, or the whole path when that was asked for.
std::string ShownName(const std::string& path, bool full_paths);

// With `strict`, the first loss in `log` is an error.
Result<void> CheckStrict(const ImportLog& log, bool strict);

}  // namespace opscope
