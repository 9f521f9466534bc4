#include "model/formats/onnx/walker.h"

#include <cstring>

#include "base/result.h"
#include "model/formats/onnx/fields.h"

namespace opscope::onnx {

namespace {

constexpr std::size_t kHashBlock = 64 * 1024;
constexpr std::size_t kLongestVarint = 10;

void AppendNumber(std::string& out, std::uint64_t value) {
  const auto byte = [value](int i) { return static_cast<char>(value >> (8 * i) & 0xff); };
  const char bytes[] = {byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)};
  out.append(bytes, sizeof(bytes));
}

}  // namespace

void Walker::FlushHash() {
  hasher_.Add(hash_buffer_);
  hash_buffer_.clear();
}

void Walker::Hash(const WireField& field, std::uint64_t value) {
  AppendNumber(hash_buffer_, field.number);
  AppendNumber(hash_buffer_, value);
  if (hash_buffer_.size() >= kHashBlock) FlushHash();
}

void Walker::Hash(const WireField& field, std::string_view text) {
  Hash(field, text.size());
  hash_buffer_.append(text);
}

std::string Walker::StructureHash() {
  FlushHash();
  return hasher_.Hex();
}

Result<std::string_view> Walker::Text(const WireReader& message, const WireField& field,
                                      std::size_t max) {
  TRY_ASSIGN(const std::string_view text, message.Bytes(field, max));
  Hash(field, text);
  return text;
}

Result<Str> Walker::Name(const WireReader& message, const WireField& field) {
  TRY_ASSIGN(const std::string_view text, Text(message, field));
  return model_.strings.Intern(text);
}

Result<Str> Walker::Domain(const WireReader& message, const WireField& field) {
  TRY_ASSIGN(const std::string_view text, Text(message, field));
  return model_.strings.Intern(text.empty() ? "ai.onnx" : text);
}

Result<std::optional<std::pair<std::string, std::string>>> Walker::Entry(WireReader message,
                                                                         std::size_t max_value) {
  std::pair<std::string, std::string> entry;
  bool kept = true;
  TRY(ForEachField(message, [&](const WireField& field, const WireReader& in) -> Result<void> {
    if (Key(field) == entry_proto::kKey) {
      TRY_ASSIGN(entry.first, Text(in, field));
    } else if (Key(field) == entry_proto::kValue) {
      kept = field.length <= max_value;
      if (!kept) return {};
      TRY_ASSIGN(entry.second, Text(in, field));
    }
    return {};
  }));
  if (!kept) return std::optional<std::pair<std::string, std::string>>();
  return std::optional(std::move(entry));
}

Result<std::pair<Str, std::int64_t>> Walker::Opset(WireReader message) {
  std::pair<Str, std::int64_t> opset{model_.strings.Intern("ai.onnx"), 0};
  TRY(ForEachField(message, [&](const WireField& field, const WireReader& in) -> Result<void> {
    if (Key(field) == opset_proto::kDomain) {
      TRY_ASSIGN(opset.first, Domain(in, field));
    } else if (Key(field) == opset_proto::kVersion) {
      opset.second = static_cast<std::int64_t>(field.value);
      Hash(field, field.value);
    }
    return {};
  }));
  return opset;
}

Result<void> Walker::Varints(const WireReader& message, const WireField& field,
                             NumberList<std::uint64_t>& list) {
  if (field.type == WireType::kVarint) {
    list.Add(field.value);
    return {};
  }
  // Each element takes a byte at least: what cannot be kept whole is not read at all.
  list.cut = list.cut || field.length > list.max * kLongestVarint;
  WireReader packed = message.Message(field);
  while (!list.cut && !packed.done()) {
    TRY_ASSIGN(const std::uint64_t value, packed.Varint());
    list.Add(value);
  }
  return {};
}

Result<void> Walker::Fixed(const WireReader& message, const WireField& field, std::size_t bytes,
                           NumberList<std::uint64_t>& list) {
  if (field.type != WireType::kBytes) {
    list.Add(field.value);
    return {};
  }
  list.cut = list.cut || field.length / bytes > list.max;
  if (list.cut) return {};
  TRY_ASSIGN(const std::string_view packed,
             message.Bytes(field, static_cast<std::size_t>(field.length)));
  for (std::size_t at = 0; at + bytes <= packed.size(); at += bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(packed[at + i]);
    list.Add(value);
  }
  return {};
}

Result<void> Walker::Count(std::uint64_t offset) {
  if (++records_ <= kMaxRecords) return {};
  return Error{"onnx.too-large",
               "more than " + std::to_string(kMaxRecords) +
                   " nodes, values and attributes; no such model is known to be real",
               AtByte(offset)};
}

void Walker::Note(std::string_view code, Severity severity, std::uint64_t offset,
                  std::string_view message) {
  context_.log.Add(code, severity, AtByte(offset), message);
}

}  // namespace opscope::onnx
