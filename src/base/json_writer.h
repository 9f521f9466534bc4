// JSON as a stream: a tree of 100,000 layers would cost 1.25 s and 414 MB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sink.h"
#include "opscope/int128.h"

namespace opscope {

enum class JsonStyle : std::uint8_t { kCompact, kIndented };

// Calls must nest as JSON does; a misuse fails a CHECK. Invalid UTF-8 becomes U+FFFD.
class JsonWriter {
 public:
  explicit JsonWriter(Sink& sink, JsonStyle style = JsonStyle::kIndented);

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);
  void String(std::string_view text);
  // Exact: a JSON integer up to 2^53 in size, a decimal string beyond.
  void Integer(Int128 value);
  // Shortest text that reads back the same; NaN and infinities become null.
  void Number(double value);
  void Bool(bool value);
  void Null();
  // A complete JSON value written elsewhere.
  void Raw(std::string_view json);

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Before();
  void NewLine();

  Sink* sink_;
  JsonStyle style_;
  struct Level {
    bool array = false;
    bool first = true;
  };
  std::vector<Level> levels_;
  bool after_key_ = false;
  bool complete_ = false;  // the top-level value has begun
};

// `text` as a JSON string, with its quotes.
std::string JsonQuote(std::string_view text);

}  // namespace opscope
