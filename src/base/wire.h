// Protobuf wire format, walked through windows: payloads are skipped by length, never read.
//
//   field   = tag varint (number << 3 | type), then
//   type 0  = varint; 1 = 8 bytes; 2 = length varint + bytes; 5 = 4 bytes
// Groups (types 3, 4) do not occur in the formats we read and are reported as damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace opscope {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;   // varint or fixed value
  std::uint64_t offset = 0;  // of the payload in the source (kBytes)
  std::uint64_t length = 0;  // of the payload (kBytes)
};

// Walks the fields of one message that lies at [begin, end) of a source.
class WireReader {
 public:
  WireReader(Source& source, std::uint64_t begin, std::uint64_t end)
      : source_(&source), position_(begin), end_(end) {}

  // The next field; nullopt at the end. Errors "wire.truncated", "wire.bad-tag" and
  // "wire.bad-varint" carry the offset.
  Result<std::optional<WireField>> Next();
  // The fields of a nested message.
  WireReader Message(const WireField& field) const {
    return {*source_, field.offset, field.offset + field.length};
  }
  // The payload of a bytes field of at most `max` bytes ("wire.too-long" beyond; "wire.wrong-type"
  // for a field of another type). The view is valid until the source's next window.
  Result<std::string_view> Bytes(const WireField& field, std::size_t max = 1 << 20) const;
  // A bare varint: the elements of a packed field, until done().
  Result<std::uint64_t> Varint();
  bool done() const { return position_ >= end_; }
  std::uint64_t position() const { return position_; }

 private:
  std::string_view Ahead() const;
  Result<std::string_view> ReadAhead();

  Source* source_;
  std::uint64_t position_;
  std::uint64_t end_;
};

inline double AsDouble(std::uint64_t fixed64) { return __builtin_bit_cast(double, fixed64); }
inline float AsFloat(std::uint64_t fixed32) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(fixed32));
}

}  // namespace opscope
