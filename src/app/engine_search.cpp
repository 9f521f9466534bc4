#include "app/engine_search.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace opscope {

namespace {

namespace fs = std::filesystem;

// The parts of "a:b:c" that are not empty.
std::vector<std::string> SplitAt(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

// "key=value" into its halves; nullopt without '=' or key.
std::optional<KeyValue> SplitPair(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return std::nullopt;
  return KeyValue{text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string> NodeModulesAbove(const std::string& folder) {
  std::vector<std::string> out;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    out.push_back((at / "node_modules").string());
    if (at == at.root_path()) break;
  }
  return out;
}

Result<std::vector<KeyValue>> ParsePairs(const std::vector<std::string>& texts,
                                         std::string_view option) {
  std::vector<KeyValue> out;
  for (const std::string& text : texts) {
    auto pair = SplitPair(text);
    if (!pair)
      return Error{"usage.pair", std::string(option) + " takes KEY=VALUE, not '" + text + "'", ""};
    out.push_back(std::move(*pair));
  }
  return out;
}

}  // namespace

EngineSearch SearchPlaces(const std::string& library_option, const Surroundings& surroundings) {
  EngineSearch out;
  out.library_option = library_option;
  out.library_variable = surroundings.ort_library_env;
  const fs::path program = surroundings.program_dir;
  const fs::path libexec = program.parent_path() / "libexec" / "opscope";
  out.program_folders = {program.string(), libexec.string()};
  out.setup_folders = {(program / "engines" / "ort").string(),
                       (libexec / "engines" / "ort").string()};
  for (const std::string& folder : SplitAt(surroundings.path_env, ':'))
    for (const char* name : {"python3", "python"})
      if (std::error_code failed; fs::exists(fs::path(folder) / name, failed))
        for (std::string& site : SitePackagesOf((fs::path(folder) / name).string()))
          out.site_packages.push_back(std::move(site));
  out.system_folders = SplitAt(surroundings.ld_library_path, ':');
  for (std::string& folder : SystemLibraryFolders())
    out.system_folders.push_back(std::move(folder));
  out.node_modules = NodeModulesAbove(surroundings.current_dir);
  return out;
}

Result<EngineProvider> ParseProvider(const std::string& text) {
  const std::size_t colon = text.find(':');
  EngineProvider out{text.substr(0, colon), {}};
  if (out.name.empty())
    return Error{"usage.provider", "--provider takes NAME[:key=value,...], not '" + text + "'", ""};
  if (colon == std::string::npos) return out;
  TRY_ASSIGN(out.options, ParsePairs(SplitAt(std::string_view(text).substr(colon + 1), ','),
                                     "--provider " + out.name + ":"));
  return out;
}

Result<EngineOptions> BuildEngineOptions(const RunOptions& run, const Surroundings& surroundings) {
  const EngineInfo* info = FindEngine(run.engine);
  if (info == nullptr) {
    std::string known;
    for (const EngineInfo& engine : kEngines)
      known += (known.empty() ? "" : ", ") + std::string(engine.id);
    return Error{"usage.engine", "no engine '" + run.engine + "' in this build; there is: " + known,
                 ""};
  }
  EngineOptions out;
  out.engine = run.engine;
  TRY_ASSIGN(const EngineLocation location,
             LocateEngine(*info, SearchPlaces(run.library, surroundings)));
  out.program = location.program;
  out.library = location.library;
  out.threads = run.threads;
  const auto level = ParseOptimizationLevel(run.level);
  if (!level)
    return Error{"usage.level",
                 "no optimisation level '" + run.level + "'; there is: none, basic, extended, all",
                 ""};
  out.level = *level;
  out.spinning = run.spinning;
  for (const std::string& text : run.providers) {
    TRY_ASSIGN(EngineProvider provider, ParseProvider(text));
    out.providers.push_back(std::move(provider));
  }
  TRY_ASSIGN(const auto libraries, ParsePairs(run.provider_libraries, "--provider-library"));
  for (const KeyValue& library : libraries)
    out.provider_libraries.push_back({library.first, library.second});
  out.custom_ops = run.custom_ops;
  TRY_ASSIGN(out.config, ParsePairs(run.config, "--config"));
  out.inputs = run.inputs;
  out.seed = run.seed;
  if (run.memory_limit_bytes)
    out.memory_limit_bytes = static_cast<std::int64_t>(*run.memory_limit_bytes);
  if (run.time_limit_seconds)
    out.time_limit = Nanos{static_cast<std::int64_t>(*run.time_limit_seconds * 1e9)};
  return out;
}

}  // namespace opscope
