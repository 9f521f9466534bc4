// What another tool would print beside what opscope counts: rows that add up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opscope/document.h"

namespace opscope {

struct ConventionTable {
  // group, amount, parameters, why: the exact counts, the differences, what the tool prints.
  std::vector<std::vector<std::string>> rows;
  std::string unit;                // of the amounts
  std::vector<std::string> notes;  // sentences below the table
};

// Nothing where the document has no such convention.
std::optional<ConventionTable> MakeConventionTable(const doc::Document& document,
                                                   std::string_view convention, Language language);

}  // namespace opscope
