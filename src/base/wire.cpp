#include "base/wire.h"

#include <algorithm>
#include <limits>

namespace opscope {

namespace {

constexpr std::size_t kMaxVarint = 10;
constexpr std::size_t kMaxHeader = 2 * kMaxVarint;  // a tag and the longest value behind it

Error Damage(const char* code, const char* message, std::uint64_t offset) {
  return {code, message, "byte " + std::to_string(offset)};
}

Error Truncated(std::uint64_t offset) {
  return Damage("wire.truncated", "protobuf data ends inside a field: the file was cut", offset);
}

// A value that did not end before `at`: the bytes ran out, or there were too many.
Error Endless(std::string_view bytes, std::size_t at, std::uint64_t offset) {
  if (at == bytes.size()) return Truncated(offset);
  return Damage("wire.bad-varint", "not a protobuf field: a number has more than 10 bytes", offset);
}

// Decodes a varint at `at` and moves on; false where the bytes end or it never does.
// 0x96 0x01 = 150: seven bits a byte, the lowest first, the top bit says that more follow.
inline bool TakeVarint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  if (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) {
    value = static_cast<unsigned char>(bytes[at++]);
    return true;
  }
  value = 0;
  const std::size_t end = std::min(bytes.size(), at + kMaxVarint);
  for (unsigned shift = 0; at < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

inline bool TakeFixed(std::string_view bytes, std::size_t& at, std::size_t size,
                      std::uint64_t& value) {
  if (bytes.size() - at < size) {
    at = bytes.size();
    return false;
  }
  value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  at += size;
  return true;
}

}  // namespace

// What is buffered from the position to the end of the message, a header's worth at most.
inline std::string_view WireReader::Ahead() const {
  const std::uint64_t left = end_ - position_;
  return source_->Buffered(position_).substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(left, kMaxHeader)));
}

// The same with a window that holds all of a field's header, unless the input ends before.
Result<std::string_view> WireReader::ReadAhead() {
  TRY(source_->Window(position_, kMaxHeader));
  return Ahead();
}

Result<std::uint64_t> WireReader::Varint() {
  if (done()) return Truncated(position_);
  std::string_view bytes = Ahead();
  if (bytes.size() < std::min<std::uint64_t>(end_ - position_, kMaxHeader)) {
    TRY_ASSIGN(bytes, ReadAhead());
  }
  std::size_t at = 0;
  std::uint64_t value = 0;
  if (!TakeVarint(bytes, at, value)) return Endless(bytes, at, position_);
  position_ += at;
  return value;
}

Result<std::optional<WireField>> WireReader::Next() {
  if (done()) return std::optional<WireField>();
  std::string_view bytes = Ahead();
  if (bytes.size() < std::min<std::uint64_t>(end_ - position_, kMaxHeader)) {
    TRY_ASSIGN(bytes, ReadAhead());
  }
  std::size_t at = 0;
  std::uint64_t tag = 0;
  if (!TakeVarint(bytes, at, tag)) return Endless(bytes, at, position_);
  WireField field;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  if (tag > std::numeric_limits<std::uint32_t>::max() || field.number == 0)
    return Damage("wire.bad-tag", "not a protobuf field: its number is out of range", position_);
  bool whole = false;
  switch (field.type) {
    case WireType::kVarint:
      whole = TakeVarint(bytes, at, field.value);
      break;
    case WireType::kFixed64:
      whole = TakeFixed(bytes, at, 8, field.value);
      break;
    case WireType::kFixed32:
      whole = TakeFixed(bytes, at, 4, field.value);
      break;
    case WireType::kBytes:
      whole = TakeVarint(bytes, at, field.length);
      break;
    default:
      return Damage("wire.bad-tag", "not a protobuf field: its type is unknown", position_);
  }
  if (!whole) return Endless(bytes, at, position_);
  if (field.type == WireType::kBytes) {
    field.offset = position_ + at;
    const std::uint64_t end = std::min(end_, source_->size());
    if (field.length > end - field.offset) return Truncated(position_);
  }
  position_ += at + field.length;
  return std::optional(field);
}

Result<std::string_view> WireReader::Bytes(const WireField& field, std::size_t max) const {
  if (field.type != WireType::kBytes)
    return Damage("wire.wrong-type", "a protobuf field has not the type that its name asks for",
                  position_);
  if (field.length > max)
    return Damage("wire.too-long", "a protobuf field is longer than it can sensibly be",
                  field.offset);
  TRY_ASSIGN(const std::string_view bytes,
             source_->Window(field.offset, static_cast<std::size_t>(field.length)));
  if (bytes.size() != field.length) return Truncated(field.offset);
  return bytes;
}

}  // namespace opscope
