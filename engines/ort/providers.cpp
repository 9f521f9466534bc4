#include "engines/ort/providers.h"

#include <algorithm>
#include <filesystem>

#include "base/checked.h"
#include "base/text.h"

namespace opscope::ort {
namespace {

constexpr std::string_view kSuffix = "ExecutionProvider";
constexpr std::string_view kDeviceOption = "device";  // ours: which device of a plug-in

// A device that a plug-in library brought.
struct PluginDevice {
  std::string library;   // the name it was registered under
  std::string provider;  // "OpenVINOExecutionProvider"
  const EpDevice* device = nullptr;
};

// Option lists as the interface wants them.
struct Pairs {
  explicit Pairs(const std::vector<child::KeyValue>& options) {
    for (const child::KeyValue& option : options) {
      if (option.key == kDeviceOption) continue;
      keys.push_back(option.key.c_str());
      values.push_back(option.value.c_str());
    }
  }
  std::vector<const char*> keys, values;
};

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

bool SameProvider(std::string_view a, std::string_view b) {
  return Lower(ShortProviderName(a)) == Lower(ShortProviderName(b));
}

Result<std::vector<const EpDevice*>> Devices(const Api& api, Env* env) {
  const EpDevice* const* list = nullptr;
  std::size_t count = 0;
  TRY(api.Call<GetEpDevices>(static_cast<const Env*>(env), &list, &count));
  return std::vector<const EpDevice*>(list, list + count);
}

Result<std::vector<PluginDevice>> RegisterPlugins(const Api& api, Env* env,
                                                  const child::LoadRequest& request) {
  std::vector<PluginDevice> out;
  for (const child::NamedPath& library : request.provider_libraries) {
    if (!api.Has<RegisterExecutionProviderLibrary>())
      return Error{"missing",
                   "plug-in providers need ONNX Runtime 1.22 or newer; the library is 1." +
                       std::to_string(api.version()),
                   ""};
    TRY_ASSIGN(const auto before, Devices(api, env));
    // A relative path would be taken from the folder of the runtime.
    const std::string path = std::filesystem::absolute(library.path).string();
    const auto registered =
        api.Call<RegisterExecutionProviderLibrary>(env, library.name.c_str(), path.c_str());
    if (!registered.has_value()) return Error{"missing", registered.error().message, library.path};
    TRY_ASSIGN(const auto after, Devices(api, env));
    for (const EpDevice* device : after)
      if (std::find(before.begin(), before.end(), device) == before.end())
        out.push_back({library.name, api.Raw<EpDevice_EpName>(device), device});
  }
  return out;
}

// Providers of plug-ins are appended by device.
Result<std::string> AppendPlugin(const Api& api, Env* env, SessionOptions* options,
                                 const child::Provider& provider,
                                 const std::vector<PluginDevice>& devices) {
  std::size_t chosen = 0;
  for (const child::KeyValue& option : provider.options) {
    if (option.key != kDeviceOption) continue;
    const auto index = ParseInt64(option.value);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= devices.size())
      return Error{"option",
                   "provider '" + provider.name + "' has " + std::to_string(devices.size()) +
                       " devices, numbered from 0; there is no '" + option.value + "'",
                   ""};
    chosen = static_cast<std::size_t>(*index);
  }
  const EpDevice* device = devices[chosen].device;
  const Pairs pairs(provider.options);
  TRY(api.Call<SessionOptionsAppendExecutionProvider_V2>(options, env, &device, std::size_t{1},
                                                         pairs.keys.data(), pairs.values.data(),
                                                         pairs.keys.size()));
  return devices[chosen].provider;
}

// CUDA and TensorRT had entries of their own before they could be appended by name.
template <class Create, class Update, class Append, class Release, class Options>
Result<void> AppendByEntry(const Api& api, SessionOptions* options, const Pairs& pairs) {
  Options* own = nullptr;
  TRY(api.Call<Create>(&own));
  Result<void> result;
  if (!pairs.keys.empty())
    result = api.Call<Update>(own, pairs.keys.data(), pairs.values.data(), pairs.keys.size());
  if (result.has_value()) result = api.Call<Append>(options, static_cast<const Options*>(own));
  api.Raw<Release>(own);
  return result;
}

Result<void> AppendBuiltIn(const Api& api, SessionOptions* options,
                           const child::Provider& provider) {
  const std::string name = ShortProviderName(provider.name);
  const Pairs pairs(provider.options);
  if (name == "CUDA")
    return AppendByEntry<CreateCUDAProviderOptions, UpdateCUDAProviderOptions,
                         SessionOptionsAppendExecutionProvider_CUDA_V2, ReleaseCUDAProviderOptions,
                         CudaOptions>(api, options, pairs);
  if (name == "TensorRT")
    return AppendByEntry<CreateTensorRTProviderOptions, UpdateTensorRTProviderOptions,
                         SessionOptionsAppendExecutionProvider_TensorRT_V2,
                         ReleaseTensorRTProviderOptions, TensorRtOptions>(api, options, pairs);
  return api.Call<SessionOptionsAppendExecutionProvider>(options, name.c_str(), pairs.keys.data(),
                                                         pairs.values.data(), pairs.keys.size());
}

Error NoSuchProvider(const child::Provider& provider, const child::LoadRequest& request,
                     const std::vector<std::string>& available,
                     const std::vector<PluginDevice>& plugins) {
  if (!request.provider_libraries.empty() && plugins.empty())
    return {"missing", "the plug-in libraries found no device that they can use on this machine",
            "provider " + provider.name};
  std::string has;
  for (const std::string& name : available) has += " " + ShortProviderName(name);
  for (const PluginDevice& plugin : plugins) has += " " + ShortProviderName(plugin.provider);
  return {"missing",
          "this library has no provider '" + provider.name + "'; it has:" + has +
              ". Another build (--ort-library) or a plug-in library may have it",
          ""};
}

// The runtime's spelling of names that it compares letter by letter.
constexpr std::string_view kSpellings[] = {
    "CPU",      "CUDA", "TensorRT", "OpenVINO", "XNNPACK", "QNN",  "DML",   "WebGPU", "CoreML",
    "MIGraphX", "ROCM", "Dnnl",     "NNAPI",    "VitisAI", "SNPE", "AZURE", "JS",     "WEBNN"};

}  // namespace

std::string ShortProviderName(std::string_view name) {
  std::string out(name);
  const std::string lower = Lower(name), suffix = Lower(kSuffix);
  if (lower.size() > suffix.size() && lower.substr(lower.size() - suffix.size()) == suffix)
    out.resize(out.size() - suffix.size());
  for (const std::string_view known : kSpellings)
    if (Lower(known) == Lower(out)) return std::string(known);
  return out;
}

std::vector<std::string> AvailableProviders(const Api& api) {
  char** names = nullptr;
  int count = 0;
  std::vector<std::string> out;
  if (!api.Call<GetAvailableProviders>(&names, &count).has_value()) return out;
  for (int i = 0; i < count; ++i) out.emplace_back(names[i]);
  // Nothing hangs on whether this succeeds.
  static_cast<void>(api.Call<ReleaseAvailableProviders>(names, count).has_value());
  return out;
}

Result<std::vector<std::string>> AppendProviders(const Api& api, Env* env, SessionOptions* options,
                                                 const child::LoadRequest& request) {
  const std::vector<std::string> available = AvailableProviders(api);
  TRY_ASSIGN(const std::vector<PluginDevice> plugins, RegisterPlugins(api, env, request));
  std::vector<std::string> out;
  for (const child::Provider& provider : request.providers) {
    if (SameProvider(provider.name, "CPU")) continue;
    std::vector<PluginDevice> devices;
    std::copy_if(plugins.begin(), plugins.end(), std::back_inserter(devices),
                 [&](const PluginDevice& plugin) {
                   return plugin.library == provider.name ||
                          SameProvider(plugin.provider, provider.name);
                 });
    if (!devices.empty()) {
      TRY_ASSIGN(std::string name, AppendPlugin(api, env, options, provider, devices));
      out.push_back(std::move(name));
      continue;
    }
    const auto built_in =
        std::find_if(available.begin(), available.end(),
                     [&](const std::string& name) { return SameProvider(name, provider.name); });
    if (built_in == available.end()) return NoSuchProvider(provider, request, available, plugins);
    const auto appended = AppendBuiltIn(api, options, provider);
    if (!appended.has_value())
      return Error{"refused", appended.error().message, "provider " + provider.name};
    out.push_back(*built_in);
  }
  out.push_back("CPUExecutionProvider");
  return out;
}

}  // namespace opscope::ort
