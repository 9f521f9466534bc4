#include "measure/temp_folder.h"

#include <stdlib.h>
#include <string.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace opscope {

Result<TempFolder> TempFolder::Make(const std::string& root) {
  TempFolder out;
  std::string path = root + "/opscope-XXXXXX";
  if (!mkdtemp(path.data()))
    return Error{"measure.temp",
                 "cannot make a folder for temporary files in '" + root + "': " + strerror(errno),
                 ""};
  out.path_ = std::move(path);
  return out;
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TempFolder::~TempFolder() { Remove(); }

void TempFolder::Remove() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace opscope
