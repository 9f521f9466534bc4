#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/checked.h"
#include "base/sink.h"
#include "base/text.h"
#include "opscope/document.h"

namespace opscope {

// One line: cells quoted where needed. Text that a spreadsheet would take for a formula gets an
// apostrophe in front.
class CsvLine {
 public:
  explicit CsvLine(Sink& sink) : sink_(sink) {}

  void Text(std::string_view text) {
    std::string cell = Printable(text);
    if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos)
      cell.insert(0, 1, '\'');
    if (cell.find_first_of("\",") != std::string::npos) {
      for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2)
        cell.insert(at, 1, '"');
      cell = "\"" + cell + "\"";
    }
    Raw(cell);
  }
  void Maybe(const std::optional<std::string>& text) { Text(text.value_or("")); }
  void Integer(const std::optional<std::int64_t>& value) {
    Raw(value ? std::to_string(*value) : "");
  }
  void Real(const std::optional<double>& value) {
    if (!value) return Raw("");
    char buffer[32];
    Raw({buffer, std::to_chars(buffer, buffer + sizeof buffer, *value).ptr});
  }
  // The number, or its formula where it hangs on a free symbol.
  void Count(const doc::Count& value, std::string_view key, const doc::Map<std::string>& formulas) {
    if (value) return Raw(ToDecimal(*value));
    for (const auto& [name, formula] : formulas) {
      if (name == key) return Text(formula);
    }
    Raw("");
  }
  void Bool(const std::optional<bool>& value) { Raw(!value ? "" : *value ? "true" : "false"); }
  void Empty(int cells) {
    for (; cells > 0; --cells) Raw("");
  }
  void End() {
    sink_.Append("\r\n");
    first_ = true;
  }

 private:
  void Raw(std::string_view cell) {
    if (!first_) sink_.Append(',');
    first_ = false;
    sink_.Append(cell);
  }

  Sink& sink_;
  bool first_ = true;
};

}  // namespace opscope
