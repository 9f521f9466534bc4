#include "base/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/check.h"

namespace opscope {

namespace {
constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kFirstSlots = 256;

std::uint32_t HashOf(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>()(text);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}
}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) { Intern(""); }

std::string_view StringPool::Store(std::string_view text) {
  if (text.size() > block_left_) {
    const std::size_t bytes = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(bytes));
    block_next_ = blocks_.back().get();
    block_left_ = bytes;
  }
  if (!text.empty()) std::memcpy(block_next_, text.data(), text.size());
  const std::string_view stored(block_next_, text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return stored;
}

// The slot that holds the text, or the free one where it belongs.
std::size_t StringPool::SlotOf(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (!slot.id.valid() || (slot.hash == hash && views_[slot.id.index()] == text)) return at;
  }
}

void StringPool::Grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.id.valid()) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id.valid()) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

Str StringPool::Intern(std::string_view text) {
  const std::uint32_t hash = HashOf(text);
  Slot& slot = slots_[SlotOf(text, hash)];
  if (slot.id.valid()) return slot.id;
  CHECK(views_.size() < 0xffffffffU);
  const Str id{static_cast<std::uint32_t>(views_.size())};
  views_.push_back(Store(text));
  slot = {hash, id};
  if (views_.size() * 4 > slots_.size() * 3) Grow();
  return id;
}

Str StringPool::Find(std::string_view text) const { return slots_[SlotOf(text, HashOf(text))].id; }

}  // namespace opscope
