// Sentences: English text for the JSON, and what is needed to say the same in another language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opscope {

enum class Language : std::uint8_t { kEnglish, kChinese };

}  // namespace opscope

namespace opscope::doc {

// A value to be put into a sentence. The placeholder says how it is shown: "{wall:time}" takes
// nanoseconds, "{size:bytes}" bytes, "{share:percent}" a share of 1; "{name}" as it is.
using Arg = std::variant<std::string, std::int64_t, double>;
using Args = std::vector<std::pair<std::string, Arg>>;

// A sentence of the catalogue (src/document/messages.h; `Say` makes one). A Text made from a plain
// string has no id and exists in English only.
//
// In the report a Text is its English string; beside it, in the same object, stands
// "messages": {"<key>": {"id": …, "args": …}}. In a list it is {"text": …, "id": …, "args": …}.
struct Text {
  Text() = default;
  Text(std::string english) : text(std::move(english)) {}  // NOLINT: implicit
  Text(std::string_view english) : text(english) {}        // NOLINT: implicit
  Text(const char* english) : text(english) {}             // NOLINT: implicit
  Text(std::string english, std::string message_id, Args message_args)
      : text(std::move(english)), id(std::move(message_id)), args(std::move(message_args)) {}

  bool empty() const { return text.empty(); }
  friend bool operator==(const Text&, const Text&) = default;

  std::string text;
  std::string id;
  Args args;
};

}  // namespace opscope::doc
