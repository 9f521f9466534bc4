#include "model/aten/schema.h"

#include <algorithm>
#include <iterator>

namespace opscope::aten {

namespace {

constexpr std::string_view kRows[] = {
#include "aten_schemas.inc"
};

std::string_view NextWord(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

Schema ParseArguments(std::string_view text) {
  Schema schema;
  while (!text.empty()) {
    const std::string_view word = NextWord(text);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon + 1 >= word.size()) continue;
    schema.arguments.push_back({word.substr(0, colon), word[colon + 1], word.ends_with('*')});
  }
  return schema;
}

}  // namespace

Schemas::Schemas() {
  by_op_.reserve(std::size(kRows));
  for (std::string_view row : kRows) {
    std::string_view name = NextWord(row);
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    Schema schema = ParseArguments(row);
    if (dot < name.size()) schema.overload = name.substr(dot + 1);
    by_op_[name.substr(0, dot)].push_back(std::move(schema));
  }
}

const std::vector<Schema>& Schemas::Overloads(std::string_view domain, std::string_view op) const {
  static const std::vector<Schema> kNone;
  const auto found = domain == "aten" ? by_op_.find(op)
                                      : by_op_.find(std::string(domain) + "::" + std::string(op));
  return found == by_op_.end() ? kNone : found->second;
}

const Schema* Schemas::Find(std::string_view domain, std::string_view op,
                            std::string_view overload) const {
  const std::vector<Schema>& all = Overloads(domain, op);
  if (overload == "default") overload = {};
  for (const Schema& schema : all)
    if (schema.overload == overload) return &schema;
  return all.size() == 1 ? &all.front() : nullptr;
}

}  // namespace opscope::aten
