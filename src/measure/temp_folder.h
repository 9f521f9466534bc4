// A folder of our own that goes, with all that is in it, when its owner goes.
#pragma once

#include <string>

#include "base/result.h"

namespace opscope {

class TempFolder {
 public:
  // Makes "<root>/opscope-XXXXXX", readable by us alone. Errors: measure.temp.
  static Result<TempFolder> Make(const std::string& root);
  TempFolder() = default;  // no folder
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  ~TempFolder();

  const std::string& path() const { return path_; }

 private:
  void Remove();
  std::string path_;
};

}  // namespace opscope
