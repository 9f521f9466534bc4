#include "base/text_utf8.h"

namespace opscope {

namespace {

constexpr CodePoint Invalid(std::size_t bytes) { return {kReplacement, bytes, false}; }

// Bytes of a sequence that begins with `lead`; 0 for a byte that cannot begin one.
constexpr std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

// The second byte alone tells overlong forms, surrogates and values beyond U+10FFFF
// (The Unicode Standard, table 3-7).
constexpr bool SecondByteFits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return second >= 0x80 && second <= 0xbf;
  }
}

}  // namespace

CodePoint NextCodePoint(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = SequenceLength(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0) return Invalid(1);
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return Invalid(i);
    const auto next = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? SecondByteFits(lead, next) : (next & 0xc0) == 0x80;
    if (!fits) return Invalid(i);
    value = (value << 6) | (next & 0x3fU);
  }
  return {value, length, true};
}

void AppendUtf8(char32_t c, std::string& out) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

}  // namespace opscope
