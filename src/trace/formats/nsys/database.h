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

class Database;

// The rows of one table. Damage ends the walk in front; what stands behind it is then read from the
// other end. What could not be read is in the log.
class Rows {
 public:
  bool Next();
  // Columns by their place in the list that Select was given.
  std::int64_t Integer(std::size_t column) const;
  // Valid until the next call of Next. Empty where there is none.
  std::string_view Text(std::size_t column) const;

 private:
  friend class Database;
  struct Close {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  Database* database_ = nullptr;
  std::string table_, columns_;
  std::vector<int> place_;  // in the query; -1 = absent
  int rowid_ = -1;          // its place in the query; -1 = the table has none
  std::int64_t last_rowid_ = kNone;
  bool backward_ = false;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
};

class Database {
 public:
  // Errors: nsys.unreadable (not a database, or its first page is damaged).
  static Result<std::unique_ptr<Database>> Open(Source& source, ImportLog& log);

  bool Has(std::string_view table) const { return tables_.count(std::string(table)) > 0; }
  // No rows where the table is absent.
  Rows Select(std::string_view table, std::initializer_list<std::string_view> columns);
  std::uint64_t claimed_size() const { return vfs_.claimed_size(); }

 private:
  friend class Rows;
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };

  Database(Source& source, ImportLog& log);
  Result<void> Start();
  void Restrict();
  // Nullptr when the query cannot be made.
  sqlite3_stmt* Prepare(const std::string& query);
  std::set<std::string, std::less<>> ColumnsOf(const std::string& table);

  ImportLog* log_;
  SourceVfs vfs_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> connection_;
  std::set<std::string, std::less<>> tables_;
  // A row takes bytes of the file: more rows than these are pages that refer to each other.
  std::uint64_t rows_left_;
};

}  // namespace opscope::nsys
