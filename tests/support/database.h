// SQLite databases for tests, made from SQL.
#pragma once

#include <string>
#include <string_view>

namespace opscope::test {

// The bytes of the file that these statements make. Small pages: many of them in a small file.
std::string MakeDatabase(std::string_view sql, int page_bytes = 512);

}  // namespace opscope::test
