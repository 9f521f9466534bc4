#include "engines/common/npz.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/checked.h"
#include "base/text.h"

namespace opscope::child {
namespace {

constexpr std::size_t kMostHeader = 64 << 10;
constexpr std::size_t kBlock = 1 << 20;

Error Bad(std::string message) { return {"input", std::move(message), ""}; }

struct TypeName {
  std::string_view descr;  // without the byte order
  std::string_view dtype;
};

constexpr TypeName kTypes[] = {
    {"f4", "float32"},   {"f8", "float64"},     {"f2", "float16"}, {"i8", "int64"},
    {"i4", "int32"},     {"i2", "int16"},       {"i1", "int8"},    {"u8", "uint64"},
    {"u4", "uint32"},    {"u2", "uint16"},      {"u1", "uint8"},   {"b1", "bool"},
    {"c8", "complex64"}, {"c16", "complex128"},
};

// Types numpy has no name for come as raw bytes of the right width.
bool IsRaw(std::string_view kind, std::string_view dtype) {
  return (kind == "V2" && dtype == "bfloat16") || (kind == "V1" && dtype.substr(0, 6) == "float8");
}

bool Matches(std::string_view descr, std::string_view dtype) {
  if (descr.empty()) return false;
  const std::string_view kind = descr.substr(1);
  if (dtype == "string") return kind.substr(0, 1) == "U" || kind.substr(0, 1) == "S";
  for (const TypeName& type : kTypes)
    if (type.descr == kind) return type.dtype == dtype;
  return IsRaw(kind, dtype);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ',')) text.remove_suffix(1);
  return text;
}

// What follows "'key':" in the header's Python dictionary.
std::optional<std::string_view> After(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  text.remove_prefix(colon + 1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// "(2, 3)", "(5,)", "()".
Result<std::vector<std::int64_t>> ParseShape(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == text.npos) return Bad("a bad shape");
  std::vector<std::int64_t> out;
  for (std::string_view rest = Trimmed(text.substr(1, end - 1)); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto dim = ParseInt64(Trimmed(rest.substr(0, comma)));
    constexpr std::size_t kMostDims = 64;
    if (!dim || *dim < 0 || out.size() == kMostDims) return Bad("a bad shape");
    out.push_back(*dim);
    rest = Trimmed(rest.substr(comma));
  }
  return out;
}

// Width of one element in the file; strings have theirs in the type ("<U12": 12 code points).
std::size_t Width(std::string_view descr, std::string_view dtype) {
  if (dtype != "string") return static_cast<std::size_t>(BitsOf(dtype) + 7) / 8;
  const auto length = ParseInt64(descr.substr(2)).value_or(0);
  constexpr std::int64_t kMostLength = 1 << 24;
  const auto bounded = static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kMostLength));
  return descr[1] == 'U' ? 4 * bounded : bounded;
}

void SwapBytes(std::string& bytes, std::size_t width) {
  for (std::size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
}

// Column-major to row-major: the first index runs fastest in the file, the last one in memory.
std::string RowMajor(const std::string& bytes, const std::vector<std::int64_t>& shape,
                     std::size_t width) {
  std::string out(bytes.size(), '\0');
  std::vector<std::int64_t> index(shape.size(), 0);
  const std::size_t count = width == 0 ? 0 : bytes.size() / width;
  for (std::size_t to = 0; to < count; ++to) {
    std::size_t from = 0, stride = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      from += static_cast<std::size_t>(index[axis]) * stride;
      stride *= static_cast<std::size_t>(shape[axis]);
    }
    std::memcpy(out.data() + to * width, bytes.data() + from * width, width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

void AppendUtf8(std::uint32_t point, std::string& out) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xc0 | (point >> 6)), byte(0x80 | (point & 0x3f));
  if (point >= 0x10000) {
    byte(0xf0 | (point >> 18));
    byte(0x80 | ((point >> 12) & 0x3f));
  } else {
    byte(0xe0 | (point >> 12));
  }
  byte(0x80 | ((point >> 6) & 0x3f));
  byte(0x80 | (point & 0x3f));
}

std::string TextOf(std::string_view cell, bool code_points) {
  std::string out;
  if (code_points) {
    for (std::size_t i = 0; i + 4 <= cell.size(); i += 4) {
      std::uint32_t point = 0;
      std::memcpy(&point, cell.data() + i, 4);
      if (point != 0 && point <= 0x10ffff) AppendUtf8(point, out);
    }
  } else {
    out = cell.substr(0, cell.find_last_not_of('\0') + 1);
  }
  return ValidUtf8(out.substr(0, out.find('\0')));
}

Result<std::string> ReadAll(Source& source, std::uint64_t offset, std::uint64_t size) {
  std::string out;
  while (out.size() < size) {
    const std::size_t want =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size - out.size()));
    TRY_ASSIGN(const std::string_view block, source.Window(offset + out.size(), want));
    if (block.empty()) return Bad("the array ends early");
    out += block;
  }
  return out;
}

Result<Array> ReadArray(Source& member, std::string_view dtype) {
  TRY_ASSIGN(const std::string_view begin, member.Window(0, kMostHeader));
  TRY_ASSIGN(const NpyHeader header, ParseNpyHeader(begin));
  if (!Matches(header.descr, dtype))
    return Bad("has the type '" + Printable(header.descr) + "', the model needs " +
               std::string(dtype));
  const std::size_t width = Width(header.descr, dtype);
  std::optional<std::uint64_t> size = width;
  for (const std::int64_t dim : header.shape)
    size = size ? CheckedMul(*size, static_cast<std::uint64_t>(dim)) : size;
  if (!size || header.data_offset > member.size() || *size > member.size() - header.data_offset)
    return Bad("ends early: its shape needs more bytes than it has");

  Array out;
  out.shape = header.shape;
  TRY_ASSIGN(out.bytes, ReadAll(member, header.data_offset, *size));
  if (header.descr[0] == '>') SwapBytes(out.bytes, header.descr[1] == 'U' ? 4 : width);
  if (header.fortran_order) out.bytes = RowMajor(out.bytes, out.shape, width);
  if (dtype != "string") return out;
  if (width == 0) return Bad("has strings of no length");
  for (std::size_t i = 0; i < out.bytes.size(); i += width)
    out.strings.push_back(
        TextOf(std::string_view(out.bytes).substr(i, width), header.descr[1] == 'U'));
  out.bytes.clear();
  return out;
}

}  // namespace

// "\x93NUMPY" major minor, header length (2 bytes little-endian in version 1, 4 from version 2),
// then
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
Result<NpyHeader> ParseNpyHeader(std::string_view begin) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (begin.size() < 12 || begin.substr(0, kMagic.size()) != kMagic) return Bad("is no .npy array");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(begin[i]));
  };
  const std::uint32_t version = byte(6);
  if (version < 1 || version > 3)
    return Bad("has .npy version " + std::to_string(version) + ", known are 1 to 3");
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::uint32_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > begin.size() - prefix) return Bad("has a header that is cut or too long");

  const std::string_view text = begin.substr(prefix, length);
  NpyHeader out;
  out.data_offset = prefix + length;
  const auto descr = After(text, "'descr'");
  const auto order = After(text, "'fortran_order'");
  const auto shape = After(text, "'shape'");
  if (!descr || !order || !shape || descr->empty() || descr->front() != '\'')
    return Bad("has a header that is not one of a plain array: " + Printable(text));
  out.descr = descr->substr(1, descr->find('\'', 1) - 1);
  if (out.descr.size() < 2) return Bad("has a header without a type");
  out.fortran_order = order->substr(0, 4) == "True";
  TRY_ASSIGN(out.shape, ParseShape(*shape));
  return out;
}

Result<Npz> Npz::Open(const std::string& path) {
  auto source = Source::OpenRaw(path);
  if (!source.has_value()) return Error{"input", source.error().message, source.error().place};
  auto members = ListZip(*source);
  if (!members.has_value())
    return Error{"input", "not an .npz file: " + members.error().message, path};
  return Npz(std::move(*source), std::move(*members));
}

Result<Array> Npz::Read(const std::string& array, std::string_view dtype) {
  const std::string file = array + ".npy";
  for (const ZipMember& member : members_) {
    if (member.name != file) continue;
    auto opened = OpenZipMember(source_, member);
    if (!opened.has_value()) return Error{"input", opened.error().message, name()};
    auto read = ReadArray(*opened, dtype);
    if (!read.has_value())
      return Error{"input", "array '" + array + "' " + read.error().message, name()};
    return read;
  }
  std::string has;
  for (const ZipMember& member : members_)
    has += " " + member.name.substr(0, member.name.rfind(".npy"));
  return Error{"input", "no array '" + array + "' for the model's input; the file has:" + has,
               name()};
}

}  // namespace opscope::child
