#include "engines/ort/ort_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "base/checked.h"

namespace opscope::ort {

int ApiVersionOf(std::string_view release) {
  constexpr std::int64_t kFuture = 64;  // a release 2.x: whatever it still offers
  const std::size_t dot = release.find('.');
  if (dot == release.npos) return 0;
  const std::size_t end = release.find_first_not_of("0123456789", dot + 1);
  const auto major = ParseInt64(release.substr(0, dot));
  const auto minor = ParseInt64(release.substr(dot + 1, end - dot - 1));
  if (!major || !minor || *major < 1) return 0;
  return static_cast<int>(*major == 1 ? std::min(*minor, 4 * kFuture) : kFuture);
}

Result<Library> LoadLibrary(const std::string& file) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = std::filesystem::absolute(file).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Error{"missing", std::string("cannot load it: ") + dlerror(), path};
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (!get_base)
    return Error{"missing", "it is not an ONNX Runtime library (no OrtGetApiBase)", path};
  const ApiBase* base = get_base();
  Library out;
  out.path = path;
  out.version = base->GetVersionString();
  // The runtime complains on standard error when it is asked for more than it has.
  for (int version = ApiVersionOf(out.version); version >= kOldestApi; --version) {
    const void* table = base->GetApi(static_cast<std::uint32_t>(version));
    if (!table) continue;
    out.api = Api(table, version);
    return out;
  }
  return Error{"missing",
               "ONNX Runtime " + out.version + " is not supported; 1." +
                   std::to_string(kOldestApi) + " and newer are",
               path};
}

}  // namespace opscope::ort
