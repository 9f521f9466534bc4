// Events that other programs wrote again: valid JSON, keys in any order, any blanks.
#include "base/decimal.h"
#include "base/json_reader.h"
#include "trace/formats/ort/record.h"

namespace opscope::ort {

namespace {

constexpr std::int64_t kMicrosecond = 1000;

class EventReader {
 public:
  EventReader(std::string_view text, Record& record) : reader_(text), record_(&record) {}

  Result<std::size_t> Read() {
    TRY_ASSIGN(const JsonToken first, reader_.Next());
    if (first.kind != JsonKind::kBeginObject) return Error{"ort-profile.bad-event", "", ""};
    TRY(reader_.ForEachField([this](std::string_view key) { return Field(key); }));
    record_->bad_time |= !has_begin_ || !has_duration_;
    return static_cast<std::size_t>(reader_.offset());
  }

 private:
  Result<void> Field(std::string_view key) {
    if (key == "args") return Arguments();
    const std::string name(key);  // `key` lives until the next token
    TRY_ASSIGN(const JsonToken value, reader_.Next());
    if (name == "cat") record_->category = value.text;
    if (name == "name") record_->name = value.text;
    if (name == "ph") record_->phase = value.text;
    if (name == "pid") record_->pid = value.AsInt64().value_or(0);
    if (name == "tid") record_->tid = value.AsInt64().value_or(0);
    if (name == "ts") has_begin_ = Time(value.text, record_->begin_ns);
    if (name == "dur") has_duration_ = Time(value.text, record_->duration_ns);
    return reader_.Skip(value);
  }

  static bool Time(std::string_view text, std::int64_t& ns) {
    const auto time = ParseDecimalTime(text, kMicrosecond);
    if (time) ns = time->value;
    return time.has_value();
  }

  Result<void> Arguments() {
    TRY_ASSIGN(const JsonToken first, reader_.Next());
    if (first.kind != JsonKind::kBeginObject) return reader_.Skip(first);
    return reader_.ForEachField([this](std::string_view key) { return Argument(key); });
  }

  Result<void> Argument(std::string_view key) {
    const std::string name(key);
    TRY_ASSIGN(const JsonToken value, reader_.Next());
    if (value.kind == JsonKind::kBeginArray || value.kind == JsonKind::kBeginObject) {
      TRY_ASSIGN(const std::string raw, reader_.Raw(value));
      SetArgument(name, raw, *record_);
      return {};
    }
    SetArgument(name, value.text, *record_);
    return reader_.Skip(value);
  }

  JsonReader reader_;
  Record* record_;
  bool has_begin_ = false;
  bool has_duration_ = false;
};

}  // namespace

Parsed ParseJson(std::string_view text, Record& record) {
  const Result<std::size_t> used = EventReader(text, record).Read();
  if (used.has_value()) return {ParseState::kOk, *used};
  return {used.error().code == "json.truncated" ? ParseState::kTruncated : ParseState::kDamaged, 0};
}

}  // namespace opscope::ort
