// Names are stored once. A Str is 4 bytes; views stay valid as long as the pool lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace opscope {

// Str{0} is always the empty string.
using Str = Id<struct StrTag>;

class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  Str Intern(std::string_view text);
  // The id of a text already stored, or an invalid id.
  Str Find(std::string_view text) const;
  std::string_view View(Str id) const { return views_[id.index()]; }
  std::size_t size() const { return views_.size(); }

 private:
  // Open addressing: 8 bytes a name, and growing touches no text.
  struct Slot {
    std::uint32_t hash = 0;
    Str id;  // invalid = free
  };
  std::string_view Store(std::string_view text);
  std::size_t SlotOf(std::string_view text, std::uint32_t hash) const;
  void Grow();

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
  std::vector<std::string_view> views_;
  std::vector<Slot> slots_;  // a power of two, at most three quarters full
};

}  // namespace opscope
