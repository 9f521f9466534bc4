#include "model/formats/openvino/value.h"

#include <charconv>

#include "base/checked.h"
#include "base/text.h"
#include "base/trimmed.h"
#include "model/formats/openvino/ir.h"

namespace opscope::openvino {

namespace {

// The parts between commas.
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(Trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<float> Float(std::string_view text) {
  float value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T, class Parse>
std::optional<std::vector<T>> All(const std::vector<std::string_view>& parts, Parse parse) {
  std::vector<T> out;
  for (const std::string_view part : parts) {
    const auto value = parse(part);
    if (!value.has_value()) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

template <class T>
AttributeValue OneOrMany(std::vector<T> values) {
  if (values.size() == 1) return values.front();
  return values;
}

}  // namespace

AttributeValue ValueOf(std::string_view key, const std::string& text) {
  if (text == "true") return std::int64_t{1};
  if (text == "false") return std::int64_t{0};
  if (key.ends_with("_type") || key.ends_with("type")) {
    const DType dtype = DTypeOf(text);
    if (dtype != DType::kUnknown) return std::string(Name(dtype));
  }
  const std::vector<std::string_view> parts = Parts(text);
  if (auto integers = All<std::int64_t>(parts, ParseInt64)) return OneOrMany(std::move(*integers));
  if (auto floats = All<float>(parts, Float)) return OneOrMany(std::move(*floats));
  return text;
}

Result<std::optional<std::vector<std::int64_t>>> DimsOf(std::string_view text,
                                                        std::uint64_t offset) {
  constexpr std::size_t kMaxRank = 1024;
  using Dims = std::optional<std::vector<std::int64_t>>;
  std::vector<std::int64_t> dims;
  text = Trimmed(text);
  if (text == "...") return Dims();
  if (text.empty()) return Dims(std::move(dims));
  for (const std::string_view part : Parts(text)) {
    const bool open = part == "?" || part == "-1" || part.find("..") != std::string_view::npos;
    std::int64_t dim = -1;
    if (!open) {
      TRY_ASSIGN(dim, IntegerOf(part, "a dim of \"shape\"", offset));
    }
    if (dim < -1 || dims.size() >= kMaxRank)
      return Error{"openvino.damaged", "\"shape\" is '" + Printable(text.substr(0, 80)) + "'",
                   AtByte(offset)};
    dims.push_back(dim);
  }
  return Dims(std::move(dims));
}

std::string FirstName(std::string_view names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == ',') break;
    if (names[i] == '\\' && i + 1 < names.size()) ++i;
    out += names[i];
  }
  return out;
}

}  // namespace opscope::openvino
