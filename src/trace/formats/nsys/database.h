// Tables of a SQLite file, row by row, by the names of their columns. The file is data and nothing
// else: no view, trigger, virtual table, generated column, index or function of it is ever used.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "base/result.h"
#include "base/source.h"
#include "trace/formats/nsys/source_vfs.h"

namespace opscope::nsys {

// A cell that is NULL, of an absent column, or holds no integer where one belongs.
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

// One row of a walk. Columns by their place in the list that the walk was given.
class Row {
 public:
  Row(sqlite3_value** values, const std::vector<int>& place) : values_(values), place_(&place) {}

  std::int64_t Integer(std::size_t column) const {
    const int place = (*place_)[column];
    if (place < 0 || sqlite3_value_type(values_[place]) != SQLITE_INTEGER) return kNone;
    return sqlite3_value_int64(values_[place]);
  }
  // Valid as long as the row. Empty where there is none.
  std::string_view Text(std::size_t column) const;

 private:
  sqlite3_value** values_;
  const std::vector<int>* place_;  // among the values; -1 = absent
};

class Database {
 public:
  // Errors: nsys.unreadable (not a database, or its first page is damaged).
  static Result<std::unique_ptr<Database>> Open(Source& source, ImportLog& log);

  bool Has(std::string_view table) const { return tables_.count(std::string(table)) > 0; }

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
    std::string table, columns;
    std::vector<int> place;
    int values = 0;  // selected columns, without the row number behind them
    bool has_rowid = false;
    std::int64_t last_rowid = kNone;
    void (*handle)(void*, const Row&) = nullptr;
    void* context = nullptr;
  };

  Database(Source& source, ImportLog& log);
  Result<void> Start();
  void Restrict();
  void Run(Walk& walk, std::initializer_list<std::string_view> columns);
  int Forward(Walk& walk);
  void Backward(Walk& walk);
  static void TakeRow(sqlite3_context* context, int count, sqlite3_value** values);
  // Nullptr when the query cannot be made.
  Statement Prepare(const std::string& query);
  std::set<std::string, std::less<>> ColumnsOf(const std::string& table);

  ImportLog* log_;
  SourceVfs vfs_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> connection_;
  std::set<std::string, std::less<>> tables_;
  Walk* walk_ = nullptr;  // the one that goes on
  // A row takes bytes of the file: more rows than these are pages that refer to each other.
  std::uint64_t rows_left_;
};

}  // namespace opscope::nsys
