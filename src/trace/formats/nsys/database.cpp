#include "trace/formats/nsys/database.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace opscope::nsys {

namespace {

// A cell of a table takes at least a pointer, a length and a row number.
constexpr std::uint64_t kLeastBytesARow = 4;
constexpr int kMostBytesAValue = 256 << 20;

int OnlyReading(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_READ || action == SQLITE_SELECT || action == SQLITE_PRAGMA ? SQLITE_OK
                                                                                     : SQLITE_DENY;
}

// Empty where there is no text.
std::string_view TextAt(sqlite3_stmt* row, int place) {
  if (sqlite3_column_type(row, place) != SQLITE_TEXT) return {};
  const unsigned char* text = sqlite3_column_text(row, place);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(row, place))};
}

std::string Quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

}  // namespace

bool Rows::Next() {
  while (statement_ != nullptr) {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW && database_->rows_left_ > 0) {
      --database_->rows_left_;
      if (rowid_ >= 0 && !backward_) last_rowid_ = sqlite3_column_int64(statement_.get(), rowid_);
      return true;
    }
    if (code == SQLITE_DONE) break;
    const std::string why = code == SQLITE_ROW
                                ? "more rows than fit in the file"
                                : std::string(sqlite3_errmsg(database_->connection_.get()));
    database_->log_->Add("nsys.damaged", Severity::kLoss, "table " + table_,
                         "rows are lost: " + Printable(why));
    const bool again = !backward_ && rowid_ >= 0 && code != SQLITE_ROW;
    statement_.reset();
    if (!again) break;
    backward_ = true;
    std::string query = "SELECT " + columns_ + " FROM " + Quoted(table_) + " NOT INDEXED";
    if (last_rowid_ != kNone) query += " WHERE rowid>" + std::to_string(last_rowid_);
    statement_.reset(database_->Prepare(query + " ORDER BY rowid DESC"));
  }
  statement_.reset();
  return false;
}

std::int64_t Rows::Integer(std::size_t column) const {
  const int place = place_[column];
  if (place < 0 || sqlite3_column_type(statement_.get(), place) != SQLITE_INTEGER) return kNone;
  return sqlite3_column_int64(statement_.get(), place);
}

std::string_view Rows::Text(std::size_t column) const {
  const int place = place_[column];
  return place < 0 ? std::string_view() : TextAt(statement_.get(), place);
}

Database::Database(Source& source, ImportLog& log)
    : log_(&log), vfs_(source), rows_left_(source.size() / kLeastBytesARow) {}

Result<std::unique_ptr<Database>> Database::Open(Source& source, ImportLog& log) {
  std::unique_ptr<Database> database(new Database(source, log));
  TRY(database->Start());
  return database;
}

void Database::Restrict() {
  sqlite3* connection = connection_.get();
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMostBytesAValue);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  for (const char* pragma : {"PRAGMA cell_size_check=ON", "PRAGMA temp_store=MEMORY",
                             "PRAGMA cache_size=-1024", "PRAGMA mmap_size=0"})
    sqlite3_exec(connection, pragma, nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(connection, &OnlyReading, nullptr);
}

Result<void> Database::Start() {
  sqlite3* connection = nullptr;
  const int opened = sqlite3_open_v2("input", &connection,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, vfs_.name());
  connection_.reset(connection);
  if (opened == SQLITE_OK) {
    Restrict();
    // Real tables only. Anything else (views, virtual tables) has another text there, whatever the
    // file says its type is.
    const std::unique_ptr<sqlite3_stmt, Rows::Close> list(
        Prepare("SELECT name, sql FROM main.sqlite_schema"));
    int code = list == nullptr ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(list.get())) == SQLITE_ROW)
      if (TextAt(list.get(), 1).starts_with("CREATE TABLE "))
        tables_.insert(std::string(TextAt(list.get(), 0)));
    if (code == SQLITE_DONE) return {};
  }
  const std::string why = connection == nullptr ? "out of memory" : sqlite3_errmsg(connection);
  return Error{"nsys.unreadable",
               "the SQLite database cannot be read (" + Printable(why) +
                   "): an export that was interrupted, or a damaged copy; export again: nsys "
                   "export --type sqlite --output run.sqlite run.nsys-rep",
               ""};
}

sqlite3_stmt* Database::Prepare(const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection_.get(), query.c_str(), static_cast<int>(query.size()) + 1,
                     &statement, nullptr);
  return statement;
}

// Plain columns only: this pragma does not show generated and hidden ones.
std::set<std::string, std::less<>> Database::ColumnsOf(const std::string& table) {
  std::set<std::string, std::less<>> columns;
  const std::unique_ptr<sqlite3_stmt, Rows::Close> list(
      Prepare("PRAGMA main.table_info(" + Quoted(table) + ")"));
  while (list != nullptr && sqlite3_step(list.get()) == SQLITE_ROW)
    columns.insert(std::string(TextAt(list.get(), 1)));
  return columns;
}

Rows Database::Select(std::string_view table, std::initializer_list<std::string_view> columns) {
  Rows rows;
  rows.database_ = this;
  rows.table_ = table;
  rows.place_.assign(columns.size(), -1);
  if (!Has(table)) return rows;
  const auto present = ColumnsOf(rows.table_);
  int count = 0;
  std::size_t index = 0;
  for (const std::string_view column : columns) {
    if (present.count(column) > 0) {
      rows.columns_ += (count == 0 ? "" : ",") + Quoted(column);
      rows.place_[index] = count++;
    }
    ++index;
  }
  if (count == 0) return rows;
  const std::string from = " FROM " + Quoted(table) + " NOT INDEXED";
  const std::string plain = rows.columns_;
  rows.columns_ += ",rowid";
  rows.rowid_ = count;
  rows.statement_.reset(Prepare("SELECT " + rows.columns_ + from));
  if (rows.statement_ == nullptr) {
    rows.rowid_ = -1;
    rows.statement_.reset(Prepare("SELECT " + plain + from));
  }
  if (rows.statement_ == nullptr)
    log_->Add("nsys.damaged", Severity::kLoss, "table " + rows.table_,
              "the table is lost: " + Printable(sqlite3_errmsg(connection_.get())));
  return rows;
}

}  // namespace opscope::nsys
