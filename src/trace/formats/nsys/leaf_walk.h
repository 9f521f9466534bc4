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

struct LeafWalkEnd {
  bool whole = false;  // every row was handed over
  std::int64_t last_row = kNone;
};

class LeafWalk {
 public:
  // False: this file is not stored as LeafWalk reads (another text encoding, an odd page size).
  bool Open(Source& source);

  // Calls `take` with the cells of each row, in the order of row numbers; false ends the walk.
  // `cells`: as many as columns are wanted.
  template <class Take>
  LeafWalkEnd ForEach(const RecordLayout& layout, Cell* cells, Take take) {
    Begin(layout.root);
    while (NextLeaf())
      while (NextRow(layout, cells)) {
        if (!take()) return {false, last_row_};
      }
    return {done_, last_row_};
  }

 private:
  void Begin(std::uint32_t root);
  // Goes to the next leaf in the order of row numbers; false: there is none, or not for us.
  bool NextLeaf();
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
  bool done_ = false, stopped_ = false;
};

}  // namespace opscope::nsys
