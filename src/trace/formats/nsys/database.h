// Tables of a SQLite file, row by row, by the names of their columns. The file is data and nothing
// else: no view, trigger, virtual table, generated column, index or function of it is ever used.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "base/result.h"
#include "base/source.h"
#include "trace/formats/nsys/cell.h"
#include "trace/formats/nsys/leaf_walk.h"
#include "trace/formats/nsys/source_vfs.h"

namespace opscope::nsys {

class Database {
 public:
  // Errors: nsys.unreadable (not a database, or its first page is damaged).
  static Result<std::unique_ptr<Database>> Open(Source& source, ImportLog& log);

  bool Has(std::string_view table) const { return tables_.find(table) != tables_.end(); }

  // Calls `handle` with each row; with none where the table is absent. Damage ends the walk in
  // front; what stands behind it is then read from the other end. What could not be read is in the
  // log.
  template <class Handle>
  void ForEach(std::string_view table, std::initializer_list<std::string_view> columns,
               Handle handle) {
    Walk walk;
    walk.table = table;
    walk.handle = [](void* context, const Row& row) { (*static_cast<Handle*>(context))(row); };
    walk.context = &handle;
    Run(walk, columns);
  }
  std::uint64_t claimed_size() const { return vfs_.claimed_size(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;
  struct Walk {
    std::string table;
    std::string columns;  // those of the wanted ones that are there, for a query
    struct Stored {
      std::size_t column;  // of the table
      std::size_t place;   // among the cells
    };
    std::vector<Stored> stored;  // of these, in the order of the query
    std::vector<Cell> cells;     // of a row, as `handle` gets it
    bool has_rowid = false;
    std::int64_t last_rowid = kNone;
    void (*handle)(void*, const Row&) = nullptr;
    void* context = nullptr;
  };
  struct Columns {
    std::vector<std::string> names;  // in the order in which they are stored
    bool plain = true;               // they are stored as LeafWalk reads them
  };

  Database(Source& source, ImportLog& log);
  Result<void> Start();
  void Restrict();
  void Run(Walk& walk, std::initializer_list<std::string_view> columns);
  // Three ways through a table: from its pages; by SQLite, from where the first one ended; from the
  // other end, behind damage. False, and SQLite's code: it ended before the last row.
  bool FromPages(Walk& walk, const Columns& columns);
  int Forward(Walk& walk);
  void Backward(Walk& walk);
  bool Hand(Walk& walk, const Cell* cells);
  static void TakeValues(sqlite3_context* context, int count, sqlite3_value** values);
  // Nullptr when the query cannot be made.
  Statement Prepare(const std::string& query);
  Columns ColumnsOf(const std::string& table);

  ImportLog* log_;
  SourceVfs vfs_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, std::int64_t, std::less<>> tables_;  // -> first page
  LeafWalk leaves_;
  std::array<RowBatch, 2> batches_;
  bool has_leaves_ = false;  // leaves_ reads files of this kind
  Walk* walk_ = nullptr;     // the one that goes on
  // A row takes bytes of the file: more rows than these are pages that refer to each other.
  std::uint64_t rows_left_;
};

}  // namespace opscope::nsys
