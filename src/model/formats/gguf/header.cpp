// "GGUF", version, number of tensors, number of metadata; then metadata as
//   key (length, bytes), type, value        general.architecture = "llama" (type 8)
// then tensors as
//   name (length, bytes), rank, dims (innermost first), type, offset in the data
//   blk.0.attn_q.weight, 2, 4096 4096, 12 (Q4_K), 131072000
// then the data, from the next multiple of general.alignment (32) on. Lengths and counts have 8
// bytes, in version 1 four.
#include "model/formats/gguf/header.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "model/decoder/weights.h"
#include "model/formats/gguf/cursor.h"

namespace opscope::gguf {

namespace {

constexpr std::size_t kMaxRank = 4;
constexpr std::uint64_t kMaxName = 64 * 1024;     // of a key or a tensor
constexpr std::uint64_t kMaxText = 256;           // of a value that is kept
constexpr std::uint64_t kMaxList = 1024;          // elements of a list that is kept
constexpr std::uint64_t kMaxTensors = 1'000'000;  // real files have some thousands
constexpr int kMaxNest = 4;                       // arrays in arrays

enum Type : std::uint64_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
  kTypes
};
constexpr std::array<std::size_t, kTypes> kTypeBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// By the number in the file; 4 and 5, 31 to 33 and 36 to 38 were withdrawn.
constexpr std::array kTensorTypes = {
    DType::kFloat32,  DType::kFloat16, DType::kQ4_0,  DType::kQ4_1,    DType::kUnknown,
    DType::kUnknown,  DType::kQ5_0,    DType::kQ5_1,  DType::kQ8_0,    DType::kQ8_1,
    DType::kQ2K,      DType::kQ3K,     DType::kQ4K,   DType::kQ5K,     DType::kQ6K,
    DType::kQ8K,      DType::kIQ2XXS,  DType::kIQ2XS, DType::kIQ3XXS,  DType::kIQ1S,
    DType::kIQ4NL,    DType::kIQ3S,    DType::kIQ2S,  DType::kIQ4XS,   DType::kInt8,
    DType::kInt16,    DType::kInt32,   DType::kInt64, DType::kFloat64, DType::kIQ1M,
    DType::kBFloat16, DType::kQ4_0,    DType::kQ4_0,  DType::kQ4_0,    DType::kTQ1_0,
    DType::kTQ2_0,    DType::kIQ4NL,   DType::kIQ4NL, DType::kIQ4NL,   DType::kMXFP4,
    DType::kNVFP4,    DType::kQ1_0};

Error Damaged(std::string message, std::uint64_t offset) {
  return {"gguf.damaged", std::move(message), AtByte(offset)};
}

std::string Quoted(std::string_view name) {
  return "\"" + Printable(CutMiddle(ValidUtf8(name), 120)) + "\"";
}

class HeaderReader {
 public:
  HeaderReader(Source& source, ImportLog& log) : size_(source.size()), log_(log), at_(source) {}

  Result<Header> Run() {
    TRY(at_.Skip(4));
    TRY_ASSIGN(const std::uint64_t version, at_.Number(4));
    if (version == 0 || version > 3) return BadVersion(version);
    header_.version = static_cast<std::uint32_t>(version);
    wide_ = version == 1 ? 4 : 8;
    TRY_ASSIGN(const std::uint64_t tensors, at_.Number(wide_));
    TRY_ASSIGN(const std::uint64_t pairs, at_.Number(wide_));
    // What each takes at least: a length and a type; of tensors also rank and offset.
    TRY(CheckCount("metadata entries", pairs, wide_ + 5));
    TRY(CheckCount("tensors", tensors, wide_ + 16));
    if (tensors > kMaxTensors)
      return Damaged(std::to_string(tensors) + " tensors are more than any model has", 8);
    for (std::uint64_t i = 0; i < pairs; ++i) TRY(ReadPair());
    for (std::uint64_t i = 0; i < tensors; ++i) TRY(ReadTensor());
    TRY(Place());
    return std::move(header_);
  }

 private:
  Error BadVersion(std::uint64_t version) const {
    if (version != 0 && version % 65536 == 0)
      return {"gguf.big-endian",
              "this GGUF file was written for a big-endian machine; convert it (gguf-py has a "
              "script for it), or take the usual one",
              AtByte(4)};
    return {"gguf.version",
            "GGUF version " + std::to_string(version) + "; versions 1 to 3 are read", AtByte(4)};
  }

  Result<void> CheckCount(std::string_view what, std::uint64_t count, std::uint64_t least) const {
    if (count <= at_.left() / least) return {};
    return Damaged(std::to_string(count) + " " + std::string(what) + " cannot stand in the " +
                       std::to_string(at_.left()) + " bytes that are left",
                   at_.position());
  }

  Result<std::string> Name() {
    const std::uint64_t begin = at_.position();
    TRY_ASSIGN(const std::uint64_t length, at_.Number(wide_));
    if (length > kMaxName && length <= at_.left())
      return Damaged("a name of " + std::to_string(length) + " bytes", begin);
    TRY_ASSIGN(const std::string_view text, at_.Bytes(length));
    return std::string(text);
  }

  // A scalar as an integer; nullopt for floating ones, which no size is given as.
  Result<std::optional<std::int64_t>> Scalar(std::uint64_t type) {
    const std::size_t bytes = kTypeBytes[type];
    TRY_ASSIGN(const std::uint64_t raw, at_.Number(bytes));
    if (type == kF32 || type == kF64) return std::optional<std::int64_t>();
    const bool is_signed = type == kI8 || type == kI16 || type == kI32 || type == kI64;
    if (!is_signed && raw > std::uint64_t{1} << 62) return std::optional<std::int64_t>();
    const unsigned shift = static_cast<unsigned>(64 - 8 * bytes);
    const std::int64_t value = is_signed ? static_cast<std::int64_t>(raw << shift) >> shift
                                         : static_cast<std::int64_t>(raw);
    return std::optional(value);
  }

  Result<void> CheckType(std::uint64_t type, std::uint64_t begin) const {
    if (type < kTypes) return {};
    return Damaged("a value of type " + std::to_string(type) + ", where 0 to 12 are possible",
                   begin);
  }

  Result<void> ReadPair() {
    const std::uint64_t begin = at_.position();
    TRY_ASSIGN(std::string key, Name());
    TRY_ASSIGN(const std::uint64_t type, at_.Number(4));
    TRY(CheckType(type, begin));
    if (type == kArray) return ReadArray(key, 0);
    if (type == kString) {
      TRY_ASSIGN(const std::uint64_t length, at_.Number(wide_));
      if (length > kMaxText) return at_.Skip(length);
      TRY_ASSIGN(const std::string_view text, at_.Bytes(length));
      header_.texts.emplace(std::move(key), text);
      return {};
    }
    TRY_ASSIGN(const auto value, Scalar(type));
    if (value && !header_.integers.emplace(key, *value).second)
      return Damaged("there are two metadata entries " + Quoted(key), begin);
    return {};
  }

  // Tokens and merges are long lists of texts: their lengths are walked, nothing is kept.
  Result<void> ReadArray(const std::string& key, int depth) {
    const std::uint64_t begin = at_.position();
    if (depth == kMaxNest) return Damaged("metadata " + Quoted(key) + " nests too deep", begin);
    TRY_ASSIGN(const std::uint64_t type, at_.Number(4));
    TRY(CheckType(type, begin));
    TRY_ASSIGN(const std::uint64_t count, at_.Number(wide_));
    if (type == kString || type == kArray) {
      TRY(CheckCount("elements of a list", count, type == kString ? wide_ : wide_ + 4));
      for (std::uint64_t i = 0; i < count; ++i) {
        if (type == kArray) {
          TRY(ReadArray(key, depth + 1));
        } else {
          TRY_ASSIGN(const std::uint64_t length, at_.Number(wide_));
          TRY(at_.Skip(length));
        }
      }
      return {};
    }
    TRY(CheckCount("elements of a list", count, kTypeBytes[type]));
    if (depth > 0 || count > kMaxList) return at_.Skip(count * kTypeBytes[type]);
    std::vector<std::int64_t> values;
    for (std::uint64_t i = 0; i < count; ++i) {
      TRY_ASSIGN(const auto value, Scalar(type));
      if (value) values.push_back(*value);
    }
    header_.lists.emplace(key, std::move(values));
    return {};
  }

  Result<void> ReadTensor() {
    const std::uint64_t begin = at_.position();
    Entry entry;
    TRY_ASSIGN(entry.name, Name());
    if (!names_.insert(entry.name).second)
      return Damaged("there are two tensors " + Quoted(entry.name), begin);
    TRY_ASSIGN(const std::uint64_t rank, at_.Number(4));
    if (rank > kMaxRank)
      return Damaged("tensor " + Quoted(entry.name) + " has " + std::to_string(rank) +
                         " dims, where 4 are possible",
                     begin);
    for (std::uint64_t i = 0; i < rank; ++i) {
      TRY_ASSIGN(const std::uint64_t dim, at_.Number(wide_));
      entry.dims.push_back(dim >> 62 == 0 ? static_cast<std::int64_t>(dim) : -1);
    }
    std::reverse(entry.dims.begin(), entry.dims.end());
    TRY_ASSIGN(const std::uint64_t type, at_.Number(4));
    TRY_ASSIGN(entry.offset, at_.Number(8));
    if (type < kTensorTypes.size()) entry.dtype = kTensorTypes[type];
    return Size(std::move(entry), type, begin);
  }

  Result<void> Size(Entry entry, std::uint64_t type, std::uint64_t begin) {
    const auto elements = decoder::ElementsOf(entry.dims);
    const BlockLayout* block = BlockOf(entry.dtype);
    if (block != nullptr && (entry.dims.empty() || entry.dims.back() % block->elements != 0))
      return Damaged("tensor " + Quoted(entry.name) + ": rows are no multiple of the " +
                         std::to_string(block->elements) + " elements of a block of " +
                         std::string(opscope::Name(entry.dtype)),
                     begin);
    const auto bytes = elements ? PackedBytes(entry.dtype, *elements) : std::nullopt;
    if (!elements || (!bytes && entry.dtype != DType::kUnknown))
      return Damaged("tensor " + Quoted(entry.name) + " has more elements than there can be",
                     begin);
    if (entry.dtype == DType::kUnknown)
      log_.Add("gguf.type", Severity::kLoss, entry.name,
               "type " + std::to_string(type) + " of ggml is not known; its bytes are not counted");
    entry.bytes = static_cast<std::uint64_t>(bytes.value_or(0));
    header_.entries.push_back(std::move(entry));
    return {};
  }

  // Offsets become those of the file.
  Result<void> Place() {
    const std::int64_t alignment = header_.Integer("general.alignment").value_or(32);
    if (alignment <= 0 || alignment > (1 << 30))
      return Damaged("an alignment of " + std::to_string(alignment), at_.position());
    const auto step = static_cast<std::uint64_t>(alignment);
    const std::uint64_t data = (at_.position() + step - 1) / step * step;
    std::vector<const Entry*> placed;
    for (Entry& entry : header_.entries) {
      const auto begin = CheckedAdd(data, entry.offset);
      const auto end = begin ? CheckedAdd(*begin, entry.bytes) : std::nullopt;
      if (!end || *end > size_)
        return Damaged(
            "tensor " + Quoted(entry.name) + " lies at " + std::to_string(entry.offset) +
                " of the data with " + std::to_string(entry.bytes) +
                " bytes, beyond the end of the file: it was cut or damaged; get it again",
            size_);
      entry.offset = *begin;
      placed.push_back(&entry);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Entry* a, const Entry* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < placed.size(); ++i)
      if (placed[i - 1]->offset + placed[i - 1]->bytes > placed[i]->offset)
        return Damaged("tensors " + Quoted(placed[i - 1]->name) + " and " +
                           Quoted(placed[i]->name) + " overlap",
                       placed[i]->offset);
    return {};
  }

  std::uint64_t size_;
  ImportLog& log_;
  Cursor at_;
  std::size_t wide_ = 8;
  Header header_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::optional<std::int64_t> Header::Integer(const std::string& key) const {
  const auto found = integers.find(key);
  return found == integers.end() ? std::nullopt : std::optional(found->second);
}

Result<Header> ReadHeader(Source& source, ImportLog& log) {
  return HeaderReader(source, log).Run();
}

}  // namespace opscope::gguf
