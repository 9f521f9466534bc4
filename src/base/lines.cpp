#include "base/lines.h"

namespace opscope {

Result<void> Lines::SkipRest() {
  while (at_ < source_->size()) {
    TRY_ASSIGN(const std::string_view window, source_->Window(at_, kMaxLine));
    const std::size_t end = window.find('\n');
    at_ += end == std::string_view::npos ? window.size() : end + 1;
    if (end != std::string_view::npos || window.empty()) break;
  }
  return {};
}

Result<std::optional<TextLine>> Lines::Next() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (skip_) TRY(SkipRest());
  skip_ = false;
  if (at_ >= source_->size()) return std::optional<TextLine>();
  TextLine line;
  line.offset = at_;
  std::string_view window = source_->Buffered(at_);
  std::size_t end = window.find('\n');
  if (end == std::string_view::npos) {
    TRY_ASSIGN(window, source_->Window(at_, kMaxLine));
    end = window.find('\n');
  }
  if (window.empty()) return std::optional<TextLine>();
  line.text = window.substr(0, end);
  if (end != std::string_view::npos) {
    at_ += end + 1;
  } else {
    at_ += window.size();
    line.cut = at_ < source_->size();
    line.ended = false;
  }
  if (line.offset == 0 && line.text.starts_with(kMark)) line.text.remove_prefix(kMark.size());
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  skip_ = line.cut;  // not now: the window would be reused
  return std::optional(line);
}

}  // namespace opscope
