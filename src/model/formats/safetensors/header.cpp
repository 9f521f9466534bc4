// 8 bytes little endian: the length of the header, then
// {"__metadata__":{"format":"pt"},"lm_head.weight":{"dtype":"F16","shape":[32000,4096],
//  "data_offsets":[0,262144000]}, …} and blanks up to that length, then the data without gaps.
#include "model/formats/safetensors/header.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/json_reader.h"
#include "base/text.h"
#include "model/decoder/weights.h"

namespace opscope::safetensors {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
// The format's own limit; the largest real header (some 50,000 tensors) has 8 MB.
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxRank = 64;

constexpr std::pair<std::string_view, DType> kTypes[] = {{"F64", DType::kFloat64},
                                                         {"F32", DType::kFloat32},
                                                         {"F16", DType::kFloat16},
                                                         {"BF16", DType::kBFloat16},
                                                         {"F8_E4M3", DType::kFloat8E4M3FN},
                                                         {"F8_E5M2", DType::kFloat8E5M2},
                                                         {"F8_E4M3FNUZ", DType::kFloat8E4M3FNUZ},
                                                         {"F8_E5M2FNUZ", DType::kFloat8E5M2FNUZ},
                                                         {"F8_E8M0", DType::kFloat8E8M0},
                                                         {"F4", DType::kFloat4E2M1},
                                                         {"I64", DType::kInt64},
                                                         {"I32", DType::kInt32},
                                                         {"I16", DType::kInt16},
                                                         {"I8", DType::kInt8},
                                                         {"U64", DType::kUInt64},
                                                         {"U32", DType::kUInt32},
                                                         {"U16", DType::kUInt16},
                                                         {"U8", DType::kUInt8},
                                                         {"BOOL", DType::kBool},
                                                         {"C64", DType::kComplex64}};

Error Damaged(std::string message, std::uint64_t offset) {
  return {"safetensors.damaged", std::move(message), AtByte(offset)};
}

std::string Quoted(std::string_view name) {
  return "\"" + Printable(CutMiddle(ValidUtf8(name), 120)) + "\"";
}

class HeaderReader {
 public:
  HeaderReader(Source& source, ImportLog& log, std::uint64_t end)
      : source_size_(source.size()), end_(end), log_(log), reader_(source, kLengthBytes) {}

  Result<Header> Run() {
    TRY(reader_.Expect(JsonKind::kBeginObject));
    TRY(reader_.ForEachField([this](std::string_view key) -> Result<void> {
      if (reader_.offset() > end_) return PastEnd();
      std::string name(key);
      if (name == "__metadata__") return ReadMetadata();
      return ReadEntry(std::move(name));
    }));
    if (reader_.offset() > end_) return PastEnd();
    TRY(CheckPlaces());
    return std::move(header_);
  }

 private:
  Error PastEnd() const {
    return Damaged("the header does not end within the " + std::to_string(end_ - kLengthBytes) +
                       " bytes that it is said to have; get the file again",
                   end_);
  }

  Result<void> ReadMetadata() {
    TRY_ASSIGN(const JsonToken begin, reader_.Next());
    if (begin.kind != JsonKind::kBeginObject) return reader_.Skip(begin);
    return reader_.ForEachField([this](std::string_view key) -> Result<void> {
      std::string name(key);
      TRY_ASSIGN(const JsonToken token, reader_.Next());
      constexpr std::size_t kShort = 256;
      if (token.kind == JsonKind::kString && token.text.size() <= kShort && name.size() <= kShort)
        header_.metadata.emplace_back(std::move(name), std::string(token.text));
      return {};
    });
  }

  Result<void> ReadEntry(std::string name) {
    TRY_ASSIGN(const JsonToken begin, reader_.Next());
    const std::uint64_t at = begin.offset;
    if (begin.kind != JsonKind::kBeginObject)
      return Damaged("entry " + Quoted(name) + " of the header is no object", at);
    Entry entry;
    entry.name = std::move(name);
    if (!names_.insert(entry.name).second)
      return Damaged("there are two tensors " + Quoted(entry.name), at);
    std::optional<std::string> type;
    std::vector<std::int64_t> offsets;
    bool shaped = false;
    TRY(reader_.ForEachField([&](std::string_view key) -> Result<void> {
      if (key == "dtype") {
        TRY_ASSIGN(const JsonToken token, reader_.Expect(JsonKind::kString));
        type = std::string(token.text);
      } else if (key == "shape") {
        shaped = true;
        TRY(ReadIntegers(entry.name, kMaxRank, entry.dims));
      } else if (key == "data_offsets") {
        TRY(ReadIntegers(entry.name, 2, offsets));
      }
      return {};
    }));
    if (!type || !shaped || offsets.size() != 2)
      return Damaged("tensor " + Quoted(entry.name) + " lacks dtype, shape or data_offsets", at);
    return Finish(std::move(entry), *type, offsets, at);
  }

  Result<void> ReadIntegers(std::string_view name, std::size_t most,
                            std::vector<std::int64_t>& out) {
    TRY(reader_.Expect(JsonKind::kBeginArray));
    return reader_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      const auto value = token.kind == JsonKind::kNumber ? token.AsInt64() : std::nullopt;
      if (!value || *value < 0 || out.size() == most)
        return Damaged("tensor " + Quoted(name) + ": '" + Printable(token.text.substr(0, 40)) +
                           "' is no size, or there are too many",
                       token.offset);
      out.push_back(*value);
      return {};
    });
  }

  Result<void> Finish(Entry entry, const std::string& type,
                      const std::vector<std::int64_t>& offsets, std::uint64_t at) {
    const auto known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const auto& pair) { return pair.first == type; });
    if (known != std::end(kTypes))
      entry.dtype = known->second;
    else
      log_.Add("safetensors.dtype", Severity::kLoss, entry.name,
               "element type \"" + Printable(type.substr(0, 40)) + "\" is not known");
    const std::uint64_t data = source_size_ - end_;
    const auto begin = static_cast<std::uint64_t>(offsets[0]);
    const auto end = static_cast<std::uint64_t>(offsets[1]);
    if (begin > end || end > data)
      return Damaged("tensor " + Quoted(entry.name) + " lies at " + std::to_string(begin) + " .. " +
                         std::to_string(end) + " of " + std::to_string(data) +
                         " bytes of data: the file was cut or damaged; get it again",
                     at);
    const auto elements = decoder::ElementsOf(entry.dims);
    const auto bytes = elements ? PackedBytes(entry.dtype, *elements) : std::nullopt;
    if (!elements || (bytes && static_cast<std::uint64_t>(*bytes) != end - begin))
      return Damaged("tensor " + Quoted(entry.name) + " has " + std::to_string(end - begin) +
                         " bytes, its shape and type need " +
                         (bytes ? std::to_string(*bytes) : std::string("more than there can be")),
                     at);
    entry.begin = end_ + begin;
    entry.end = end_ + end;
    header_.entries.push_back(std::move(entry));
    return {};
  }

  Result<void> CheckPlaces() {
    std::vector<Entry>& entries = header_.entries;
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    for (std::size_t i = 1; i < entries.size(); ++i)
      if (entries[i].begin < entries[i - 1].end)
        return Damaged("tensors " + Quoted(entries[i - 1].name) + " and " +
                           Quoted(entries[i].name) + " overlap",
                       entries[i].begin);
    return {};
  }

  std::uint64_t source_size_;
  std::uint64_t end_;
  ImportLog& log_;
  JsonReader reader_;
  Header header_;
  std::unordered_set<std::string> names_;
};

// The errors of the JSON reader, as damage of this format.
Error InOurTerms(Error error) {
  if (error.code.rfind("json.", 0) != 0) return error;
  return {"safetensors.damaged", "the header is not valid JSON: " + error.message, error.place};
}

}  // namespace

Result<Header> ReadHeader(Source& source, ImportLog& log) {
  TRY_ASSIGN(const std::string_view start, source.Window(0, kLengthBytes));
  if (start.size() < kLengthBytes)
    return Damaged("the file ends within its first 8 bytes; get it again", start.size());
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(start[i]);
  if (length > kMaxHeader || length < 2)
    return Damaged("the header is said to have " + std::to_string(length) + " bytes, where 2 to " +
                       std::to_string(kMaxHeader) + " are possible",
                   0);
  if (length > source.size() - kLengthBytes)
    return Damaged("the header has " + std::to_string(length) + " bytes, the file only " +
                       std::to_string(source.size()) + ": it was cut; get it again",
                   source.size());
  Result<Header> header = HeaderReader(source, log, kLengthBytes + length).Run();
  if (!header.has_value()) return InOurTerms(std::move(header.error()));
  return header;
}

// {"metadata": {"total_size": 13476839424},
//  "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors", …}}
Result<Index> ReadIndex(Source& source) {
  constexpr std::size_t kMaxFiles = 4096;
  Index index;
  std::unordered_map<std::string, std::size_t> files;
  JsonReader reader(source);
  bool mapped = false;
  const auto read_map = [&]() -> Result<void> {
    TRY(reader.Expect(JsonKind::kBeginObject));
    mapped = true;
    return reader.ForEachField([&](std::string_view key) -> Result<void> {
      std::string name(key);
      TRY_ASSIGN(const JsonToken token, reader.Expect(JsonKind::kString));
      const auto [file, added] = files.try_emplace(std::string(token.text), index.files.size());
      if (added) index.files.push_back(file->first);
      if (index.files.size() > kMaxFiles)
        return Error{"safetensors.index", "the index names more than 4,096 files",
                     AtByte(token.offset)};
      index.weights.emplace_back(std::move(name), file->second);
      return {};
    });
  };
  const auto read = [&]() -> Result<void> {
    TRY(reader.Expect(JsonKind::kBeginObject));
    return reader.ForEachField([&](std::string_view key) -> Result<void> {
      return key == "weight_map" ? read_map() : Result<void>{};
    });
  };
  if (auto done = read(); !done.has_value()) return InOurTerms(std::move(done.error()));
  if (!mapped)
    return Error{"safetensors.index", "the index has no \"weight_map\" that names the files", ""};
  return index;
}

}  // namespace opscope::safetensors
