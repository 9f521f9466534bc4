#include "model/formats/tflite/flat.h"

#include <algorithm>
#include <cstring>

#include "base/import_log.h"

namespace opscope::tflite {

namespace {

constexpr std::size_t kPageBytes = 8 << 10;
constexpr std::size_t kPages = 512;  // 4 MiB at most
constexpr std::size_t kMaxText = 64 << 10;
constexpr std::size_t kHashBlock = 64 << 10;
constexpr std::uint32_t kMaxNumbers = 1 << 20;  // of one list
// A file of n bytes may ask for so many bytes of vectors and tables in all.
constexpr std::uint64_t kChargesPerByte = 16;
constexpr std::uint64_t kFreeCharges = 1 << 20;

}  // namespace

Flat::Flat(Source& source)
    : source_(source), pages_(kPages), budget_(kFreeCharges + kChargesPerByte * source.size()) {}

void Flat::Fail(std::string code, std::string message, std::uint64_t at) {
  if (!error_) error_ = Error{std::move(code), std::move(message), AtByte(at)};
}

void Flat::Charge(std::uint64_t bytes) {
  if (bytes > budget_) {
    Fail("tflite.too-large",
         "tables and vectors refer to each other more often than any real model's do; the file is "
         "damaged or made to do harm",
         0);
    budget_ = 0;
  } else {
    budget_ -= bytes;
  }
}

const Flat::Page* Flat::PageAt(std::uint64_t index) {
  Page& page = pages_[index % kPages];
  if (page.index == index) return &page;
  auto window = source_.Window(index * kPageBytes, kPageBytes);
  if (!window.has_value()) {
    if (!error_) error_ = std::move(window.error());
    return nullptr;
  }
  page.bytes.assign(*window);
  page.index = index;
  return &page;
}

bool Flat::Read(std::uint64_t at, std::size_t length, char* to) {
  if (!ok()) return false;
  if (at > size() || length > size() - at) {
    Fail("tflite.truncated",
         "the TFLite file refers to bytes behind its end: it was cut, perhaps by a broken download "
         "or a full disk; get it again",
         at);
    return false;
  }
  while (length > 0) {
    const Page* page = PageAt(at / kPageBytes);
    if (page == nullptr) return false;
    const std::size_t begin = at % kPageBytes;
    const std::size_t count = std::min(length, kPageBytes - begin);
    if (begin + count > page->bytes.size()) return false;
    std::memcpy(to, page->bytes.data() + begin, count);
    to += count;
    at += count;
    length -= count;
  }
  return true;
}

std::uint64_t Flat::Number(std::uint64_t at, std::size_t width) {
  unsigned char bytes[8] = {};
  if (!Read(at, width, reinterpret_cast<char*>(bytes))) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

std::int64_t Flat::Signed(std::uint64_t at, std::size_t width) {
  const std::uint64_t value = Number(at, width);
  const std::size_t unused = 64 - 8 * width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

Table Flat::Root() { return OpenTable(Follow(0)); }

std::uint64_t Flat::Follow(std::uint64_t at) {
  const std::uint64_t offset = Number(at, 4);
  if (!ok()) return 0;
  if (offset == 0 || at + offset >= size()) {
    Fail(offset == 0 ? "tflite.damaged" : "tflite.truncated",
         "an offset of " + std::to_string(offset) + " leads nowhere; get or convert the file again",
         at);
    return 0;
  }
  return at + offset;
}

//   table:  int32 distance back to the vtable, then the fields
//   vtable: uint16 bytes of the vtable, uint16 bytes of the table, uint16 place of each field
Table Flat::OpenTable(std::uint64_t at) {
  if (at == 0) return {};
  Charge(sizeof(Table));
  const std::int64_t distance = Signed(at, 4);
  const std::int64_t vtable = static_cast<std::int64_t>(at) - distance;
  if (!ok()) return {};
  if (vtable < 0 || static_cast<std::uint64_t>(vtable) + 4 > size()) {
    Fail("tflite.damaged", "a table's description lies outside of the file", at);
    return {};
  }
  Table table{at, static_cast<std::uint64_t>(vtable), 0, 0};
  table.vtable_bytes = static_cast<std::uint16_t>(Number(table.vtable, 2));
  table.bytes = static_cast<std::uint16_t>(Number(table.vtable + 2, 2));
  if (ok() && (table.vtable_bytes < 4 || table.bytes < 4)) {
    Fail("tflite.damaged", "a table's description is too short", table.vtable);
    return {};
  }
  return table;
}

std::uint64_t Flat::FieldAt(const Table& table, int slot, std::size_t width) {
  const std::uint64_t entry = 4 + 2 * static_cast<std::uint64_t>(slot);
  if (!table.present() || entry + 2 > table.vtable_bytes) return 0;
  const std::uint64_t place = Number(table.vtable + entry, 2);
  if (place == 0) return 0;
  if (place < 4 || place + width > table.bytes) {
    Fail("tflite.damaged", "a field lies outside of its table", table.vtable + entry);
    return 0;
  }
  return table.at + place;
}

std::int64_t Flat::Scalar(const Table& table, int slot, std::size_t width, bool is_signed,
                          std::int64_t otherwise) {
  const std::uint64_t at = FieldAt(table, slot, width);
  std::int64_t value = otherwise;
  if (at != 0) value = is_signed ? Signed(at, width) : static_cast<std::int64_t>(Number(at, width));
  HashNumber(value);
  return value;
}

std::int64_t Flat::Int8(const Table& table, int slot, std::int64_t otherwise) {
  return Scalar(table, slot, 1, true, otherwise);
}
std::int64_t Flat::UInt8(const Table& table, int slot, std::int64_t otherwise) {
  return Scalar(table, slot, 1, false, otherwise);
}
std::int64_t Flat::Int32(const Table& table, int slot, std::int64_t otherwise) {
  return Scalar(table, slot, 4, true, otherwise);
}
std::int64_t Flat::UInt32(const Table& table, int slot, std::int64_t otherwise) {
  return Scalar(table, slot, 4, false, otherwise);
}
std::int64_t Flat::Int64(const Table& table, int slot, std::int64_t otherwise) {
  return Scalar(table, slot, 8, true, otherwise);
}

float Flat::Float32(const Table& table, int slot, float otherwise) {
  const std::uint64_t at = FieldAt(table, slot, 4);
  if (at == 0) return otherwise;
  const auto bits = static_cast<std::uint32_t>(Number(at, 4));
  HashNumber(bits);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string Flat::TextFrom(std::uint64_t at) {
  if (at == 0) return {};
  const std::uint64_t length = Number(at, 4);
  if (ok() && length > size() - at) {
    Fail("tflite.truncated", "a name of " + std::to_string(length) + " bytes passes the end", at);
  }
  if (!ok()) return {};
  std::string text(std::min<std::uint64_t>(length, kMaxText), '\0');
  Charge(text.size());
  if (!Read(at + 4, text.size(), text.data())) return {};
  HashNumber(static_cast<std::int64_t>(length));
  Hash(text.data(), text.size());
  return text;
}

std::string Flat::Text(const Table& table, int slot) {
  const std::uint64_t at = FieldAt(table, slot, 4);
  return at == 0 ? std::string() : TextFrom(Follow(at));
}

Table Flat::Child(const Table& table, int slot) {
  const std::uint64_t at = FieldAt(table, slot, 4);
  return at == 0 ? Table{} : OpenTable(Follow(at));
}

Vector Flat::List(const Table& table, int slot, std::size_t width) {
  const std::uint64_t field = FieldAt(table, slot, 4);
  const std::uint64_t at = field == 0 ? 0 : Follow(field);
  if (at == 0) return {};
  const std::uint64_t count = Number(at, 4);
  if (ok() && count > (size() - at) / width) {
    Fail("tflite.truncated",
         "a list of " + std::to_string(count) +
             " elements passes the end of the file; get it "
             "again",
         at);
  }
  if (!ok()) return {};
  return {at + 4, static_cast<std::uint32_t>(count)};
}

Table Flat::TableAt(const Vector& tables, std::uint32_t index) {
  return OpenTable(Follow(tables.at + 4 * std::uint64_t{index}));
}

std::string Flat::TextAt(const Vector& texts, std::uint32_t index) {
  return TextFrom(Follow(texts.at + 4 * std::uint64_t{index}));
}

std::vector<std::int64_t> Flat::Numbers(const Vector& vector, std::size_t width, bool is_signed) {
  Charge(std::uint64_t{vector.size} * width);
  if (vector.size > kMaxNumbers)
    Fail("tflite.too-large", "a list of " + std::to_string(vector.size) + " numbers", vector.at);
  if (!ok()) return {};
  std::string bytes(vector.size * width, '\0');
  if (!Read(vector.at, bytes.size(), bytes.data())) return {};
  HashNumber(vector.size);
  Hash(bytes.data(), bytes.size());
  std::vector<std::int64_t> numbers(vector.size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint64_t value = 0;
    for (std::size_t b = width; b-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i * width + b]);
    const std::size_t unused = 64 - 8 * width;
    numbers[i] = is_signed ? static_cast<std::int64_t>(value << unused) >> unused
                           : static_cast<std::int64_t>(value);
  }
  return numbers;
}

std::vector<std::int64_t> Flat::Int32s(const Vector& vector) { return Numbers(vector, 4, true); }
std::vector<std::int64_t> Flat::Int64s(const Vector& vector) { return Numbers(vector, 8, true); }
std::vector<std::int64_t> Flat::Bytes(const Vector& vector) { return Numbers(vector, 1, false); }

std::vector<float> Flat::Floats(const Vector& vector) {
  std::vector<float> values;
  for (const std::int64_t number : Numbers(vector, 4, false)) {
    const auto bits = static_cast<std::uint32_t>(number);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  return values;
}

std::optional<std::string> Flat::Payload(std::uint64_t at, std::size_t length) {
  Charge(length);
  std::string bytes(length, '\0');
  if (!Read(at, length, bytes.data())) return std::nullopt;
  return bytes;
}

void Flat::Hash(const void* bytes, std::size_t length) {
  unhashed_.append(static_cast<const char*>(bytes), length);
  if (unhashed_.size() < kHashBlock) return;
  hasher_.Add(unhashed_);
  unhashed_.clear();
}

std::string Flat::StructureHash() {
  hasher_.Add(unhashed_);
  unhashed_.clear();
  return hasher_.Hex();
}

}  // namespace opscope::tflite
