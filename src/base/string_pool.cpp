#include "base/string_pool.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace opscope {

namespace {
constexpr std::size_t kBlockBytes = 64 * 1024;
}  // namespace

StringPool::StringPool() { Intern(""); }

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

Str StringPool::Intern(std::string_view text) {
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  CHECK(views_.size() < 0xffffffffU);
  const Str id{static_cast<std::uint32_t>(views_.size())};
  views_.push_back(Store(text));
  index_.emplace(views_.back(), id);
  return id;
}

Str StringPool::Find(std::string_view text) const {
  const auto found = index_.find(text);
  return found == index_.end() ? Str{} : found->second;
}

}  // namespace opscope
