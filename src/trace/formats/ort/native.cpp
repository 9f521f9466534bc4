// The profiler's own writing, one event a line unless a name holds a newline:
//
//   {"cat" : "Node","pid" :7,"tid" :9,"dur" :65,"ts" :4995,"ph" : "X","name"
//   :"rs_kernel_time","args" : {"op_name" : "ReduceSum","output_size" :
//   "4","thread_scheduling_stats" : {…},"input_type_shape" : [{"float":[1,3]}]}},
#include <charconv>
#include <limits>

#include "base/checked.h"
#include "trace/formats/ort/record.h"

namespace opscope::ort {

namespace {

constexpr std::int64_t kMicrosecond = 1000;

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool truncated() const { return truncated_; }
  std::string_view rest() const { return text_.substr(at_); }

  bool Literal(std::string_view literal) {
    const std::string_view here = text_.substr(at_, literal.size());
    if (here == literal) {
      at_ += literal.size();
      return true;
    }
    truncated_ = literal.starts_with(here);
    return false;
  }
  bool Integer(std::int64_t& value) {
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    truncated_ = at_ == text_.size();
    if (error == std::errc::result_out_of_range) {
      value = std::numeric_limits<std::int64_t>::max();  // no possible time either
      return true;
    }
    return error == std::errc();
  }
  // The text up to `mark`, which is passed.
  bool Until(std::string_view mark, std::string_view& value) {
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) return EndsEarly();
    value = text_.substr(at_, end - at_);
    at_ = end + mark.size();
    return true;
  }
  // A string value's text: to the quote after which the next argument or the end of them follows.
  bool StringValue(std::string_view& value) {
    for (std::size_t end = text_.find('"', at_); end != std::string_view::npos;
         end = text_.find('"', end + 1)) {
      const std::string_view next = text_.substr(end + 1, 2);
      if (next.empty() || next == ",") return EndsEarly();
      if (next[0] != '}' && next != ",\"") continue;
      value = text_.substr(at_, end - at_);
      at_ = end + 1;
      return true;
    }
    return EndsEarly();
  }
  // An object or an array, whole.
  bool RawValue(std::string_view& value) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') in_string = !in_string;
      if (in_string) continue;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) {
        value = text_.substr(at_, i + 1 - at_);
        at_ = i + 1;
        return true;
      }
    }
    return EndsEarly();
  }

 private:
  bool EndsEarly() {
    truncated_ = true;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool truncated_ = false;
};

// After `"args" : {` up to its `}`.
bool Arguments(Cursor& cursor, Record& record) {
  if (cursor.Literal("}")) return true;
  while (true) {
    std::string_view key, value;
    if (!cursor.Literal("\"") || !cursor.Until("\" : ", key)) return false;
    const char first = cursor.rest().empty() ? '\0' : cursor.rest().front();
    if (first == '{' || first == '[') {
      if (!cursor.RawValue(value)) return false;
    } else if (!cursor.Literal("\"") || !cursor.StringValue(value)) {
      return false;
    }
    SetArgument(key, value, record);
    if (cursor.Literal("}")) return true;
    if (!cursor.Literal(",")) return false;
  }
}

bool IsOdd(std::string_view name) {
  for (const char c : name)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) return true;
  return false;
}

bool Event(Cursor& cursor, Record& record) {
  std::int64_t begin_us = 0, duration_us = 0;
  std::string_view category, name;
  if (!cursor.Literal("{\"cat\" : \"") || !cursor.Until("\",\"pid\" :", category)) return false;
  if (!cursor.Integer(record.pid) || !cursor.Literal(",\"tid\" :")) return false;
  if (!cursor.Integer(record.tid) || !cursor.Literal(",\"dur\" :")) return false;
  if (!cursor.Integer(duration_us) || !cursor.Literal(",\"ts\" :")) return false;
  if (!cursor.Integer(begin_us) || !cursor.Literal(",\"ph\" : \"X\",\"name\" :\"")) return false;
  if (!cursor.Until("\",\"args\" : {", name)) return false;
  record.category = category;
  record.name = name;
  record.phase = "X";
  record.odd_name = IsOdd(name);
  const auto begin = CheckedMul(begin_us, kMicrosecond);
  const auto duration = CheckedMul(duration_us, kMicrosecond);
  record.bad_time = !begin || !duration;
  record.begin_ns = begin.value_or(0);
  record.duration_ns = duration.value_or(0);
  return Arguments(cursor, record) && cursor.Literal("}");
}

}  // namespace

Parsed ParseNative(std::string_view text, Record& record) {
  Cursor cursor(text);
  if (Event(cursor, record)) return {ParseState::kOk, cursor.at()};
  return {cursor.truncated() ? ParseState::kTruncated : ParseState::kDamaged, cursor.at()};
}

}  // namespace opscope::ort
