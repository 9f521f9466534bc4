#include "trace/formats/ort/event_texts.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace opscope::ort {

namespace {

constexpr std::size_t kWindow = 4 << 20;
constexpr std::size_t kMaxEvent = 64 << 20;
// Room in which an event's beginning can be told: indentation and the longest key.
constexpr std::size_t kLookAhead = 512;

constexpr std::array<std::string_view, 8> kEventKeys = {"cat", "pid", "tid",  "dur",
                                                        "ts",  "ph",  "name", "args"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool FollowsEvent(std::string_view text, std::size_t brace) {
  for (std::size_t i = brace; i > 0 && brace - i < kLookAhead; --i) {
    const char c = text[i - 1];
    if (c == '[' || c == ',' || c == '\n') return true;
    if (!IsBlank(c)) return false;
  }
  return brace < kLookAhead;
}

bool BeginsWithEventKey(std::string_view text, std::size_t brace) {
  std::size_t at = brace + 1;
  const std::size_t end = std::min(text.size(), brace + kLookAhead);
  while (at < end && IsBlank(text[at])) ++at;
  if (at >= end || text[at] != '"') return false;
  const std::string_view rest = text.substr(at + 1, 5);
  return std::any_of(kEventKeys.begin(), kEventKeys.end(), [&](std::string_view key) {
    return rest.size() > key.size() && rest.starts_with(key) && rest[key.size()] == '"';
  });
}

}  // namespace

std::size_t FindEvent(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const void* found = std::memchr(text.data() + from, '{', text.size() - from);
    if (found == nullptr) return std::string_view::npos;
    const auto brace = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (BeginsWithEventKey(text, brace) && FollowsEvent(text, brace)) return brace;
    from = brace + 1;
  }
  return std::string_view::npos;
}

Result<void> EventTexts::Load(std::uint64_t offset, std::size_t length) {
  TRY_ASSIGN(window_, source_->Window(offset, length));
  window_offset_ = offset;
  return {};
}

Result<bool> EventTexts::FindFirst() {
  begun_ = true;
  TRY(Load(0, kWindow));
  while (true) {
    at_ = FindEvent(window_, 0);
    if (at_ != std::string_view::npos) return true;
    if (AtEnd()) return false;
    TRY(Load(window_offset_ + window_.size() - kLookAhead, kWindow));
  }
}

Result<std::optional<EventText>> EventTexts::Next() {
  if (!begun_) {
    TRY_ASSIGN(const bool found, FindFirst());
    done_ = !found;
  }
  if (done_) return std::optional<EventText>();
  std::size_t length = kWindow;
  while (true) {
    const std::size_t next = FindEvent(window_, at_ + 1);
    const bool certain = AtEnd() || (next != std::string_view::npos);
    if (certain || window_.size() - at_ >= kMaxEvent) {
      const std::size_t end = std::min(next, window_.size());
      const EventText event{window_.substr(at_, end - at_), window_offset_ + at_,
                            next == std::string_view::npos && AtEnd()};
      at_ = end;
      done_ = event.last;
      return std::optional(event);
    }
    if (at_ == 0) length = std::min(2 * window_.size(), kMaxEvent);
    TRY(Load(window_offset_ + at_, length));
    at_ = 0;
  }
}

}  // namespace opscope::ort
