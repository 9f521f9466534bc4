// Cuts a profile into the texts of its events without reading it as JSON.
//
// Node names are written unescaped, so neither quotes nor newlines can be trusted. What can be: an
// event is an object whose first key is one of ours, after `[`, `,` or at the start of a line. A
// text reaches from one such place to the next; damage costs the event that it hits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace opscope::ort {

struct EventText {
  std::string_view text;     // from `{` up to the next event or the end; valid until Next
  std::uint64_t offset = 0;  // of the `{`
  bool last = false;         // nothing follows in the file
};

class EventTexts {
 public:
  explicit EventTexts(Source& source) : source_(&source) {}
  Result<std::optional<EventText>> Next();

 private:
  Result<void> Load(std::uint64_t offset, std::size_t length);
  Result<bool> FindFirst();
  bool AtEnd() const { return window_offset_ + window_.size() >= source_->size(); }

  Source* source_;
  std::string_view window_;
  std::uint64_t window_offset_ = 0;
  std::size_t at_ = 0;  // of the next event in the window
  bool begun_ = false;
  bool done_ = false;
};

// Where the first event at or after `from` begins in `text`; npos when none does.
std::size_t FindEvent(std::string_view text, std::size_t from);

}  // namespace opscope::ort
