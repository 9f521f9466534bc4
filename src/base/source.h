// Source: a named input read through windows. Readers get one and never open files.
//
// A window is read with pread into a reused buffer: a mapped walk of a 102 MB model leaves 58 MB
// resident, a windowed one 3 MB. Compressed inputs and pipes are unpacked, within limits, into
// memory or an unlinked temporary file, so that every Source has random access.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  // Unpacked data beyond this goes to a temporary file (at most Source::kMaxWindow).
  std::size_t memory_bytes = 32 << 20;
  // A damaged gzip or zstd stream gives what came before the damage (Source::damage() says what is
  // wrong) and not an error: a profile that was cut is still worth reading.
  bool keep_partial = false;
};

class Source {
 public:
  // Opens a file ("-" = standard input) and unpacks .gz, .zst and single-member .zip by content.
  // Errors: input.missing, input.unreadable, input.directory, input.too-large, input.damaged,
  // input.archive (several members: lists them; name one as "archive.zip!member"). Their place
  // names the file; the errors of readers say "byte N" and their callers put the file in front.
  static Result<Source> Open(const std::string& path, const UnpackLimits& limits = {});
  // Opens a file as it is, without unpacking (zip-based formats: npz, pt2).
  static Result<Source> OpenRaw(const std::string& path);
  static Source FromBytes(std::string name, std::string bytes);
  // Unpacks an open source by its content, as Open does; one that is not packed comes back as it
  // is.
  static Result<Source> Unpack(Source packed, const UnpackLimits& limits = {});

  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;
  ~Source();

  // As the user named it (for messages); the file's name alone is `file_name()`.
  const std::string& name() const;
  std::string file_name() const;
  std::uint64_t size() const;          // unpacked
  std::uint64_t stored_bytes() const;  // as it lies on the disk
  // What is wrong behind the last byte (UnpackLimits::keep_partial), at which "byte N" of the
  // packed file; nullopt for a whole input.
  const std::optional<Error>& damage() const;
  bool truncated() const { return damage().has_value(); }

  // The bytes [offset, offset + length), cut at the end of the input and at kMaxWindow. Valid until
  // the next call. A request inside what is buffered costs nothing.
  static constexpr std::size_t kMaxWindow = 64 << 20;
  Result<std::string_view> Window(std::uint64_t offset, std::size_t length);
  // What is buffered from `offset` on, possibly nothing: a walker's way around a call per field.
  std::string_view Buffered(std::uint64_t offset) const {
    const std::uint64_t at = offset - window_offset_;
    return at < window_.size() ? window_.substr(at) : std::string_view();
  }

 private:
  friend class Spool;
  struct State;
  explicit Source(std::unique_ptr<State> state);
  Result<void> Fill(std::uint64_t offset, std::size_t length);

  std::unique_ptr<State> state_;
  std::string_view window_;
  std::uint64_t window_offset_ = 0;
};

// A member of a zip file.
struct ZipMember {
  std::string name;
  std::uint64_t packed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t header_offset = 0;
  std::uint32_t crc32 = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflate
  bool encrypted = false;
};

// Reads the central directory (zip64 included).
Result<std::vector<ZipMember>> ListZip(Source& archive);
// One member as a Source of its own, checked against size, ratio and CRC.
Result<Source> OpenZipMember(Source& archive, const ZipMember& member,
                             const UnpackLimits& limits = {});

}  // namespace opscope
