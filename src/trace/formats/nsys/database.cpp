#include "trace/formats/nsys/database.h"

#include <algorithm>
#include <future>
#include <utility>

#include "base/text.h"

namespace opscope::nsys {

namespace {

// A cell of a table takes at least a pointer, a length and a row number.
constexpr std::uint64_t kLeastBytesARow = 4;
constexpr std::int64_t kMostPages = 0xfffffffe;
constexpr int kMostBytesAValue = 256 << 20;

// The only function that a query may call: ours, which takes the rows.
constexpr char kTakeRow[] = "opscope_row";

int OnlyReading(void*, int action, const char*, const char* name, const char*, const char*) {
  if (action == SQLITE_FUNCTION)
    return name != nullptr && std::string_view(name) == kTakeRow ? SQLITE_OK : SQLITE_DENY;
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

Error Unreadable(std::string_view why) {
  return Error{"nsys.unreadable",
               "the SQLite database cannot be read (" + Printable(why) +
                   "): an export that was interrupted, or a damaged copy; export again: nsys "
                   "export --type sqlite --output run.sqlite run.nsys-rep",
               ""};
}

Cell CellOf(sqlite3_value* value) {
  Cell cell;
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) cell.integer = sqlite3_value_int64(value);
  if (type != SQLITE_TEXT) return cell;
  const unsigned char* text = sqlite3_value_text(value);
  if (text != nullptr)
    cell.text = {reinterpret_cast<const char*>(text),
                 static_cast<std::size_t>(sqlite3_value_bytes(value))};
  return cell;
}

// Columns that store 1.0 as 1: only SQLite tells them apart.
bool HoldsReals(sqlite3_stmt* row, int place) {
  const auto* type = reinterpret_cast<const char*>(sqlite3_column_text(row, place));
  if (type == nullptr) return false;
  const auto is_like = [&](const char* sign) { return sqlite3_strlike(sign, type, 0) == 0; };
  return is_like("%REAL%") || is_like("%FLOA%") || is_like("%DOUB%");
}

std::string Quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

}  // namespace

Database::Database(Source& source, ImportLog& log)
    : log_(&log),
      vfs_(source),
      has_leaves_(leaves_.Open(source)),
      rows_left_(source.size() / kLeastBytesARow) {}

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
  sqlite3_create_function(connection, kTakeRow, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, this, nullptr,
                          &TakeValues, [](sqlite3_context*) {});
  sqlite3_set_authorizer(connection, &OnlyReading, nullptr);
}

Result<void> Database::Start() {
  constexpr std::uint64_t kLeastPage = 512;
  if (vfs_.claimed_size() < kLeastPage) return Unreadable("it ends within its header");
  sqlite3* connection = nullptr;
  const int opened = sqlite3_open_v2("input", &connection,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, vfs_.name());
  connection_.reset(connection);
  if (opened == SQLITE_OK) {
    Restrict();
    // Real tables only. Anything else (views, virtual tables) has another text there, whatever the
    // file says its type is.
    const Statement list = Prepare("SELECT name, sql, rootpage FROM main.sqlite_schema");
    int code = list == nullptr ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(list.get())) == SQLITE_ROW)
      if (TextAt(list.get(), 1).starts_with("CREATE TABLE "))
        tables_.emplace(TextAt(list.get(), 0), sqlite3_column_int64(list.get(), 2));
    if (code == SQLITE_DONE) return {};
  }
  return Unreadable(connection == nullptr ? "out of memory" : sqlite3_errmsg(connection));
}

Database::Statement Database::Prepare(const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection_.get(), query.c_str(), static_cast<int>(query.size()) + 1,
                     &statement, nullptr);
  return Statement(statement);
}

Database::Columns Database::ColumnsOf(const std::string& table) {
  enum Field : int { kName = 1, kType = 2, kDefault = 4, kPrimaryKey = 5, kHidden = 6 };
  Columns columns;
  const Statement list = Prepare("PRAGMA main.table_xinfo(" + Quoted(table) + ")");
  while (list != nullptr && sqlite3_step(list.get()) == SQLITE_ROW) {
    // Generated and hidden columns are not for us; they take places of their own or none.
    const bool own = sqlite3_column_int(list.get(), kHidden) == 0;
    columns.names.emplace_back(own ? TextAt(list.get(), kName) : std::string_view());
    columns.plain = columns.plain && own && sqlite3_column_int(list.get(), kPrimaryKey) == 0 &&
                    sqlite3_column_type(list.get(), kDefault) == SQLITE_NULL &&
                    !HoldsReals(list.get(), kType);
  }
  return columns;
}

bool Database::Hand(Walk& walk, const Cell* cells) {
  if (rows_left_ == 0) return false;
  --rows_left_;
  walk.handle(walk.context, Row(cells));
  return true;
}

bool Database::FromPages(Walk& walk, const Columns& columns) {
  const std::int64_t root = tables_.find(walk.table)->second;
  if (!has_leaves_ || !columns.plain || root < 2 || root > kMostPages) return false;
  RecordLayout layout{static_cast<std::uint32_t>(root), {}};
  layout.place_of.assign(columns.names.size(), -1);
  for (const auto& [stored, place] : walk.stored) layout.place_of[stored] = static_cast<int>(place);
  while (!layout.place_of.empty() && layout.place_of.back() < 0) layout.place_of.pop_back();
  RowBatch &now = batches_[0], &next = batches_[1];
  for (RowBatch& batch : batches_) batch.Reset(walk.cells.size());
  leaves_.Begin(layout.root);
  leaves_.Fill(layout, now);
  bool taken = true;
  while (taken && now.rows > 0) {
    // One batch is read while the one in front of it is taken; short tables are no work for two.
    auto ahead =
        std::async(now.full ? std::launch::async | std::launch::deferred : std::launch::deferred,
                   [&] { leaves_.Fill(layout, next); });
    // By pointers of our own: the thread writes beside the batches, and a line of memory that two
    // cores want a row costs more than the row.
    const Cell *row = now.row(0), *const end = now.row(now.rows);
    for (const std::size_t width = now.columns; taken && row != end; row += width)
      taken = Hand(walk, row);
    ahead.get();
    std::swap(now, next);
  }
  walk.last_rowid = leaves_.last_row();
  return taken && leaves_.whole();
}

// Called by SQLite with each row of a forward walk; the row number comes last.
void Database::TakeValues(sqlite3_context* context, int count, sqlite3_value** values) {
  auto& self = *static_cast<Database*>(sqlite3_user_data(context));
  Walk& walk = *self.walk_;
  for (std::size_t i = 0; i < walk.stored.size(); ++i)
    walk.cells[walk.stored[i].place] = CellOf(values[i]);
  if (!self.Hand(walk, walk.cells.data()))
    return sqlite3_result_error(context, "more rows than fit in the file", -1);
  if (walk.has_rowid) walk.last_rowid = sqlite3_value_int64(values[count - 1]);
}

// An aggregate over all rows: SQLite hands over its own values, where stepping from row to row
// copies and locks for each cell (1.9 times the time for 600,000 rows of three tables).
int Database::Forward(Walk& walk) {
  const auto query = [&](const std::string& columns) {
    return "SELECT " + std::string(kTakeRow) + "(" + columns + ") FROM " + Quoted(walk.table) +
           " NOT INDEXED" +
           (walk.last_rowid == kNone ? "" : " WHERE rowid>" + std::to_string(walk.last_rowid));
  };
  walk.has_rowid = true;
  Statement statement = Prepare(query(walk.columns + ",rowid"));
  if (statement == nullptr) {
    walk.has_rowid = false;
    statement = Prepare(query(walk.columns));
  }
  if (statement == nullptr) return SQLITE_ERROR;
  const int code = sqlite3_step(statement.get());
  return code == SQLITE_ROW ? SQLITE_DONE : code;
}

void Database::Backward(Walk& walk) {
  std::string query = "SELECT " + walk.columns + " FROM " + Quoted(walk.table) + " NOT INDEXED";
  if (walk.last_rowid != kNone) query += " WHERE rowid>" + std::to_string(walk.last_rowid);
  const Statement statement = Prepare(query + " ORDER BY rowid DESC");
  while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
    for (std::size_t i = 0; i < walk.stored.size(); ++i)
      walk.cells[walk.stored[i].place] =
          CellOf(sqlite3_column_value(statement.get(), static_cast<int>(i)));
    if (!Hand(walk, walk.cells.data())) return;
  }
}

void Database::Run(Walk& walk, std::initializer_list<std::string_view> columns) {
  walk.cells.assign(columns.size(), {});
  if (!Has(walk.table)) return;
  const Columns present = ColumnsOf(walk.table);
  std::size_t place = 0;
  for (const std::string_view column : columns) {
    const auto at = std::find(present.names.begin(), present.names.end(), column);
    if (at != present.names.end()) {
      walk.columns += (walk.stored.empty() ? "" : ",") + Quoted(column);
      walk.stored.push_back({static_cast<std::size_t>(at - present.names.begin()), place});
    }
    ++place;
  }
  if (walk.stored.empty() || FromPages(walk, present)) return;
  walk_ = &walk;
  if (Forward(walk) != SQLITE_DONE) {
    log_->Add("nsys.damaged", Severity::kLoss, "table " + walk.table,
              "rows are lost: " + Printable(sqlite3_errmsg(connection_.get())));
    if (walk.has_rowid) Backward(walk);
  }
  walk_ = nullptr;
}

}  // namespace opscope::nsys
