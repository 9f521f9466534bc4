#include "trace/formats/tflite_profile/op_row.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/trimmed.h"

namespace opscope::tflite_profile {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

// "[node type]" and "node type" are one title.
std::string_view TitleOf(std::string_view cell) {
  cell = Trimmed(cell);
  if (cell.starts_with('[') && cell.ends_with(']')) cell = Trimmed(cell.substr(1, cell.size() - 2));
  return cell;
}

std::optional<std::int32_t> IndexOf(std::string_view text) {
  const auto index = ParseIntegral(text);
  if (!index || *index < 0 || *index > (1 << 30)) return std::nullopt;
  return static_cast<std::int32_t>(*index);
}

}  // namespace

bool OpRow::is_delegate() const {
  return type.find("elegate") != std::string::npos && type != "DelegateOpInvoke";
}

OpColumns::Field OpColumns::FieldOf(std::string_view title) {
  if (title == "node type" || title == "Node type") return Field::kType;
  if (title == "start") return Field::kStart;
  if (title == "avg ms" || title == "avg_ms") return Field::kMean;
  if (title == "%") return Field::kShare;
  if (title == "times called") return Field::kCalls;
  return title == "Name" || title == "name" ? Field::kName : Field::kOther;
}

// A name may hold the separator: what is too much belongs to the last column.
std::vector<std::string_view> OpColumns::Cells(std::string_view line) const {
  const std::string_view separator = tabs_ ? "\t" : ", ";
  if (tabs_ && line.starts_with('\t')) line.remove_prefix(1);
  std::vector<std::string_view> cells;
  while (fields_.empty() || cells.size() + 1 < fields_.size()) {
    const std::size_t end = line.find(separator);
    if (end == std::string_view::npos) break;
    cells.push_back(Trimmed(line.substr(0, end)));
    line.remove_prefix(end + separator.size());
  }
  cells.push_back(Trimmed(line));
  return cells;
}

bool OpColumns::Begin(std::string_view header) {
  if (header.find("ode type") == std::string_view::npos) return false;
  OpColumns columns;
  columns.tabs_ = header.find('\t') != std::string_view::npos;
  const std::vector<std::string_view> titles = columns.Cells(header);
  const auto count = [&](Field field) {
    return std::count(columns.fields_.begin(), columns.fields_.end(), field);
  };
  for (const std::string_view title : titles) columns.fields_.push_back(FieldOf(TitleOf(title)));
  if (count(Field::kType) != 1 || count(Field::kMean) != 1 || count(Field::kCalls) != 1)
    return false;
  columns.summary_ = count(Field::kName) == 0;
  *this = columns;
  return true;
}

std::optional<OpRow> OpColumns::Row(std::string_view line) const {
  const std::vector<std::string_view> cells = Cells(line);
  if (cells.size() != fields_.size()) return std::nullopt;
  OpRow row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string_view cell = cells[i];
    switch (fields_[i]) {
      case Field::kType:
        row.type = cell;
        break;
      case Field::kName:
        row.name = cell;
        break;
      case Field::kStart:
        if (const auto time = ParseDecimalTime(cell, kMillisecond)) row.start_ns = time->value;
        break;
      case Field::kMean: {
        const auto time = ParseDecimalTime(cell, kMillisecond);
        if (!time || time->value < 0) return std::nullopt;
        row.mean_ns = time->value;
        break;
      }
      case Field::kShare:
        if (cell.ends_with('%')) cell.remove_suffix(1);
        if (const auto share = ParseDecimalTime(cell, 10'000)) row.share_millionths = share->value;
        break;
      case Field::kCalls: {
        const auto calls = ParseIntegral(cell);
        if (!calls || *calls < 0) return std::nullopt;
        row.calls = *calls;
        break;
      }
      case Field::kOther:
        break;
    }
  }
  if (row.type.empty()) return std::nullopt;
  SplitName(row);
  return row;
}

void SplitName(OpRow& row) {
  const std::string_view name = row.name;
  const std::size_t end = name.rfind("]:");
  if (name.starts_with('[') && end != std::string_view::npos) {
    if (const auto index = IndexOf(name.substr(end + 2))) {
      row.index = *index;
      row.tensors = name.substr(1, end - 1);
      return;
    }
  }
  if (name.starts_with('[') && name.ends_with(']')) {
    row.tensors = name.substr(1, name.size() - 2);
    return;
  }
  const std::size_t colon = name.rfind(':');  // "Delegate/Add (ND, F32):12"
  if (colon == std::string_view::npos) return;
  if (const auto index = IndexOf(name.substr(colon + 1))) row.index = *index;
}

}  // namespace opscope::tflite_profile
