// Rows of a plain table straight from its pages, several times as fast as through SQLite, which
// copies each cell through its virtual machine. Whatever is not the common case (a row that goes on
// in other pages, a page that cannot be) ends the walk, and SQLite goes on from there: as with
// simdjson and the lenient reader of JSON, the fast way never decides what is wrong with a file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "trace/formats/nsys/cell.h"

namespace opscope::nsys {

// How the records of a table are stored.
struct RecordLayout {
  std::uint32_t root = 0;     // first page of its tree
  std::vector<int> place_of;  // by stored column: among the wanted ones, -1 = not wanted
};

// Rows with their texts, one behind the other: `columns` cells a row.
struct RowBatch {
  // Room for rows of so many columns, all cells empty.
  void Reset(std::size_t wanted);

  const Cell* row(std::size_t index) const { return cells.data() + index * columns; }

  std::size_t columns = 0;
  std::size_t rows = 0;
  bool full = false;  // more may follow
  std::vector<Cell> cells;
  std::vector<char> texts;
};

class LeafWalk {
 public:
  // False: this file is not stored as LeafWalk reads (another text encoding, an odd page size).
  bool Open(Source& source);

  void Begin(std::uint32_t root);
  // Takes the next rows, in the order of row numbers.
  void Fill(const RecordLayout& layout, RowBatch& batch);
  // Every row was taken.
  bool whole() const { return done_; }
  // The number of the last row that was taken; kNone: none was.
  std::int64_t last_row() const { return last_row_; }

 private:
  // Goes to the next leaf in the order of row numbers; false: there is none, or not for us.
  bool NextLeaf();
  // False: there is no row left, or none for us.
  bool AtRow();
  bool NextRow(const RecordLayout& layout, Cell* cells);
  bool Record(const unsigned char* at, const unsigned char* end, const RecordLayout& layout,
              Cell* cells) const;
  // Empty where the file ends before.
  std::string_view Page(std::uint32_t number);
  bool Descend(std::string_view page);

  Source* source_ = nullptr;
  std::size_t page_bytes_ = 0, usable_bytes_ = 0;
  std::vector<std::vector<std::uint32_t>> path_;  // children to go to, of each page above
  std::uint64_t pages_left_ = 0;                  // a tree has at most all pages of the file
  std::string_view leaf_;
  std::uint32_t cells_ = 0, next_cell_ = 0;
  std::int64_t last_row_ = kNone;
  bool done_ = false, stopped_ = true;
};

}  // namespace opscope::nsys
