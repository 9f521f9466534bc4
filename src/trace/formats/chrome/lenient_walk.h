// The lenient way through events: whatever stands in the file, event by event. What can be saved is
// saved, what was done is logged with its place.
//
// Seen in traces: quotes and control characters that were not escaped (kernel names), bytes that
// are not UTF-8, NaN, a comma before a closing bracket, no closing bracket, a cut anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "base/result.h"
#include "base/source.h"
#include "trace/formats/chrome/fields.h"

namespace opscope::chrome {

struct LenientStop {
  std::uint64_t offset = 0;  // of what follows the last event that was looked at
  bool list_ended = false;   // the list of events is closed; `offset` is behind its bracket
  bool file_ended = false;   // … without that
};

class LenientWalk {
 public:
  LenientWalk(Source& source, ImportLog& log, Fields& fields, RawEvents& out)
      : source_(&source), log_(&log), fields_(&fields), out_(&out) {}

  // Reads on from `offset` (between two events) until an event ends at `until` or behind it.
  // Errors: those of the source.
  Result<LenientStop> Read(std::uint64_t offset, std::uint64_t until);

 private:
  Result<bool> Step(LenientStop& stop);
  Result<void> Event(LenientStop& stop);
  bool ReadEvent(std::string_view text, std::uint64_t offset, std::size_t& used, bool& truncated);
  bool ReadRepaired(std::string_view text, std::uint64_t offset, std::size_t& used);
  // An event of its own stands at the front: no object that happens to be inside another event.
  bool IsEvent(std::string_view text);
  Result<std::string_view> Text(std::uint64_t offset, std::size_t length);
  // Damage at this place; said once until the way is found again.
  void Lose(std::uint64_t offset, std::string_view text);
  bool AtEnd(std::uint64_t offset, std::string_view text) const {
    return offset + text.size() >= source_->size();
  }

  Source* source_;
  ImportLog* log_;
  Fields* fields_;
  RawEvents* out_;
  // False behind damage, until an event with a phase and a time was read: what looks like an event
  // may be an object inside arguments, and a bracket theirs.
  bool trusted_ = true;
};

// A copy in which quotes that cannot end their string are escaped; `inserted`: where the copy has a
// backslash that the text has not.
std::string EscapeQuotes(std::string_view text, std::vector<std::size_t>& inserted);

}  // namespace opscope::chrome
