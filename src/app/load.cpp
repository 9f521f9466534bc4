#include "app/load.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "model/formats/foreign.h"
#include "model/formats/format.h"

namespace opscope {

namespace {

namespace fs = std::filesystem;

// `inner` lies in `outer` or below it; both canonical.
bool IsInside(const fs::path& inner, const fs::path& outer) {
  const auto [outer_end, unused] =
      std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return outer_end == outer.end();
}

// Opens files that the model names. A path that leaves the folder (.., links, absolute) is refused:
// a model from elsewhere must not make us read other files of the machine.
Result<Source> OpenSibling(const fs::path& folder, bool allow_outside, const std::string& name) {
  std::error_code failed;
  const fs::path home = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  const Error unresolved{"input.missing", "cannot resolve external file '" + name + "'",
                         folder.string()};
  if (failed) return unresolved;
  const fs::path target = fs::weakly_canonical(home / fs::path(name), failed);
  if (failed) return unresolved;
  if (!allow_outside && !IsInside(target, home))
    return Error{"input.outside",
                 "external file '" + name +
                     "' lies outside the model's folder; --allow-external reads it nevertheless",
                 ""};
  // A pipe or a device in the model's folder would be waited for.
  if (fs::exists(target, failed) && !fs::is_regular_file(target, failed))
    return Error{"input.unreadable", "external file '" + name + "' is not a regular file", ""};
  return Source::OpenRaw(target.string());
}

// A folder that holds one model stands for it: a checkpoint in several files, mostly.
Result<std::string> ModelFile(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  TRY_ASSIGN(const std::vector<FoundModel> found, FindModels({path}));
  if (found.size() == 1) return found.front().path;
  return Error{"input.several-models",
               "this folder holds " + std::to_string(found.size()) + " models; name one, such as " +
                   found.front().shown,
               path};
}

// Some formats are zip archives of several files, read or named for what they are; any other
// archive is an error that lists its members.
Result<Source> OpenModel(const std::string& path) {
  constexpr std::size_t kProbeBytes = 64 * 1024;
  Result<Source> source = Source::Open(path);
  if (source.has_value() || source.error().code != "input.archive") return source;
  Result<Source> raw = Source::OpenRaw(path);
  if (!raw.has_value()) return source;
  const auto prefix = raw->Window(0, kProbeBytes);
  if (!prefix.has_value()) return source;
  for (const ModelFormat& format : ModelFormats())
    if (format.probe(*prefix, raw->size()) == Match::kYes) return raw;
  const FileLook look{*prefix, raw->size(), raw->file_name()};
  if (FindForeign(look) != nullptr)
    return Error{"input.unknown-format", DescribeForeign(look), path};
  return source;
}

}  // namespace

std::string ShownName(const std::string& path, bool full_paths) {
  return full_paths ? path : fs::path(path).filename().string();
}

Result<void> CheckStrict(const ImportLog& log, bool strict) {
  if (!strict) return {};
  if (const auto loss = log.FirstLoss()) {
    Error error = *loss;
    error.message += " (--strict makes this an error)";
    return error;
  }
  return {};
}

Result<LoadedModel> LoadModel(const ModelOptions& options, ImportLog& log) {
  TRY_ASSIGN(const std::string path, ModelFile(options.path));
  TRY_ASSIGN(Source source, OpenModel(path));
  const fs::path folder = fs::path(path).parent_path();
  ModelReadContext context{source, log, [&](const std::string& name) {
                             return OpenSibling(folder, options.allow_external, name);
                           }};
  auto model = ReadModel(context, options.as);
  if (!model.has_value()) return std::move(model.error());
  model->file = ShownName(path, options.full_paths);
  std::string hash;
  if (options.hash) {
    TRY_ASSIGN(hash, HashSource(source));
  }
  return LoadedModel{std::move(source), std::move(*model), std::move(hash)};
}

}  // namespace opscope
