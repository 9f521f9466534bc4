// Internal to base: what a Source holds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/source.h"

namespace opscope {

// A file descriptor that is closed once.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

struct Source::State {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t stored_bytes = 0;
  std::optional<Error> damage;

  std::string bytes;  // the whole input, when there is no file
  File file;
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = 0;
  std::size_t ahead = 4 * 1024;  // bytes to read where fewer are asked for
};

}  // namespace opscope
