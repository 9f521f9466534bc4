// Any bytes as JSON: no crash, no hang, and what the reader says of them hangs together.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/json_reader.h"

namespace {

using namespace opscope;  // NOLINT: a program of its own

struct Seen {
  std::vector<std::string> tokens;
  std::string error;
  std::uint64_t end = 0;
  std::int64_t repairs = 0;

  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen Walk(JsonReader& reader, std::size_t limit) {
  Seen seen;
  while (true) {
    const auto token = reader.Next();
    if (!token) {
      seen.error = token.error().ToString();
      break;
    }
    if (token->kind == JsonKind::kEnd) break;
    static_cast<void>(token->AsInt64());
    static_cast<void>(token->AsDouble());
    static_cast<void>(ParseDecimalTime(token->text, 1000));
    seen.tokens.emplace_back(token->text);
    CHECK(token->offset < limit);
    CHECK(seen.tokens.size() <= limit);
  }
  seen.end = reader.offset();
  seen.repairs = reader.repairs();
  return seen;
}

// What the whole walk accepts, skipping accepts too, and ends at the same place.
void CheckSkip(std::string_view text, const Seen& whole) {
  JsonReader reader(text);
  const auto first = reader.Next();
  if (!first) return;
  const bool skipped = reader.Skip(*first).has_value() && reader.Next().has_value();
  if (!whole.error.empty()) return;
  CHECK(skipped && reader.offset() == whole.end);
}

// A value handed on is JSON without need of repairs, and stays as it is when handed on again.
void CheckRaw(std::string_view text, const Seen& whole) {
  JsonReader reader(text);
  const auto first = reader.Next();
  if (!first || first->kind == JsonKind::kEnd) return;
  const auto raw = reader.Raw(*first);
  CHECK(raw.has_value() || !whole.error.empty());
  if (!raw) return;
  JsonReader again(*raw);
  const auto value = again.Next();
  CHECK(value.has_value());
  const auto twice = again.Raw(*value);
  CHECK(twice.has_value() && *twice == *raw && again.repairs() == 0);
}

// Call-backs that leave values unread, as readers of formats do.
Result<void> Visit(JsonReader& reader, const JsonToken& first) {
  if (first.kind == JsonKind::kBeginArray)
    return reader.ForEachElement([&](const JsonToken& element) { return Visit(reader, element); });
  if (first.kind != JsonKind::kBeginObject) return {};
  return reader.ForEachField([&](std::string_view key) -> Result<void> {
    if (key.size() % 2 == 1) return {};
    TRY_ASSIGN(const JsonToken value, reader.Next());
    return key.size() % 4 == 0 ? Visit(reader, value) : Result<void>();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JsonReader reader(text);
  const Seen whole = Walk(reader, size + 1);

  Source source = Source::FromBytes("fuzz", std::string(text));
  JsonReader windowed(source);
  CHECK(Walk(windowed, size + 1) == whole);

  CheckSkip(text, whole);
  CheckRaw(text, whole);
  JsonReader visited(text);
  if (const auto first = visited.Next()) static_cast<void>(Visit(visited, *first).has_value());
  return 0;
}
