// Several models at a glance: one row a model.
#pragma once

#include <string>
#include <vector>

#include "opscope/document.h"
#include "report/emit/columns.h"

namespace opscope {

std::vector<FittedColumn> SummaryColumns(Language language);
std::vector<std::string> SummaryCells(const doc::Document& document, Language language);

}  // namespace opscope
