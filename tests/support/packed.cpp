#include "support/packed.h"

#include <zlib.h>
#include <zstd.h>

#include <cstddef>

namespace opscope {

namespace {

// `window_bits` as zlib counts: 15 + 16 for gzip, -15 for raw deflate.
std::string Deflate(std::string_view bytes, int window_bits) {
  z_stream stream = {};
  deflateInit2(&stream, 1, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string LittleEndian(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
std::string U16(std::uint64_t value) { return LittleEndian(value, 2); }
std::string U32(std::uint64_t value) { return LittleEndian(value, 4); }
std::string U64(std::uint64_t value) { return LittleEndian(value, 8); }

// The fields that a file's header and its directory entry share: flags to the name's length.
std::string Common(const ZipEntry& entry, std::size_t packed) {
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()),
                         static_cast<uInt>(entry.content.size()));
  const std::uint32_t in64 = 0xffffffffU;
  return U16(entry.flags) + U16(entry.stored ? 0 : 8) + U32(0) + U32(crc ^ entry.crc_flip) +
         U32(entry.zip64 ? in64 : packed) + U32(entry.zip64 ? in64 : entry.content.size()) +
         U16(entry.name.size());
}

}  // namespace

std::string Gzip(std::string_view bytes) { return Deflate(bytes, 15 + 16); }

std::string Zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

std::string Zip(const std::vector<ZipEntry>& entries, std::string_view comment) {
  std::string out;
  std::string directory;
  bool zip64 = false;
  for (const ZipEntry& entry : entries) {
    const std::uint64_t offset = out.size();
    const std::string packed = entry.stored ? entry.content : Deflate(entry.content, -15);
    out += "PK\x03\x04" + U16(20) + Common(entry, packed.size()) + U16(0) + entry.name + packed;
    const std::string extra = !entry.zip64 ? ""
                                           : U16(1) + U16(24) + U64(entry.content.size()) +
                                                 U64(packed.size()) + U64(offset);
    directory += "PK\x01\x02" + U16(20) + U16(20) + Common(entry, packed.size()) +
                 U16(extra.size()) + U16(0) + U16(0) + U16(0) + U32(0) +
                 U32(entry.zip64 ? 0xffffffffU : offset) + entry.name + extra;
    zip64 = zip64 || entry.zip64;
  }
  const std::uint64_t begin = out.size();
  out += directory;
  if (zip64) {
    const std::uint64_t end64 = out.size();
    out += "PK\x06\x06" + U64(44) + U16(45) + U16(45) + U32(0) + U32(0) + U64(entries.size()) +
           U64(entries.size()) + U64(directory.size()) + U64(begin);
    out += "PK\x06\x07" + U32(0) + U64(end64) + U32(1);
  }
  const std::uint64_t limit = zip64 ? 0xffffffffU : begin;
  return out + "PK\x05\x06" + U16(0) + U16(0) + U16(entries.size()) + U16(entries.size()) +
         U32(zip64 ? limit : directory.size()) + U32(limit) + U16(comment.size()) +
         std::string(comment);
}

}  // namespace opscope
