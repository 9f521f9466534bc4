// Packed inputs for tests, made in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

std::string Gzip(std::string_view bytes);
std::string Zstd(std::string_view bytes);

struct ZipEntry {
  std::string name;
  std::string content;
  bool stored = false;         // else deflated
  bool zip64 = false;          // sizes and offset in the extra field, whatever they are
  std::uint16_t flags = 0;     // 1 = encrypted
  std::uint32_t crc_flip = 0;  // xor-ed into the checksum
};
std::string Zip(const std::vector<ZipEntry>& entries, std::string_view comment = "");

}  // namespace opscope
