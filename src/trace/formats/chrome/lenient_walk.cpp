#include "trace/formats/chrome/lenient_walk.h"

#include <algorithm>

#include "base/json_reader.h"
#include "base/text.h"
#include "trace/formats/chrome/pieces.h"

namespace opscope::chrome {

namespace {

// A bracket behind which more keys follow, or the end of the object.
bool EndsList(std::string_view text, std::size_t at) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (text[at] != ']' && text[at] != '}') return false;
  const std::size_t next = text.find_first_not_of(kBlanks, at + 1);
  if (next == std::string_view::npos || text[next] == '}') return true;
  const std::size_t key = text.find_first_not_of(kBlanks, next + 1);
  return text[next] == ',' && key != std::string_view::npos && text[key] == '"';
}

// One event with the reader of all JSON.
class EventReader {
 public:
  EventReader(std::string_view text, Fields& fields) : reader_(text), fields_(&fields) {}

  Result<void> Read(RawEvent& event) {
    TRY_ASSIGN(const JsonToken first, reader_.Next());
    if (first.kind != JsonKind::kBeginObject) return Error{"json.syntax", "no event", ""};
    return reader_.ForEachField([&](std::string_view key) { return Field(KeyOf(key), event); });
  }
  std::size_t used() const { return static_cast<std::size_t>(reader_.offset()); }
  bool repaired() const { return reader_.repairs() > 0 || replaced_; }

 private:
  Result<void> Field(Key key, RawEvent& event) {
    if (key == Key::kOther || (key == Key::kArgs && !fields_->NeedsArgs(event))) return {};
    TRY_ASSIGN(const JsonToken value, reader_.Next());
    if (key == Key::kArgs) {
      if (value.kind != JsonKind::kBeginObject) return reader_.Skip(value);
      return reader_.ForEachField([&](std::string_view name) { return Argument(name, event); });
    }
    if (value.kind == JsonKind::kString || value.kind == JsonKind::kNumber)
      fields_->Set(key, Valid(value.text), value.kind == JsonKind::kString, event);
    return reader_.Skip(value);
  }

  Result<void> Argument(std::string_view name, RawEvent& event) {
    const ArgField* known = FindArg(name);
    if (known == nullptr) return {};
    TRY_ASSIGN(const JsonToken value, reader_.Next());
    if (known->kind == ArgKey::kTriple && value.kind == JsonKind::kBeginArray) {
      std::size_t index = 0;
      return reader_.ForEachElement([&](const JsonToken& element) -> Result<void> {
        Fields::SetTriple(*known, index++, element.text, fields_->ArgsOf(event));
        return {};
      });
    }
    if (value.kind == JsonKind::kString || value.kind == JsonKind::kNumber)
      fields_->SetArg(*known, Valid(value.text), fields_->ArgsOf(event));
    return reader_.Skip(value);
  }

  std::string_view Valid(std::string_view text) {
    valid_ = ValidUtf8(text);
    replaced_ = replaced_ || valid_ != text;
    return valid_;
  }

  JsonReader reader_;
  Fields* fields_;
  std::string valid_;
  bool replaced_ = false;
};

}  // namespace

bool LenientWalk::ReadEvent(std::string_view text, std::uint64_t offset, std::size_t& used,
                            bool& truncated) {
  RawEvent event;
  const std::size_t args = out_->args.size();
  EventReader reader(text, *fields_);
  const Result<void> read = reader.Read(event);
  truncated = !read.has_value() && read.error().code == "json.truncated";
  if (!read.has_value()) {
    out_->args.resize(args);
    return false;
  }
  if (reader.repaired() && trusted_)
    log_->Add("json-repaired", Severity::kNotice, AtByte(offset),
              "an event that is not valid JSON was read all the same");
  used = reader.used();
  trusted_ = trusted_ || (event.phase != '\0' && event.begin_ns != kAbsent);
  if (trusted_) out_->events.push_back(event);
  return true;
}

bool LenientWalk::ReadRepaired(std::string_view text, std::uint64_t offset, std::size_t& used) {
  std::vector<std::size_t> inserted;
  const std::string repaired = EscapeQuotes(text, inserted);
  bool truncated = false;
  if (inserted.empty() || !ReadEvent(repaired, offset, used, truncated)) return false;
  used -= static_cast<std::size_t>(std::lower_bound(inserted.begin(), inserted.end(), used) -
                                   inserted.begin());
  log_->Add("json-repaired", Severity::kNotice, AtByte(offset),
            "quotes inside a name were not escaped; the event was read all the same");
  return true;
}

bool LenientWalk::IsEvent(std::string_view text) {
  RawEvent event;
  const std::size_t args = out_->args.size();
  EventReader reader(text, *fields_);
  const bool whole = reader.Read(event).has_value();
  out_->args.resize(args);
  return whole && event.phase != '\0' && event.begin_ns != kAbsent;
}

void LenientWalk::Lose(std::uint64_t offset, std::string_view text) {
  if (trusted_)
    log_->Add("trace.bad-event", Severity::kLoss, AtByte(offset),
              "damaged event left out: " + Printable(text.substr(0, 80)));
  trusted_ = false;
}

Result<std::string_view> LenientWalk::Text(std::uint64_t offset, std::size_t length) {
  return source_->Window(offset, std::min(length, Source::kMaxWindow));
}

// The text of an event reaches to where the next one begins; of those places the first ones may lie
// inside its arguments.
Result<void> LenientWalk::Event(LenientStop& stop) {
  constexpr std::size_t kFirstLength = 64 << 10, kLongest = 16 << 20;
  constexpr int kMaxInner = 8;
  std::size_t length = kFirstLength;
  TRY_ASSIGN(std::string_view text, Text(stop.offset, length));
  std::size_t first_end = 0, end = 0;
  bool followed = false;  // by an event of its own: what is wrong is no cut
  for (int inner = 0; inner < kMaxInner;) {
    end = FindEvent(text, end + 1);
    if (end == std::string_view::npos && !AtEnd(stop.offset, text) && length < kLongest) {
      length *= 4;
      TRY_ASSIGN(text, Text(stop.offset, length));
      end = first_end;
      continue;
    }
    std::size_t used = 0;
    bool truncated = false;
    if (ReadEvent(text.substr(0, end), stop.offset, used, truncated)) {
      stop.offset += used;
      return {};
    }
    if (first_end == 0) first_end = end;
    const bool cut = end == std::string_view::npos && truncated && AtEnd(stop.offset, text);
    if (cut && !followed) first_end = end;
    if (end == std::string_view::npos || !truncated) break;
    followed = followed || IsEvent(text.substr(end));
    ++inner;
  }
  const std::string_view event = text.substr(0, first_end);
  std::size_t used = 0;
  if (ReadRepaired(event, stop.offset, used)) {
    stop.offset += used;
    return {};
  }
  const bool last = event.size() == text.size() && AtEnd(stop.offset, text);
  if (last)
    log_->Add("trace.cut", Severity::kLoss, AtByte(source_->size()),
              "the file ends in the middle of the event that begins at byte " +
                  std::to_string(stop.offset) + "; the events before it are kept");
  else
    Lose(stop.offset, event);
  stop.file_ended = last;
  stop.offset += event.size();
  return {};
}

// One event, or what stands where one should. False at the end.
Result<bool> LenientWalk::Step(LenientStop& stop) {
  constexpr std::size_t kLook = 4096;
  TRY_ASSIGN(const std::string_view text, Text(stop.offset, kLook));
  const std::size_t at = text.find_first_not_of(" \t\r\n,");
  if (at == std::string_view::npos && !AtEnd(stop.offset, text)) {
    stop.offset += text.size();
    return true;
  }
  if (at == std::string_view::npos) {
    log_->Add("trace.cut", Severity::kLoss, AtByte(source_->size()),
              "the list of events is not closed: the file was cut, or the program ended first; "
              "the complete events are kept");
    stop.offset = source_->size();
    stop.file_ended = true;
    return false;
  }
  stop.offset += at;
  const bool at_the_end = AtEnd(stop.offset, text.substr(at)) &&
                          text.find_first_not_of(" \t\r\n}]", at) == std::string_view::npos;
  if (at_the_end || (trusted_ && EndsList(text, at))) {
    const bool comma = text.substr(0, at).find(',') != std::string_view::npos;
    if (text[at] == '}' || comma)
      log_->Add("json-repaired", Severity::kNotice, AtByte(stop.offset),
                comma ? "a comma before the closing bracket" : "the list of events is not closed");
    stop.offset += text[at] == ']' ? 1 : 0;
    stop.list_ended = true;
    return false;
  }
  if (text[at] == '{') {
    TRY(Event(stop));
    return !stop.file_ended;
  }
  Lose(stop.offset, text.substr(at));
  const std::size_t next = FindEvent(text, at);
  stop.offset += (next == std::string_view::npos ? text.size() : next) - at;
  return true;
}

Result<LenientStop> LenientWalk::Read(std::uint64_t offset, std::uint64_t until) {
  LenientStop stop;
  stop.offset = offset;
  while (stop.offset < until) {
    TRY_ASSIGN(const bool more, Step(stop));
    if (!more) break;
  }
  return stop;
}

}  // namespace opscope::chrome
