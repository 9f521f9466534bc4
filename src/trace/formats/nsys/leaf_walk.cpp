#include "trace/formats/nsys/leaf_walk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace opscope::nsys {

namespace {

// https://www.sqlite.org/fileformat2.html; numbers have their highest byte first.
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageSizeAt = 16, kReservedAt = 20, kEncodingAt = 56;
constexpr unsigned char kUtf8 = 1;
constexpr unsigned char kInnerPage = 5, kLeafPage = 13;
constexpr std::size_t kInnerHeader = 12, kLeafHeader = 8;
constexpr std::size_t kDeepest = 20;

std::uint32_t Byte(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}
std::uint32_t Two(std::string_view bytes, std::size_t at) {
  return Byte(bytes, at) << 8 | Byte(bytes, at + 1);
}
std::uint32_t Four(std::string_view bytes, std::size_t at) {
  return Two(bytes, at) << 16 | Two(bytes, at + 2);
}

// Seven bits a byte, the highest first; the ninth byte has eight. False: `end` comes before.
inline bool Varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  if (at < end && *at < 0x80) {
    value = *at++;
    return true;
  }
  value = 0;
  for (int i = 0; i < 8; ++i) {
    if (at >= end) return false;
    value = value << 7 | (*at & 0x7fU);
    if (*at++ < 0x80) return true;
  }
  if (at >= end) return false;
  value = value << 8 | *at++;
  return true;
}

// Types 0 to 11 of a record; 10 and 11 do not occur.
constexpr std::array<std::uint8_t, 12> kBytesOf = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
constexpr std::uint64_t kZero = 8, kOne = 9, kFirstBlob = 12;

std::uint64_t BytesOf(std::uint64_t type) {
  return type < kFirstBlob ? kBytesOf[type] : (type - kFirstBlob) / 2;
}

std::int64_t Signed(const unsigned char* at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | at[i];
  const auto shift = 64 - 8 * static_cast<int>(bytes);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

std::int64_t Integer(const unsigned char* at, std::uint64_t type) {
  switch (type) {
    case 1:
      return Signed(at, 1);
    case 2:
      return Signed(at, 2);
    case 3:
      return Signed(at, 3);
    case 4:
      return Signed(at, 4);
    case 5:
      return Signed(at, 6);
    case 6:
      return Signed(at, 8);
    case kZero:
      return 0;
    case kOne:
      return 1;
    default:
      return kNone;
  }
}

}  // namespace

bool LeafWalk::Open(Source& source) {
  const auto header = source.Window(0, kHeaderBytes);
  if (!header.has_value() || header->size() < kHeaderBytes) return false;
  const std::uint32_t size = Two(*header, kPageSizeAt);
  page_bytes_ = size == 1 ? 65536 : size;
  if (page_bytes_ < 512 || !std::has_single_bit(page_bytes_)) return false;
  const std::uint32_t reserved = Byte(*header, kReservedAt);
  if (page_bytes_ - reserved < 480 || Four(*header, kEncodingAt) != kUtf8) return false;
  usable_bytes_ = page_bytes_ - reserved;
  source_ = &source;
  return true;
}

std::string_view LeafWalk::Page(std::uint32_t number) {
  constexpr std::size_t kAhead = 256 << 10;  // tables lie in long stretches
  if (number < 2 || pages_left_ == 0) return {};
  --pages_left_;
  const std::uint64_t offset = (number - 1) * std::uint64_t{page_bytes_};
  std::string_view bytes = source_->Buffered(offset);
  if (bytes.size() < page_bytes_) {
    const auto window = source_->Window(offset, std::max(kAhead, page_bytes_));
    if (!window.has_value() || window->size() < page_bytes_) return {};
    bytes = *window;
  }
  return bytes.substr(0, usable_bytes_);
}

// The children of an inner page, last one first; false: the page cannot be.
bool LeafWalk::Descend(std::string_view page) {
  constexpr std::size_t kLastChildAt = 8;
  const std::uint32_t count = Two(page, 3);
  if (path_.size() == kDeepest || kInnerHeader + 2 * std::size_t{count} > page.size()) return false;
  std::vector<std::uint32_t> children{Four(page, kLastChildAt)};
  for (std::uint32_t i = count; i-- > 0;) {
    const std::size_t cell = Two(page, kInnerHeader + 2 * std::size_t{i});
    if (cell + 4 > page.size()) return false;
    children.push_back(Four(page, cell));
  }
  path_.push_back(std::move(children));
  return true;
}

void LeafWalk::Begin(std::uint32_t root) {
  path_ = {{root}};
  pages_left_ = source_->size() / page_bytes_;
  cells_ = next_cell_ = 0;
  last_row_ = kNone;
  done_ = stopped_ = false;
}

bool LeafWalk::NextLeaf() {
  stopped_ = true;  // unless there is a leaf
  while (true) {
    while (!path_.empty() && path_.back().empty()) path_.pop_back();
    done_ = path_.empty();
    if (done_) return false;
    const std::string_view page = Page(path_.back().back());
    path_.back().pop_back();
    if (page.empty()) return false;
    if (Byte(page, 0) == kLeafPage) {
      leaf_ = page;
      cells_ = Two(page, 3);
      next_cell_ = 0;
      stopped_ = false;
      return true;
    }
    if (Byte(page, 0) != kInnerPage || !Descend(page)) return false;
  }
}

bool LeafWalk::AtRow() {
  while (!stopped_ && next_cell_ == cells_) NextLeaf();
  return !stopped_;
}

void RowBatch::Reset(std::size_t wanted) {
  // In all what a core keeps at hand; the texts of a row fit a page.
  constexpr std::size_t kCellBytes = 384 << 10, kTextBytes = 256 << 10;
  columns = wanted;
  cells.assign(std::max<std::size_t>(kCellBytes / sizeof(Cell) / wanted, 1) * wanted, Cell());
  texts.resize(kTextBytes);
}

void LeafWalk::Fill(const RecordLayout& layout, RowBatch& batch) {
  std::size_t text_bytes = 0, rows = 0;
  const std::size_t most = batch.cells.size() / batch.columns;
  bool full = false;
  while (AtRow()) {
    full = rows == most || text_bytes + page_bytes_ > batch.texts.size();
    Cell* cells = batch.cells.data() + rows * batch.columns;
    if (full || !NextRow(layout, cells)) break;
    for (Cell* cell = cells; cell != cells + batch.columns; ++cell) {
      if (cell->text.empty()) continue;
      char* const copy = batch.texts.data() + text_bytes;
      std::copy(cell->text.begin(), cell->text.end(), copy);
      cell->text = {copy, cell->text.size()};
      text_bytes += cell->text.size();
    }
    ++rows;
  }
  batch.rows = rows;
  batch.full = full;
}

bool LeafWalk::NextRow(const RecordLayout& layout, Cell* cells) {
  constexpr std::size_t kKeptFree = 35;  // a longer row goes on in other pages
  stopped_ = true;                       // unless the row is fine
  const std::size_t pointer = kLeafHeader + 2 * std::size_t{next_cell_};
  if (pointer + 2 > leaf_.size()) return false;
  const std::size_t place = Two(leaf_, pointer);
  const auto* const begin = reinterpret_cast<const unsigned char*>(leaf_.data());
  const unsigned char *at = begin + place, *const end = begin + leaf_.size();
  std::uint64_t length = 0, number = 0;
  if (place < kLeafHeader || place >= leaf_.size() || !Varint(at, end, length) ||
      !Varint(at, end, number))
    return false;
  const auto row = static_cast<std::int64_t>(number);
  if (length > usable_bytes_ - kKeptFree || length > static_cast<std::uint64_t>(end - at) ||
      row <= last_row_ || !Record(at, at + length, layout, cells))
    return false;
  last_row_ = row;
  ++next_cell_;
  stopped_ = false;
  return true;
}

// The types of all columns, then their contents.
bool LeafWalk::Record(const unsigned char* at, const unsigned char* end, const RecordLayout& layout,
                      Cell* cells) const {
  const unsigned char* const begin = at;
  std::uint64_t header = 0;
  if (!Varint(at, end, header) || header > static_cast<std::uint64_t>(end - begin)) return false;
  const unsigned char* const types_end = begin + header;
  const unsigned char* content = types_end;
  for (const int place : layout.place_of) {
    std::uint64_t type = 0;  // NULL, also where a row is older than the column
    if (at < types_end && !Varint(at, types_end, type)) return false;
    const std::uint64_t bytes = BytesOf(type);
    if (bytes > static_cast<std::uint64_t>(end - content) || type == 10 || type == 11) return false;
    if (place >= 0) {
      Cell& cell = cells[place];
      cell.integer = Integer(content, type);
      cell.text = type > kFirstBlob && type % 2 == 1
                      ? std::string_view(reinterpret_cast<const char*>(content), bytes)
                      : std::string_view();
    }
    content += bytes;
  }
  return true;
}

}  // namespace opscope::nsys
