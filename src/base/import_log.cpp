#include "base/import_log.h"

#include <algorithm>

namespace opscope {

void ImportLog::Add(std::string_view code, Severity severity, std::string_view where,
                    std::string_view message, std::int64_t count) {
  const auto same = std::find_if(issues_.begin(), issues_.end(),
                                 [&](const ImportIssue& issue) { return issue.code == code; });
  if (same != issues_.end()) {
    same->count += count;
    same->severity = std::max(same->severity, severity);
    return;
  }
  issues_.push_back({std::string(code), severity, count, std::string(where), std::string(message)});
}

std::optional<Error> ImportLog::FirstLoss() const {
  for (const ImportIssue& issue : issues_)
    if (issue.severity != Severity::kNotice) return Error{issue.code, issue.message, issue.where};
  return std::nullopt;
}

}  // namespace opscope
