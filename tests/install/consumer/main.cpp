#include <opscope/requests.h>

#include <cstdio>

int main() {
  const auto missing = opscope::Inspect({.path = "no such file.onnx"}, {});
  if (missing.has_value()) return 1;
  std::printf("%s: %s\n", missing.error().place.c_str(), missing.error().message.c_str());
  return opscope::ListFormats().empty() ? 1 : 0;
}
