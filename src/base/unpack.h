// Internal to base: streams of gzip, zstd and deflate into a Spool.
#pragma once

#include <cstdint>

#include "base/source.h"
#include "base/spool.h"

namespace opscope {

enum class Packing : std::uint8_t { kNone, kGzip, kZstd, kZip };

Result<Packing> PackingOf(Source& source);

// Unpack all of a source. What came out before an error stays in `out`.
Result<void> UnpackGzip(Source& packed, Spool& out);
Result<void> UnpackZstd(Source& packed, Spool& out);
// Unpacks the raw deflate stream at [begin, end).
Result<void> UnpackDeflate(Source& packed, std::uint64_t begin, std::uint64_t end, Spool& out);
// Unpacks the only member of a zip file.
Result<Source> UnpackZip(Source& packed, const UnpackLimits& limits);

// What `stored_bytes` may become under these limits.
std::uint64_t MaxUnpacked(std::uint64_t stored_bytes, const UnpackLimits& limits);

}  // namespace opscope
