#include "support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace opscope::testing {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// "line 12: expected '…', found '…'".
std::string FirstDifference(const std::string& expected, const std::string& actual) {
  std::istringstream a(expected);
  std::istringstream b(actual);
  std::string line_a;
  std::string line_b;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(a, line_a));
    const bool more_b = static_cast<bool>(std::getline(b, line_b));
    if (!more_a && !more_b) return "they differ in line ends only";
    if (more_a && more_b && line_a == line_b) continue;
    return "line " + std::to_string(number) + "\n  expected: " + (more_a ? line_a : "(the end)") +
           "\n  found:    " + (more_b ? line_b : "(the end)");
  }
}

}  // namespace

std::string RepositoryPath(const std::string& path) {
  return (std::filesystem::path(OPSCOPE_SOURCE_DIR) / path).string();
}

std::string ReadRepositoryFile(const std::string& path) {
  const std::string full = RepositoryPath(path);
  EXPECT_TRUE(std::filesystem::exists(full)) << path;
  return ReadFile(full);
}

void ExpectFile(const std::string& path, std::string_view actual) {
  const std::string full = RepositoryPath(path);
  const char* update = std::getenv("UPDATE_EXPECTED");
  if (update != nullptr && std::string_view(update) == "1") {
    WriteFile(full, actual);
    return;
  }
  const std::string expected = ReadFile(full);
  if (expected == actual) return;
  const std::string name = std::filesystem::path(path).filename().string() + ".actual";
  WriteFile(name, actual);
  ADD_FAILURE() << path << " is not what came out (now in " << name << "; UPDATE_EXPECTED=1 takes "
                << "it over): " << FirstDifference(expected, std::string(actual));
}

}  // namespace opscope::testing
