// Source: a named input read through windows. Readers get one and never open files.
//
// A window is read with pread into a reused buffer: a mapped walk of a 102 MB model leaves 58 MB
// resident, a windowed one 3 MB. Compressed inputs and pipes are unpacked, within limits, into
// memory or an unlinked temporary file, so that every Source has random access.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opscope {

// Bounds on what unpacking may produce; a file beyond them is refused, not cut.
struct UnpackLimits {
  std::uint64_t max_bytes = 64ULL << 30;     // of the unpacked data
  std::uint64_t max_ratio = 1100;            // unpacked : packed; deflate itself ends at 1032
  std::uint64_t ratio_free_bytes = 1 << 20;  // the ratio is not looked at below this size
};

class Source {
 public:
  // Opens a file ("-" = standard input) and unpacks .gz, .zst and single-member .zip by content.
  // Errors: input.missing, input.unreadable, input.directory, input.too-large, input.damaged,
  // input.archive (several members: lists them; name one as "archive.zip!member").
  static Result<Source> Open(const std::string& path, const UnpackLimits& limits = {});
  // Opens a file as it is, without unpacking (zip-based formats: npz, pt2).
  static Result<Source> OpenRaw(const std::string& path);
  static Source FromBytes(std::string name, std::string bytes);

  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;
  ~Source();

  // As the user named it (for messages); the file's name alone is `file_name()`.
  const std::string& name() const;
  std::string file_name() const;
  std::uint64_t size() const;          // unpacked
  std::uint64_t stored_bytes() const;  // as it lies on the disk

  // The bytes [offset, offset + length), cut at the end of the input. Valid until the next call.
  // `length` is the caller's promise of a bounded need (64 MiB at most).
  Result<std::string_view> Window(std::uint64_t offset, std::size_t length);

 private:
  struct State;
  explicit Source(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A member of a zip file.
struct ZipMember {
  std::string name;
  std::uint64_t packed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t header_offset = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflate
};

// Reads the central directory (zip64 included).
Result<std::vector<ZipMember>> ListZip(Source& archive);
// One member as a Source of its own, checked against size, ratio and CRC.
Result<Source> OpenZipMember(Source& archive, const ZipMember& member,
                             const UnpackLimits& limits = {});

}  // namespace opscope
