#include "trace/formats/chrome/fast_walk.h"

#include <cstring>
#include <string_view>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

namespace opscope::chrome {

namespace {

namespace od = simdjson::ondemand;

// A key without its quotes; the buffer's padding ends every search.
std::string_view Text(const od::raw_json_string& raw) {
  const char* begin = raw.raw();
  std::size_t length = 0;
  while (begin[length] != '"' && begin[length] != '\\' && begin[length] != '\0') ++length;
  return {begin, length};
}

std::string_view WithoutBlanks(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

// Reads the events of one piece.
class Walk {
 public:
  Walk(Fields& fields, RawEvents& out) : fields_(&fields), out_(&out) {}

  // False: what follows is not JSON.
  bool Event(od::value value) {
    od::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    RawEvent event;
    const std::size_t args = out_->args.size();
    for (auto field : object) {
      od::raw_json_string key;
      if (field.error() != simdjson::SUCCESS || field.key().get(key) != simdjson::SUCCESS ||
          !Field(Text(key), field.value(), event)) {
        out_->args.resize(args);
        return false;
      }
    }
    out_->events.push_back(event);
    return true;
  }

 private:
  using FieldValue = simdjson::simdjson_result<od::value>;

  bool Field(std::string_view text, FieldValue value, RawEvent& event) {
    const Key key = KeyOf(text);
    if (key == Key::kOther) return true;
    if (key == Key::kArgs) return !fields_->NeedsArgs(event) || Arguments(value, event);
    std::string_view content;
    bool is_string = false;
    if (!Scalar(value, content, is_string)) return false;
    fields_->Set(key, content, is_string, event);
    return true;
  }

  // A string without its quotes, decoded, or a number as written; empty for anything else.
  bool Scalar(FieldValue value, std::string_view& content, bool& is_string) {
    od::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS) return true;  // NaN and the like: no value
    is_string = type == od::json_type::string;
    if (type == od::json_type::array || type == od::json_type::object) return true;
    std::string_view token;
    if (value.raw_json_token().get(token) != simdjson::SUCCESS) return false;
    token = WithoutBlanks(token);
    if (!is_string) {
      content = token;
      return true;
    }
    if (token.size() < 2) return false;
    content = token.substr(1, token.size() - 2);
    if (content.find('\\') == std::string_view::npos) return true;
    return value.get_string().get(content) == simdjson::SUCCESS;
  }

  bool Arguments(FieldValue value, RawEvent& event) {
    od::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return true;  // "args": "text"
    for (auto field : object) {
      od::raw_json_string key;
      if (field.error() != simdjson::SUCCESS || field.key().get(key) != simdjson::SUCCESS)
        return false;
      const ArgField* known = FindArg(Text(key));
      if (known == nullptr) continue;
      const bool read = known->kind == ArgKey::kTriple ? Triple(*known, field.value(), event)
                                                       : Argument(*known, field.value(), event);
      if (!read) return false;
    }
    return true;
  }

  bool Argument(const ArgField& known, FieldValue value, RawEvent& event) {
    std::string_view content;
    bool is_string = false;
    if (!Scalar(value, content, is_string)) return false;
    if (!content.empty()) fields_->SetArg(known, content, fields_->ArgsOf(event));
    return true;
  }

  bool Triple(const ArgField& known, FieldValue value, RawEvent& event) {
    od::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return true;
    std::size_t index = 0;
    for (auto element : array) {
      std::string_view content;
      bool is_string = false;
      if (element.error() != simdjson::SUCCESS || !Scalar(element, content, is_string))
        return false;
      Fields::SetTriple(known, index++, content, fields_->ArgsOf(event));
    }
    return true;
  }

  Fields* fields_;
  RawEvents* out_;
};

}  // namespace

struct FastWalk::State {
  od::parser parser;
};

FastWalk::FastWalk() : state_(std::make_unique<State>()) {}
FastWalk::~FastWalk() = default;

FastResult FastWalk::Read(std::string& buffer, Fields& fields, RawEvents& out) {
  static_assert(kPadding > simdjson::SIMDJSON_PADDING);
  FastResult result;
  const std::size_t length = buffer.size() - 1 - kPadding;
  buffer.front() = '[';
  std::memset(buffer.data() + 1 + length, 0, kPadding);
  buffer[1 + length] = ']';
  od::document json;
  if (state_->parser.iterate(buffer.data(), length + 2, buffer.size()).get(json) !=
      simdjson::SUCCESS)
    return result;
  od::array events;
  if (json.get_array().get(events) != simdjson::SUCCESS) return result;
  Walk walk(fields, out);
  for (auto element : events) {
    od::value value;
    if (element.get(value) != simdjson::SUCCESS || !walk.Event(value)) return result;
    const char* next = nullptr;  // the comma behind the event, or our bracket
    if (json.current_location().get(next) != simdjson::SUCCESS) return result;
    result.used = static_cast<std::size_t>(next - buffer.data() - 1);
  }
  // A bracket of the piece itself has ended the list when something follows.
  const char* behind = nullptr;
  result.clean = json.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
  return result;
}

}  // namespace opscope::chrome
