// Raw: a list of [time in ns or -1, action, bytes with sign, category]:
//   [[-1, 1, 37888, 7], [1696966047096102365, 4, -512, 7], …]
// Coalesced: two lists, times in us and what each category held then (the first number is unused):
//   [[1696966032111, …], [[0, 37888, 0, 0, 0, 0, 0, 0, 0], …]]
#include <algorithm>
#include <array>
#include <string>

#include "base/checked.h"
#include "base/json_reader.h"
#include "trace/formats/torch_memory/format.h"

namespace opscope::torch_memory {

namespace {

// In the order of torch's own index.
constexpr std::array<std::string_view, 8> kCategories = {
    "parameter",  "optimizer state", "input",           "temporary",
    "activation", "gradient",        "autograd detail", "unknown"};
// 1 = was there before, 2 = created, 3 = new version, 4 = destroyed.
constexpr std::int64_t kFirstAction = 1, kNewVersion = 3, kLastAction = 4;
constexpr std::int64_t kMicrosecond = 1000;

class Reader {
 public:
  Reader(Source& source, Trace& trace, ImportLog& log)
      : json_(source), trace_(&trace), log_(&log) {}

  Result<void> Run() {
    TRY(json_.Expect(JsonKind::kBeginArray));
    TRY(json_.ForEachElement([&](const JsonToken& first) -> Result<void> {
      if (first.kind != JsonKind::kBeginArray) return Bad(first);
      ++lists_;
      // The second list of a coalesced file holds lists.
      const std::uint64_t offset = first.offset;
      TRY(Numbers());
      if (nested_) return {};
      // Four numbers are a change when the second is an action; a time is larger.
      if (lists_ == 1 && (numbers_.size() != 4 || numbers_[1] > kLastAction)) {
        times_ = numbers_;
        coalesced_ = true;
        return {};
      }
      return Raw(offset);
    }));
    return {};
  }
  // Before the first time: what was there when the recording began.
  void Finish() {
    std::int64_t first = 0;
    for (const MemoryChange& change : trace_->memory)
      if (change.at >= 0) {
        first = change.at;
        break;
      }
    for (MemoryChange& change : trace_->memory)
      if (change.at < 0) change.at = first;
    std::stable_sort(trace_->memory.begin(), trace_->memory.end(),
                     [](const MemoryChange& a, const MemoryChange& b) { return a.at < b.at; });
  }

 private:
  Result<void> Bad(const JsonToken& token) {
    log_->Add("torch-memory.bad-entry", Severity::kLoss, AtByte(token.offset),
              "an entry that is no list of numbers is left out");
    return {};
  }

  // The numbers of the list just begun; lists in it are rows of a coalesced file.
  Result<void> Numbers() {
    numbers_.clear();
    nested_ = false;
    return json_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (token.kind == JsonKind::kBeginArray) {
        nested_ = true;
        return Row();
      }
      numbers_.push_back(token.AsInt64().value_or(-1));
      return {};
    });
  }

  Result<void> Row() {
    std::array<std::int64_t, kCategories.size()> held{};
    std::size_t column = 0;
    TRY(json_.ForEachElement([&](const JsonToken& token) -> Result<void> {
      if (column >= 1 && column <= held.size())
        held[column - 1] = token.AsInt64().value_or(held_[column - 1]);
      ++column;
      return {};
    }));
    if (row_ >= times_.size()) return {};
    const auto at = CheckedMul(times_[row_++], kMicrosecond);
    if (!at) return {};
    // What shrank goes first: memory that only changed its category is no peak.
    for (const bool shrinks : {true, false})
      for (std::size_t i = 0; i < held.size(); ++i) {
        const auto delta = CheckedSub(held[i], held_[i]);
        if (delta && *delta != 0 && (*delta < 0) == shrinks) Add(*at, *delta, i, true);
      }
    held_ = held;
    return {};
  }

  Result<void> Raw(std::uint64_t offset) {
    const bool good = !coalesced_ && numbers_.size() == 4 && numbers_[1] >= kFirstAction &&
                      numbers_[1] <= kLastAction && numbers_[3] >= 0 &&
                      numbers_[3] < static_cast<std::int64_t>(kCategories.size());
    if (!good) {
      log_->Add("torch-memory.bad-entry", Severity::kLoss, AtByte(offset),
                "an entry that is no change of memory is left out");
      return {};
    }
    Add(numbers_[0], numbers_[2], static_cast<std::size_t>(numbers_[3]),
        numbers_[1] == kNewVersion);
    return {};
  }

  void Add(std::int64_t at, std::int64_t bytes, std::size_t category, bool moved) {
    MemoryChange change;
    change.at = at;
    change.bytes = bytes;
    change.device_type = -1;
    change.category = static_cast<std::int32_t>(category);
    change.moved = moved;
    trace_->memory.push_back(change);
  }

  JsonReader json_;
  Trace* trace_;
  ImportLog* log_;
  std::vector<std::int64_t> numbers_, times_;
  std::array<std::int64_t, kCategories.size()> held_{};
  std::size_t row_ = 0;
  std::int64_t lists_ = 0;
  bool nested_ = false, coalesced_ = false;
};

}  // namespace

// Raw: every entry of the beginning fits. Coalesced: the first list holds times that rise.
TraceMatch Probe(std::string_view prefix, std::uint64_t size) {
  const std::size_t first = prefix.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || prefix[first] != '[') return TraceMatch::kNo;
  const std::size_t second = prefix.find_first_not_of(" \t\r\n", first + 1);
  if (second == std::string_view::npos || prefix[second] != '[') return TraceMatch::kNo;
  // Of a prefix that is cut in the middle what stands in front of the cut counts.
  const std::size_t end = size > prefix.size() ? prefix.rfind(',') : prefix.size();
  JsonReader json(prefix.substr(0, end));
  std::vector<std::int64_t> numbers;
  if (!json.Next().has_value() || !json.Next().has_value()) return TraceMatch::kNo;
  for (auto token = json.Next(); token.has_value() && token->kind == JsonKind::kNumber;
       token = json.Next()) {
    const auto number = token->AsInt64();
    if (!number) return TraceMatch::kNo;
    numbers.push_back(*number);
  }
  if (numbers.size() == 4 && numbers[0] >= -1 && numbers[1] >= kFirstAction &&
      numbers[1] <= kLastAction && numbers[3] >= 0 &&
      numbers[3] < static_cast<std::int64_t>(kCategories.size()))
    return TraceMatch::kYes;
  constexpr std::int64_t kYear2001 = 1'000'000'000'000'000;  // in us
  const bool rises = std::is_sorted(numbers.begin(), numbers.end());
  return !numbers.empty() && rises && numbers.front() >= kYear2001 ? TraceMatch::kYes
                                                                   : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kTorchMemory.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "nanoseconds since 1970";
  trace.producer.name = "pytorch";
  trace.whole_program = true;
  for (const std::string_view category : kCategories)
    trace.memory_categories.push_back(trace.strings.Intern(category));
  Reader reader(context.source, trace, context.log);
  const Result<void> read = reader.Run();
  if (!read.has_value()) {
    if (trace.memory.empty()) return read.error();
    trace.cut_at = trace.bytes;
    context.log.Add("trace.cut", Severity::kLoss, read.error().place,
                    "the list is damaged or cut: " + std::to_string(trace.memory.size()) +
                        " changes in front of that are kept");
  }
  reader.Finish();
  return trace;
}

}  // namespace opscope::torch_memory
