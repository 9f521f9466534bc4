// The text forms, a layer a line:
//   7767517
//   25 28
//   Convolution  conv1  1 1 data conv1  0=16 1=3 4=1 5=1 6=432 -23310=2,0.0,6.0
//   nn.Conv2d  conv1  1 1 0 1  bias=True kernel_size=(3,3) @weight=(16,3,3,3)f32 $input=0
//   #0=(1,3,9,9)f32
#include "base/text.h"

#include <charconv>
#include <optional>

#include "base/checked.h"
#include "base/result.h"
#include "model/formats/ncnn/record.h"

namespace opscope::ncnn {

namespace {

constexpr std::size_t kMaxLine = 4 << 20;
constexpr std::size_t kShown = 60;

std::string Shown(std::string_view text) {
  return "\"" + CutMiddle(Printable(text.substr(0, 4 * kShown)), kShown) + "\"";
}

// Lines of a source, one at a time.
class Lines {
 public:
  explicit Lines(Source& source) : source_(source) {}

  // Nullopt at the end; valid until the next call.
  Result<std::optional<std::string_view>> Next() {
    if (at_ >= source_.size()) return std::optional<std::string_view>();
    std::string_view ahead = source_.Buffered(at_);
    std::size_t end = ahead.find('\n');
    if (end == std::string_view::npos && at_ + ahead.size() < source_.size()) {
      TRY_ASSIGN(ahead, source_.Window(at_, kMaxLine));
      end = ahead.find('\n');
      if (end == std::string_view::npos && ahead.size() == kMaxLine)
        return Error{"ncnn.too-large", "a line has more than 4 MiB", Place()};
    }
    ++number_;
    std::string_view line = ahead.substr(0, end);
    at_ += end == std::string_view::npos ? ahead.size() : end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return std::optional(line);
  }
  std::string Place() const { return "line " + std::to_string(number_); }

 private:
  Source& source_;
  std::uint64_t at_ = 0;
  std::int64_t number_ = 0;
};

// Words between blanks; a quoted value may hold blanks.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view Next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    std::size_t end = 0;
    bool quoted = false;
    while (end < rest_.size() && (quoted || (rest_[end] != ' ' && rest_[end] != '\t'))) {
      if (rest_[end] == '"') quoted = !quoted;
      ++end;
    }
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

 private:
  std::string_view rest_;
};

std::optional<float> ParseFloat(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc::invalid_argument || end != text.data() + text.size())
    return std::nullopt;
  return static_cast<float>(value);
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty() && parts.size() <= kMaxNumbers) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return parts;
}

// "3", "0.5", "True", "nearest"; several as integers where all are, else floats, else texts.
AttributeValue ValueOf(std::span<const std::string_view> parts) {
  std::vector<std::int64_t> integers;
  std::vector<float> floats;
  for (const std::string_view part : parts) {
    if (const auto integer = ParseInt64(part)) integers.push_back(*integer);
    if (const auto number = ParseFloat(part)) floats.push_back(*number);
  }
  if (integers.size() == parts.size()) return integers;
  if (floats.size() == parts.size()) return floats;
  return std::vector<std::string>(parts.begin(), parts.end());
}

AttributeValue ScalarOf(std::string_view text) {
  if (const auto integer = ParseInt64(text)) return *integer;
  if (const auto number = ParseFloat(text)) return *number;
  if (text == "True") return std::int64_t{1};
  if (text == "False") return std::int64_t{0};
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

DType DTypeNamed(std::string_view name) {
  constexpr std::pair<std::string_view, DType> kNames[] = {
      {"f32", DType::kFloat32},   {"f64", DType::kFloat64},   {"f16", DType::kFloat16},
      {"bf16", DType::kBFloat16}, {"i8", DType::kInt8},       {"u8", DType::kUInt8},
      {"i16", DType::kInt16},     {"i32", DType::kInt32},     {"i64", DType::kInt64},
      {"bool", DType::kBool},     {"c64", DType::kComplex64}, {"c128", DType::kComplex128}};
  for (const auto& [known, dtype] : kNames)
    if (known == name) return dtype;
  return DType::kUnknown;
}

// (1,3,?,224)f32; a size that is no number is open.
TypeInfo TypeOf(std::string_view text) {
  TypeInfo type;
  const std::size_t close = text.rfind(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) return type;
  type.dtype = DTypeNamed(text.substr(close + 1));
  constexpr std::size_t kMaxRank = 64;
  const auto parts = SplitAtCommas(text.substr(1, close - 1));
  if (parts.size() > kMaxRank) return type;
  type.shape.dims.emplace();
  for (const std::string_view part : parts) {
    const auto size = ParseInt64(part);
    type.shape.dims->push_back(size && *size >= 0 ? Dim(*size) : Dim());
  }
  return type;
}

Error Damaged(const Lines& lines, std::string message) {
  return Error{"ncnn.damaged", std::move(message), lines.Place()};
}

// Lists: id -23300 - n, their length, their numbers; newer files write n=1,2 as well.
Result<void> AddNumbered(const Lines& lines, std::string_view word, Record& record) {
  const std::size_t equals = word.find('=');
  const auto id = ParseInt64(word.substr(0, equals));
  if (equals == std::string_view::npos || !id)
    return Damaged(lines, "layer " + Shown(record.name) + ": " + Shown(word) + " is no parameter");
  const std::string_view text = word.substr(equals + 1);
  constexpr std::int64_t kLists = -23300;
  if (*id <= kLists && *id >= kLists - 100'000) {
    auto parts = SplitAtCommas(text);
    const auto count = parts.empty() ? std::nullopt : ParseInt64(parts.front());
    if (!count || *count != static_cast<std::int64_t>(parts.size()) - 1)
      return Damaged(lines, "layer " + Shown(record.name) + ": the list " + Shown(word) +
                                " has not as many values as it says");
    record.params.emplace_back(std::to_string(kLists - *id), ValueOf(std::span(parts).subspan(1)));
    return {};
  }
  const bool list = text.find(',') != std::string_view::npos && text.front() != '"';
  record.params.emplace_back(std::to_string(*id),
                             list ? ValueOf(SplitAtCommas(text)) : ScalarOf(text));
  return {};
}

void AddNamed(std::string_view word, Record& record) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view key = word.substr(0, equals);
  const std::string_view text = word.substr(std::min(equals + 1, word.size()));
  if (key.empty() || key.front() == '$') return;
  if (key.front() == '#') {
    record.operands.push_back({std::string(key.substr(1)), TypeOf(text)});
  } else if (key.front() == '@') {
    record.weights.push_back({std::string(key.substr(1)), TypeOf(text)});
  } else if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    record.params.emplace_back(key, ValueOf(SplitAtCommas(text.substr(1, text.size() - 2))));
  } else {
    record.params.emplace_back(key, ScalarOf(text));
  }
}

Result<void> ReadNames(const Lines& lines, Words& words, std::int64_t count, Record& record,
                       std::vector<std::string>& names) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string_view name = words.Next();
    if (name.empty())
      return Damaged(lines, "layer " + Shown(record.name) + " names fewer blobs than it says");
    names.emplace_back(name);
  }
  return {};
}

// pnnx's names of types have a dot, ncnn's have none.
bool IsNamed(std::string_view type) {
  return type.find('.') != std::string_view::npos || type.find("::") != std::string_view::npos;
}

Result<Record> ReadRecord(const Lines& lines, std::string_view line, bool& pnnx) {
  Words words(line);
  Record record;
  record.type = words.Next();
  record.name = words.Next();
  const auto bottoms = ParseInt64(words.Next());
  const auto tops = ParseInt64(words.Next());
  if (!bottoms || !tops || *bottoms < 0 || *tops < 0)
    return Damaged(lines, Shown(line) + " is no layer: type, name, numbers of inputs and outputs");
  pnnx = pnnx || IsNamed(record.type);
  TRY(ReadNames(lines, words, *bottoms, record, record.bottoms));
  TRY(ReadNames(lines, words, *tops, record, record.tops));
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (pnnx) {
      AddNamed(word, record);
    } else {
      TRY(AddNumbered(lines, word, record));
    }
  }
  return record;
}

}  // namespace

Result<Layers> ReadText(Source& source) {
  Lines lines(source);
  TRY_ASSIGN(const auto magic, lines.Next());
  if (!magic || Words(*magic).Next() != kMagic)
    return Damaged(lines, "the first line is not 7767517: an old or foreign file");
  TRY_ASSIGN(const auto counts, lines.Next());
  if (!counts) return Error{"ncnn.truncated", "the file ends behind its first line", "line 2"};
  Words words(*counts);
  const auto layers = ParseInt64(words.Next());
  const auto blobs = ParseInt64(words.Next());
  if (!layers || !blobs || *layers < 0 || *blobs < 0)
    return Damaged(lines, "the second line has to give the numbers of layers and blobs");
  if (*layers > kMaxLayers || *blobs > kMaxBlobs)
    return Error{"ncnn.too-large", "more layers or blobs than opscope takes", lines.Place()};
  Layers out;
  while (static_cast<std::int64_t>(out.records.size()) < *layers) {
    TRY_ASSIGN(const auto line, lines.Next());
    if (!line)
      return Error{"ncnn.truncated",
                   "the file says " + std::to_string(*layers) + " layers and ends after " +
                       std::to_string(out.records.size()),
                   lines.Place()};
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    TRY_ASSIGN(Record record, ReadRecord(lines, *line, out.pnnx));
    out.records.push_back(std::move(record));
  }
  return out;
}

}  // namespace opscope::ncnn
