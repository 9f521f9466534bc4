// What was odd in an input while reading went on: the report's data quality.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opscope {

// The place of an oddity or error in a file: "byte 10233".
inline std::string AtByte(std::uint64_t offset) { return "byte " + std::to_string(offset); }

enum class Severity : std::uint8_t { kNotice, kLoss, kError };

// One kind of oddity: how often it was met and where first.
struct ImportIssue {
  std::string code;  // stable, e.g. "onnx.external-missing"
  Severity severity = Severity::kNotice;
  std::int64_t count = 0;
  std::string where;    // the first place: byte offset, node or event name
  std::string message;  // of the first occurrence
};

class ImportLog {
 public:
  // Adds one occurrence. Same code = same kind: the first place and message are kept.
  void Add(std::string_view code, Severity severity, std::string_view where,
           std::string_view message, std::int64_t count = 1);
  const std::vector<ImportIssue>& issues() const { return issues_; }
  // For --strict: the first issue that is worse than a notice, as an error.
  std::optional<Error> FirstLoss() const;

 private:
  std::vector<ImportIssue> issues_;
};

}  // namespace opscope
