#include "trace/formats/chrome/pieces.h"

#include "trace/formats/chrome/fields.h"

namespace opscope::chrome {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The key of an object's first field; empty when there is none.
std::string_view FirstKey(std::string_view object) {
  const std::size_t quote = object.find_first_not_of(kBlanks, 1);
  if (quote == std::string_view::npos || object[quote] != '"') return {};
  constexpr std::size_t kLongest = 8;
  const std::string_view key = object.substr(quote + 1, kLongest);
  const std::size_t end = key.find('"');
  if (end == std::string_view::npos) return {};
  const std::size_t colon = object.find_first_not_of(kBlanks, quote + 1 + end + 1);
  const bool is_key = colon != std::string_view::npos && object[colon] == ':';
  return is_key ? key.substr(0, end) : std::string_view();
}

char Before(std::string_view text, std::size_t at, std::size_t& place) {
  place = at == 0 ? std::string_view::npos : text.find_last_not_of(kBlanks, at - 1);
  return place == std::string_view::npos ? '\0' : text[place];
}

bool HasEventKey(std::string_view object) {
  const std::string_view key = FirstKey(object);
  return KeyOf(key) != Key::kOther || key == "bp" || key == "s";
}

}  // namespace

std::size_t FindEvent(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('{', from); at != std::string_view::npos;
       at = text.find('{', at + 1)) {
    std::size_t place = 0;
    const char before = Before(text, at, place);
    if ((before == ',' || before == '[') && HasEventKey(text.substr(at))) return at;
  }
  return std::string_view::npos;
}

std::size_t FindLastEvent(std::string_view text) {
  std::size_t at = text.rfind('{');
  for (; at != std::string_view::npos && at > 0; at = text.rfind('{', at - 1)) {
    std::size_t place = 0;
    if (Before(text, at, place) != ',' || !HasEventKey(text.substr(at))) continue;
    std::size_t end = 0;
    if (Before(text, place, end) == '}') return at;
  }
  return std::string_view::npos;
}

}  // namespace opscope::chrome
