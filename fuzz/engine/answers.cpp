// What an engine program says to us, by any program at all.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = ParseEngineLine(text);
  const std::string_view body = line.has_value() && line->ok ? std::string_view(*line->ok) : text;
  static_cast<void>(ParseHello(body).has_value());
  static_cast<void>(ParseDescription(body).has_value());
  static_cast<void>(ParseProfile(body).has_value());
  static_cast<void>(ParseOutputs(body).has_value());
  static_cast<void>(ParseRunEnd(body).has_value());
  return 0;
}
