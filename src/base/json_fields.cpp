#include "base/json_fields.h"

#include <utility>

#include "base/text.h"

namespace opscope {

Error JsonFields::Wrong(std::string_view what) const {
  constexpr std::size_t kRead = 1000, kShown = 120;
  return {code_,
          "it said something that is not the protocol (" + std::string(what) + "): '" +
              CutMiddle(Printable(text_.substr(0, kRead)), kShown) + "'",
          ""};
}

Result<JsonToken> JsonFields::Token() {
  auto token = reader_.Next();
  if (!token.has_value()) return Wrong(token.error().message);
  return token;
}

Result<void> JsonFields::Own(Result<void> result) const {
  if (result.has_value() || result.error().code == code_) return result;
  return Wrong(result.error().message);
}

Result<void> JsonFields::Whole(const Field& field) {
  TRY_ASSIGN(const JsonToken first, Token());
  if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
  TRY(Own(reader_.ForEachField(field)));
  TRY_ASSIGN(const JsonToken end, Token());
  if (end.kind != JsonKind::kEnd) return Wrong("more than one value");
  return {};
}

Result<void> JsonFields::Elements(
    const std::function<Result<void>(const JsonToken& first)>& element) {
  TRY_ASSIGN(const JsonToken first, Token());
  if (first.kind != JsonKind::kBeginArray) return Wrong("not an array");
  return Own(reader_.ForEachElement(element));
}

Result<void> JsonFields::Objects(const std::function<void()>& begin, const Field& field) {
  return Elements([&](const JsonToken& first) -> Result<void> {
    if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
    begin();
    return reader_.ForEachField(field);
  });
}

Result<std::string> JsonFields::Text() {
  TRY_ASSIGN(const JsonToken token, Token());
  if (token.kind != JsonKind::kString) return Wrong("not a string");
  return std::string(token.text);
}

Result<std::int64_t> JsonFields::Integer() {
  TRY_ASSIGN(const auto value, IntegerOrNull());
  if (!value) return Wrong("not an integer");
  return *value;
}

Result<std::optional<std::int64_t>> JsonFields::IntegerOrNull() {
  TRY_ASSIGN(const JsonToken token, Token());
  if (token.kind == JsonKind::kNull) return std::optional<std::int64_t>();
  const auto value = token.AsInt64();
  if (!value) return Wrong("not an integer");
  return value;
}

Result<double> JsonFields::Number() {
  TRY_ASSIGN(const JsonToken token, Token());
  const auto value = token.AsDouble();
  if (token.kind != JsonKind::kNumber || !value) return Wrong("not a number");
  return *value;
}

Result<bool> JsonFields::Flag() {
  TRY_ASSIGN(const JsonToken token, Token());
  if (token.kind != JsonKind::kBool) return Wrong("neither true nor false");
  return token.boolean;
}

Result<std::vector<std::string>> JsonFields::Texts() {
  std::vector<std::string> out;
  TRY(Elements([&](const JsonToken& token) -> Result<void> {
    if (token.kind != JsonKind::kString) return Wrong("not a string");
    out.emplace_back(token.text);
    return {};
  }));
  return out;
}

Result<std::vector<std::int64_t>> JsonFields::Integers() {
  std::vector<std::int64_t> out;
  TRY(Elements([&](const JsonToken& token) -> Result<void> {
    const auto value = token.AsInt64();
    if (!value) return Wrong("not an integer");
    out.push_back(*value);
    return {};
  }));
  return out;
}

Result<std::string> JsonFields::RawObject() {
  TRY_ASSIGN(const JsonToken first, Token());
  if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
  auto raw = reader_.Raw(first);
  if (!raw.has_value()) return Wrong(raw.error().message);
  return raw;
}

Result<void> JsonFields::Skip() {
  TRY_ASSIGN(const JsonToken first, Token());
  return Own(reader_.Skip(first));
}

}  // namespace opscope
