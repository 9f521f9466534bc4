// Models among files and folders, for verbs that take several.

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "app/load.h"
#include "base/result.h"
#include "base/shard_name.h"
#include "base/source.h"
#include "model/formats/foreign.h"
#include "model/formats/format.h"
#include "opscope/requests.h"

namespace opscope {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;

bool LooksLikeModel(const std::string& path) {
  constexpr std::size_t kProbeBytes = 64 * 1024;
  auto source = Source::OpenRaw(path);
  if (!source.has_value()) return false;
  const auto prefix = source->Window(0, kProbeBytes);
  if (!prefix.has_value()) return false;
  const std::span<const ModelFormat> formats = ModelFormats();
  return std::any_of(formats.begin(), formats.end(), [&](const ModelFormat& format) {
    return format.probe(*prefix, source->size()) == Match::kYes;
  });
}

// ".onnx, .tflite and .gguf": endings that promise a model.
std::string OwnEndings() {
  std::vector<std::string> endings;
  for (const ModelFormat& format : ModelFormats())
    if (format.info.own_endings) endings.emplace_back(format.info.endings);
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i)
    text += (i == 0 ? "" : i + 1 == endings.size() ? " and " : ", ") + endings[i];
  return text;
}

// A model in parts is one model: its first part stands for all of them, and for their index.
void KeepFirstParts(std::vector<std::string>& files) {
  std::set<std::string> whole;  // what the parts make: "folder/model.safetensors"
  const auto whole_of = [](const std::string& file, const ShardName& shard) {
    return (fs::path(file).parent_path() / (shard.stem + shard.ending)).string();
  };
  std::vector<std::string> kept;
  for (std::string& file : files) {
    const auto shard = ParseShardName(fs::path(file).filename().string());
    if (!shard || whole.insert(whole_of(file, *shard)).second) kept.push_back(std::move(file));
  }
  std::erase_if(kept, [&](const std::string& file) {
    constexpr std::string_view kIndex = ".index.json";
    return file.ends_with(kIndex) && whole.count(file.substr(0, file.size() - kIndex.size())) > 0;
  });
  files = std::move(kept);
}

class Finder {
 public:
  // Files first, then folders, each sorted: the same tree gives the same list on every machine.
  void Walk(const fs::path& folder, int depth) {
    std::error_code failed;
    const fs::path real = fs::canonical(folder, failed);
    // A link may lead back up; a folder is looked at once.
    if (failed || depth > kMaxDepth || !seen_.insert(real.string()).second) return;
    std::vector<fs::path> files, folders;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
      std::error_code unknown;
      if (at->is_directory(unknown))
        folders.push_back(at->path());
      else if (at->is_regular_file(unknown))
        files.push_back(at->path());
    }
    // It is named as what cannot be read.
    if (failed) found_.push_back(folder.string());
    std::sort(files.begin(), files.end());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& file : files)
      // A name that promises a model is taken at its word.
      if (IsNamedLikeModel(file.string()) || LooksLikeModel(file.string()))
        found_.push_back(file.string());
    for (const fs::path& inner : folders) Walk(inner, depth + 1);
  }

  std::vector<std::string> Take() {
    KeepFirstParts(found_);
    return std::move(found_);
  }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> found_;
};

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    names.push_back(at->path().filename().string());
  return names;
}

}  // namespace

Result<std::vector<FoundModel>> FindModels(const std::vector<std::string>& paths) {
  std::vector<FoundModel> out;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      out.push_back({path, ShownName(path, false)});
      continue;
    }
    Finder finder;
    finder.Walk(path, 0);
    std::vector<std::string> found = finder.Take();
    if (found.empty()) {
      const std::string foreign = DescribeForeignFolder(NamesIn(path));
      if (!foreign.empty()) return Error{"input.unknown-format", foreign, path};
      return Error{"input.no-models",
                   "there is no model file in this folder or below it; a model is found by its "
                   "content, and " +
                       OwnEndings() + " files by their name",
                   path};
    }
    for (const std::string& file : found)
      out.push_back({file, fs::path(file).lexically_relative(path).string()});
  }
  return out;
}

}  // namespace opscope
