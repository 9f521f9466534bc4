// Internal to base: bytes that arrive in order become a Source with random access.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"
#include "base/source_state.h"

namespace opscope {

// Keeps what the limits allow in memory and moves to an unlinked temporary file beyond.
class Spool {
 public:
  // More than `max_bytes` is an error: input.too-large.
  Spool(std::string name, std::uint64_t max_bytes, std::size_t memory_bytes);

  Result<void> Append(std::string_view bytes);
  std::uint64_t size() const { return state_->size; }
  std::size_t memory_bytes() const { return memory_bytes_; }
  // The source of everything appended. `stored_bytes`: its size as it lies on the disk.
  Source Finish(std::uint64_t stored_bytes, std::optional<Error> damage = std::nullopt);

 private:
  Result<void> MoveToFile();
  Result<void> WriteToFile(std::string_view bytes);

  std::unique_ptr<Source::State> state_;
  std::uint64_t max_bytes_;
  std::size_t memory_bytes_;
};

}  // namespace opscope
