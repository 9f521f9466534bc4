#include "base/check.h"

#include <unistd.h>

#include <exception>
#include <string>

namespace opscope {

void CheckFailed(const char* condition, const char* file, int line) {
  const std::string text = std::string("opscope: internal error: ") + file + ":" +
                           std::to_string(line) + ": CHECK(" + condition + ") failed\n";
  // The one place below cli that prints: there is nobody left to hand the message to.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::terminate();
}

}  // namespace opscope
