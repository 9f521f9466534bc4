#include "base/unpack.h"

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/checked.h"

namespace opscope {

namespace {

constexpr std::size_t kStep = 256 * 1024;

struct FreeDeflate {
  void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
};
struct FreeZstd {
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
};

bool StartsWith(std::string_view bytes, std::string_view magic) { return bytes.starts_with(magic); }

Error Damaged(const Source& packed, std::uint64_t offset, const std::string& what) {
  return {"input.damaged", what, packed.name() + ": byte " + std::to_string(offset)};
}

// A zlib decoder with its own end of life.
class Inflater {
 public:
  // `window_bits` as zlib counts: 15 + 16 for gzip, -15 for raw deflate.
  explicit Inflater(int window_bits) { ready_ = inflateInit2(&stream_, window_bits) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  bool ready() const { return ready_; }
  void Reset() { inflateReset(&stream_); }
  const char* message() const { return stream_.msg == nullptr ? "broken" : stream_.msg; }

  // Takes from `in` and gives to `out` until `in` is used up or the stream ends (Z_STREAM_END).
  Result<int> Run(std::string_view& in, Spool& out) {
    int state = Z_OK;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.get());
      stream_.avail_out = kStep;
      state = inflate(&stream_, Z_NO_FLUSH);
      TRY(out.Append({buffer_.get(), kStep - stream_.avail_out}));
    } while (state == Z_OK && (stream_.avail_in != 0 || stream_.avail_out == 0));
    in.remove_prefix(in.size() - stream_.avail_in);
    return state;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(kStep);
};

// Runs one deflate stream from `at` on; afterwards `at` is the first byte behind it.
Result<void> RunStream(Inflater& inflater, Source& packed, std::uint64_t& at, std::uint64_t end,
                       Spool& out) {
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, end - at));
    if (step == 0) return Damaged(packed, end, "the compressed data ends early: the file was cut");
    TRY_ASSIGN(const std::string_view window, packed.Window(at, step));
    std::string_view rest = window;
    TRY_ASSIGN(state, inflater.Run(rest, out));
    at += window.size() - rest.size();
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      return Damaged(packed, at,
                     std::string("the compressed data is damaged: ") + inflater.message());
  }
  return {};
}

std::uint32_t LittleEndian32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

// libdeflate is several times faster than zlib but wants whole members and the size they unpack
// to, which the last four bytes of a single-member file tell. False = do it with zlib.
Result<bool> UnpackSmallGzip(Source& packed, Spool& out) {
  if (packed.size() < 18 || packed.size() > out.memory_bytes()) return false;
  TRY_ASSIGN(const std::string_view whole,
             packed.Window(0, static_cast<std::size_t>(packed.size())));
  const std::size_t size = LittleEndian32(whole.substr(whole.size() - 4));
  if (size > out.memory_bytes() || size / 1032 > whole.size()) return false;
  const std::unique_ptr<libdeflate_decompressor, FreeDeflate> decoder(
      libdeflate_alloc_decompressor());
  if (decoder == nullptr) return false;
  const auto bytes = std::make_unique_for_overwrite<char[]>(size + 1);
  std::size_t used = 0;
  std::size_t made = 0;
  const auto state = libdeflate_gzip_decompress_ex(decoder.get(), whole.data(), whole.size(),
                                                   bytes.get(), size, &used, &made);
  if (state != LIBDEFLATE_SUCCESS || used != whole.size()) return false;
  TRY(out.Append({bytes.get(), made}));
  return true;
}

}  // namespace

Result<Packing> PackingOf(Source& source) {
  TRY_ASSIGN(const std::string_view magic, source.Window(0, 4));
  if (StartsWith(magic, "\x1f\x8b\x08")) return Packing::kGzip;
  if (StartsWith(magic, "\x28\xb5\x2f\xfd")) return Packing::kZstd;
  // A zstd stream may begin with skippable frames: 0x184D2A50 .. 5F, little endian.
  if (magic.size() == 4 && magic.substr(1) == "\x2a\x4d\x18" && (magic[0] & 0xf0) == 0x50)
    return Packing::kZstd;
  if (StartsWith(magic, "PK\x03\x04") || StartsWith(magic, "PK\x05\x06")) return Packing::kZip;
  return Packing::kNone;
}

std::uint64_t MaxUnpacked(std::uint64_t stored_bytes, const UnpackLimits& limits) {
  const auto by_ratio = CheckedMul(stored_bytes, limits.max_ratio);
  if (!by_ratio) return limits.max_bytes;
  return std::min(limits.max_bytes, std::max(*by_ratio, limits.ratio_free_bytes));
}

Result<void> UnpackGzip(Source& packed, Spool& out) {
  TRY_ASSIGN(const bool done, UnpackSmallGzip(packed, out));
  if (done) return {};
  Inflater inflater(15 + 16);
  if (!inflater.ready()) return Damaged(packed, 0, "no memory to unpack");
  std::uint64_t at = 0;
  while (at < packed.size()) {
    TRY_ASSIGN(const std::string_view head, packed.Window(at, 2));
    // Zeros behind the last member are padding (tapes, block devices).
    if (at != 0 && !StartsWith(head, "\x1f\x8b")) {
      if (head.find_first_not_of('\0') == std::string_view::npos) return {};
      return Damaged(packed, at, "bytes behind the end of the gzip data are not gzip data");
    }
    inflater.Reset();
    TRY(RunStream(inflater, packed, at, packed.size(), out));
  }
  return {};
}

Result<void> UnpackDeflate(Source& packed, std::uint64_t begin, std::uint64_t end, Spool& out) {
  Inflater inflater(-15);
  if (!inflater.ready()) return Damaged(packed, begin, "no memory to unpack");
  std::uint64_t at = begin;
  TRY(RunStream(inflater, packed, at, end, out));
  if (at != end) return Damaged(packed, at, "the compressed data is longer than it should be");
  return {};
}

Result<void> UnpackZstd(Source& packed, Spool& out) {
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> decoder(ZSTD_createDCtx());
  if (decoder == nullptr) return Damaged(packed, 0, "no memory to unpack");
  const auto buffer = std::make_unique_for_overwrite<char[]>(kStep);
  std::uint64_t at = 0;
  std::size_t wanted = 0;  // 0 = a frame has just ended
  while (at < packed.size()) {
    TRY_ASSIGN(const std::string_view window, packed.Window(at, kStep));
    ZSTD_inBuffer in = {window.data(), window.size(), 0};
    bool full = false;
    while (in.pos < in.size || full) {
      ZSTD_outBuffer made = {buffer.get(), kStep, 0};
      wanted = ZSTD_decompressStream(decoder.get(), &made, &in);
      TRY(out.Append({buffer.get(), made.pos}));
      if (ZSTD_isError(wanted) != 0)
        return Damaged(packed, at + in.pos,
                       std::string("the zstd data is damaged: ") + ZSTD_getErrorName(wanted));
      full = made.pos == made.size && wanted != 0;
    }
    at += window.size();
  }
  if (wanted != 0) return Damaged(packed, at, "the compressed data ends early: the file was cut");
  return {};
}

}  // namespace opscope
