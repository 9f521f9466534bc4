#include "engine/locate.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace opscope {
namespace {

bool IsFile(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> out;
  DIR* directory = opendir(folder.c_str());
  if (!directory) return out;
  while (const dirent* entry = readdir(directory)) out.emplace_back(entry->d_name);
  closedir(directory);
  std::sort(out.begin(), out.end());
  return out;
}

// The numbers of "libonnxruntime.so.1.32.0", "libonnxruntime.1.32.0.dylib"; empty for none.
std::vector<std::int64_t> VersionIn(std::string_view name) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < name.size();) {
    if (name[i] < '0' || name[i] > '9') {
      ++i;
      continue;
    }
    std::int64_t number = 0;
    for (; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i)
      number = std::min<std::int64_t>(number * 10 + (name[i] - '0'), 1'000'000);
    out.push_back(number);
  }
  return out;
}

// "libonnxruntime.so", "libonnxruntime.so.1.32.0"; not "libonnxruntime_providers_shared.so".
bool IsLibrary(std::string_view name, std::string_view stem) {
  return name.substr(0, stem.size()) == stem && name.substr(stem.size(), 3) == ".so";
}

// The newest library in a folder; empty when there is none.
std::string NewestIn(const std::string& folder, std::string_view stem) {
  std::string best;
  for (const std::string& name : NamesIn(folder)) {
    if (!IsLibrary(name, stem) || !IsFile(folder + "/" + name)) continue;
    if (best.empty() || VersionIn(name) > VersionIn(best)) best = name;
  }
  return best.empty() ? best : folder + "/" + best;
}

struct Place {
  std::string folder;
  std::string origin;
};

#if defined(__aarch64__)
constexpr std::string_view kNodePlatform = "linux/arm64";
#else
constexpr std::string_view kNodePlatform = "linux/x64";
#endif

std::vector<Place> LibraryPlaces(const EngineInfo& engine, const EngineSearch& search) {
  std::vector<Place> out;
  for (const std::string& folder : search.setup_folders) out.push_back({folder, "set-up"});
  for (const std::string& folder : search.site_packages)
    out.push_back({folder + "/" + std::string(engine.wheel_folder), "Python package"});
  for (const std::string& folder : search.system_folders) out.push_back({folder, "system"});
  // onnxruntime-node/bin/napi-v3/linux/x64: the folder in the middle changes between releases.
  for (const std::string& modules : search.node_modules) {
    const std::string bin = modules + "/" + std::string(engine.node_folder);
    for (const std::string& name : NamesIn(bin))
      if (name[0] != '.')
        out.push_back({bin + "/" + name + "/" + std::string(kNodePlatform), "npm package"});
  }
  return out;
}

Error Missing(const EngineInfo& engine, const std::string& what) {
  return {"engine.missing", what + ". To get it: " + std::string(engine.how_to_get),
          "engine " + std::string(engine.id)};
}

Result<void> FindLibrary(const EngineInfo& engine, const EngineSearch& search,
                         EngineLocation& out) {
  const std::array<std::pair<const std::string*, std::string_view>, 2> named = {{
      {&search.library_option, engine.library_option},
      {&search.library_variable, engine.library_variable},
  }};
  for (const auto& [path, origin] : named) {
    if (path->empty()) continue;
    out.library = IsFile(*path) ? *path : NewestIn(*path, engine.library_stem);
    out.origin = std::string(origin);
    if (out.library.empty())
      return Missing(engine, out.origin + " names '" + *path + "', where there is no " +
                                 std::string(engine.library_stem) + ".so");
    return {};
  }
  for (const Place& place : LibraryPlaces(engine, search)) {
    out.library = NewestIn(place.folder, engine.library_stem);
    out.origin = place.origin;
    if (!out.library.empty()) return {};
  }
  return Missing(engine, "no " + std::string(engine.library_stem) +
                             ".so in the set-up, beside Python, in the system's library folders "
                             "or in node_modules");
}

}  // namespace

const EngineInfo* FindEngine(std::string_view id) {
  for (const EngineInfo& engine : kEngines)
    if (engine.id == id) return &engine;
  return nullptr;
}

std::vector<std::string> SystemLibraryFolders() {
#if defined(__aarch64__)
  const std::string triple = "aarch64-linux-gnu";
#else
  const std::string triple = "x86_64-linux-gnu";
#endif
  return {"/usr/local/lib", "/usr/local/lib/" + triple, "/usr/lib/" + triple,  "/usr/lib",
          "/usr/lib64",     "/usr/local/lib64",         "/opt/onnxruntime/lib"};
}

std::vector<std::string> SitePackagesOf(const std::string& python) {
  const std::size_t bin = python.rfind("/bin/");
  if (bin == std::string::npos) return {};
  std::vector<std::string> out;
  for (const std::string& lib : {python.substr(0, bin) + "/lib", python.substr(0, bin) + "/lib64"})
    for (const std::string& name : NamesIn(lib))
      if (name.rfind("python3", 0) == 0)
        for (const char* packages : {"/site-packages", "/dist-packages"})
          out.push_back(lib + "/" + name + packages);
  return out;
}

Result<EngineLocation> LocateEngine(const EngineInfo& engine, const EngineSearch& search) {
  EngineLocation out;
  for (const std::string& folder : search.program_folders) {
    const std::string path = folder + "/" + std::string(engine.program);
    if (access(path.c_str(), X_OK) != 0 || !IsFile(path)) continue;
    out.program = path;
    break;
  }
  if (out.program.empty())
    return Error{"engine.missing",
                 "the program '" + std::string(engine.program) +
                     "' is not beside opscope; install opscope as a whole or build it",
                 "engine " + std::string(engine.id)};
  if (engine.library_stem.empty()) return out;
  TRY(FindLibrary(engine, search, out));
  return out;
}

}  // namespace opscope
