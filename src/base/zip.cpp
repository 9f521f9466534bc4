#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "base/source.h"
#include "base/spool.h"
#include "base/text.h"
#include "base/unpack.h"

// The layout of the records is that of PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3.
namespace opscope {

namespace {

constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kMaxComment = 65535;
constexpr std::uint32_t kIn64 = 0xffffffffU;  // "see the zip64 field"
constexpr std::size_t kNamesShown = 20;

Error Damaged(const Source& archive, std::uint64_t offset, const std::string& what) {
  return {"input.damaged", "zip archive: " + what,
          archive.name() + ": byte " + std::to_string(offset)};
}

// A little-endian number at `at`; 0 where the record is too short to hold it.
std::uint64_t Number(std::string_view record, std::size_t at, std::size_t bytes) {
  if (at > record.size() || record.size() - at < bytes) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;)
    value = (value << 8) | static_cast<unsigned char>(record[at + i]);
  return value;
}
std::uint16_t U16(std::string_view record, std::size_t at) {
  return static_cast<std::uint16_t>(Number(record, at, 2));
}
std::uint32_t U32(std::string_view record, std::size_t at) {
  return static_cast<std::uint32_t>(Number(record, at, 4));
}
std::uint64_t U64(std::string_view record, std::size_t at) { return Number(record, at, 8); }

// A record of exactly `bytes` bytes that begins with `magic`.
Result<std::string_view> Record(Source& archive, std::uint64_t at, std::size_t bytes,
                                std::string_view magic, const char* what) {
  TRY_ASSIGN(const std::string_view record, archive.Window(at, bytes));
  if (record.size() != bytes || !record.starts_with(magic))
    return Damaged(archive, at, std::string("no ") + what + " where it should be");
  return record;
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<std::uint64_t> FindEnd(Source& archive) {
  const auto tail = std::min<std::uint64_t>(archive.size(), kEndBytes + kMaxComment);
  TRY_ASSIGN(const std::string_view bytes,
             archive.Window(archive.size() - tail, static_cast<std::size_t>(tail)));
  for (std::size_t left = kEndBytes; left <= bytes.size(); ++left) {
    const std::string_view end = bytes.substr(bytes.size() - left);
    if (end.starts_with("PK\x05\x06") && U16(end, 20) <= left - kEndBytes)
      return archive.size() - left;
  }
  return Damaged(archive, archive.size(), "no directory at its end: the file was cut");
}

Result<Directory> FindDirectory(Source& archive) {
  TRY_ASSIGN(const std::uint64_t end_at, FindEnd(archive));
  TRY_ASSIGN(const std::string_view end, archive.Window(end_at, kEndBytes));
  std::uint64_t size = U32(end, 12);
  std::uint64_t begin = U32(end, 16);
  const bool zip64 = size == kIn64 || begin == kIn64 || U16(end, 10) == 0xffff;
  if (zip64 && end_at >= kLocatorBytes) {
    TRY_ASSIGN(
        const std::string_view locator,
        Record(archive, end_at - kLocatorBytes, kLocatorBytes, "PK\x06\x07", "zip64 locator"));
    TRY_ASSIGN(const std::string_view end64,
               Record(archive, U64(locator, 8), kEnd64Bytes, "PK\x06\x06", "zip64 directory end"));
    size = U64(end64, 40);
    begin = U64(end64, 48);
  }
  if (begin > end_at || size > end_at - begin)
    return Damaged(archive, end_at, "its directory lies outside the file");
  return Directory{begin, begin + size};
}

// Sizes and offset beyond 4 GiB stand in the extra field 1, only those that need it, in this order.
void ReadZip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::size_t size = std::min<std::size_t>(U16(extra, 2), extra.size() - 4);
    if (U16(extra, 0) == 1) {
      const std::string_view field = extra.substr(4, size);
      std::size_t at = 0;
      for (std::uint64_t* value :
           {&member.unpacked_bytes, &member.packed_bytes, &member.header_offset}) {
        if (*value != kIn64) continue;
        *value = U64(field, at);
        at += 8;
      }
      return;
    }
    extra.remove_prefix(4 + size);
  }
}

ZipMember ReadEntry(std::string_view entry, std::size_t name_bytes) {
  ZipMember member;
  member.name = entry.substr(kEntryBytes, name_bytes);
  member.encrypted = (U16(entry, 8) & 1) != 0;
  member.method = U16(entry, 10);
  member.crc32 = U32(entry, 16);
  member.packed_bytes = U32(entry, 20);
  member.unpacked_bytes = U32(entry, 24);
  member.header_offset = U32(entry, 42);
  ReadZip64(entry.substr(kEntryBytes + name_bytes), member);
  return member;
}

Result<std::uint32_t> Crc32(Source& source) {
  constexpr std::size_t kStep = 256 * 1024;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < source.size(); at += kStep) {
    TRY_ASSIGN(const std::string_view window, source.Window(at, kStep));
    crc = libdeflate_crc32(crc, window.data(), window.size());
  }
  return crc;
}

struct FreeDeflate {
  void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
};

// False = do it as a stream: too large to hold, or damaged in a way that zlib tells better.
Result<bool> UnpackSmall(Source& archive, std::uint64_t begin, const ZipMember& member,
                         Spool& out) {
  if (std::max(member.packed_bytes, member.unpacked_bytes) > out.memory_bytes()) return false;
  const auto size = static_cast<std::size_t>(member.unpacked_bytes);
  TRY_ASSIGN(const std::string_view packed,
             archive.Window(begin, static_cast<std::size_t>(member.packed_bytes)));
  const std::unique_ptr<libdeflate_decompressor, FreeDeflate> decoder(
      libdeflate_alloc_decompressor());
  if (decoder == nullptr) return false;
  const auto bytes = std::make_unique_for_overwrite<char[]>(size + 1);
  if (libdeflate_deflate_decompress(decoder.get(), packed.data(), packed.size(), bytes.get(), size,
                                    nullptr) != LIBDEFLATE_SUCCESS)
    return false;
  TRY(out.Append({bytes.get(), size}));
  return true;
}

Result<void> CopyStored(Source& archive, std::uint64_t begin, std::uint64_t end, Spool& out) {
  constexpr std::size_t kStep = 256 * 1024;
  while (begin < end) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, end - begin));
    TRY_ASSIGN(const std::string_view window, archive.Window(begin, step));
    TRY(out.Append(window));
    begin += window.size();
  }
  return {};
}

Result<void> UnpackMember(Source& archive, const ZipMember& member, Spool& out) {
  TRY_ASSIGN(const std::string_view local,
             Record(archive, member.header_offset, kLocalBytes, "PK\x03\x04", "file header"));
  const std::uint64_t begin = member.header_offset + kLocalBytes + U16(local, 26) + U16(local, 28);
  if (begin > archive.size() || member.packed_bytes > archive.size() - begin)
    return Damaged(archive, member.header_offset, "a file lies outside the archive");
  const std::uint64_t end = begin + member.packed_bytes;
  if (member.method == 0) return CopyStored(archive, begin, end, out);
  TRY_ASSIGN(const bool done, UnpackSmall(archive, begin, member, out));
  if (done) return {};
  return UnpackDeflate(archive, begin, end, out);
}

// What archivers of one system leave for their own use is nobody's profile.
bool IsClutter(const ZipMember& member) {
  return member.name.starts_with("__MACOSX/") || member.name.ends_with(".DS_Store");
}

Result<Source> OpenAs(const std::string& name, Source& archive, const ZipMember& member,
                      const UnpackLimits& limits) {
  if (member.encrypted)
    return Error{"input.archive", "is encrypted; unpack it with its password first", name};
  if (member.method != 0 && member.method != 8)
    return Error{"input.archive",
                 "is packed by method " + std::to_string(member.method) +
                     ", only stored (0) and deflate (8) are read; unpack it first",
                 name};
  Spool spool(name, MaxUnpacked(member.packed_bytes, limits), limits.memory_bytes);
  TRY(UnpackMember(archive, member, spool));
  if (spool.size() != member.unpacked_bytes)
    return Damaged(archive, member.header_offset, "a file has not the size that it should have");
  Source source = spool.Finish(member.packed_bytes);
  TRY_ASSIGN(const std::uint32_t crc, Crc32(source));
  if (crc != member.crc32)
    return Damaged(archive, member.header_offset, "a file's checksum is wrong");
  return source;
}

}  // namespace

Result<std::vector<ZipMember>> ListZip(Source& archive) {
  TRY_ASSIGN(const Directory directory, FindDirectory(archive));
  std::vector<ZipMember> members;
  std::uint64_t at = directory.begin;
  while (at < directory.end) {
    TRY_ASSIGN(const std::string_view fixed,
               Record(archive, at, kEntryBytes, "PK\x01\x02", "directory entry"));
    const std::size_t name_bytes = U16(fixed, 28);
    const std::size_t extra_bytes = U16(fixed, 30);
    const std::size_t comment_bytes = U16(fixed, 32);
    const std::size_t bytes = kEntryBytes + name_bytes + extra_bytes;
    TRY_ASSIGN(const std::string_view entry, archive.Window(at, bytes));
    if (entry.size() != bytes) return Damaged(archive, at, "a directory entry is cut");
    ZipMember member = ReadEntry(entry, name_bytes);
    if (!member.name.ends_with('/')) members.push_back(std::move(member));
    at += bytes + comment_bytes;
  }
  return members;
}

Result<Source> OpenZipMember(Source& archive, const ZipMember& member, const UnpackLimits& limits) {
  return OpenAs(archive.name() + "!" + member.name, archive, member, limits);
}

Result<Source> UnpackZip(Source& packed, const UnpackLimits& limits) {
  TRY_ASSIGN(std::vector<ZipMember> members, ListZip(packed));
  members.erase(std::remove_if(members.begin(), members.end(), IsClutter), members.end());
  if (members.empty()) return Error{"input.archive", "holds no file", packed.name()};
  if (members.size() == 1) return OpenAs(packed.name(), packed, members[0], limits);
  std::string names;
  for (std::size_t i = 0; i < std::min(members.size(), kNamesShown); ++i)
    names += (i == 0 ? "" : ", ") + Printable(members[i].name);
  if (members.size() > kNamesShown) names += ", ..";
  return Error{"input.archive",
               "holds " + std::to_string(members.size()) + " files (" + names + "); name one as '" +
                   packed.name() + "!" + Printable(members[0].name) + "'",
               packed.name()};
}

}  // namespace opscope
