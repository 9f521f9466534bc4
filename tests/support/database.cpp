#include "support/database.h"

#include <sqlite3.h>

#include "base/check.h"

namespace opscope::test {

std::string MakeDatabase(std::string_view sql, int page_bytes) {
  sqlite3* database = nullptr;
  CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
  const std::string all = "PRAGMA page_size=" + std::to_string(page_bytes) + ";" + std::string(sql);
  CHECK(sqlite3_exec(database, all.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  CHECK(bytes != nullptr);
  std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return file;
}

}  // namespace opscope::test
