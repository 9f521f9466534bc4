#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/decimal.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/trimmed.h"
#include "trace/formats/key_averages/format.h"
#include "trace/formats/text_table.h"

namespace opscope::key_averages {

namespace {

using Number = std::optional<std::int64_t>;

constexpr std::string_view kDigits = "-0123456789.";

// "475.842us", "-8126.795us", "24.679s"; every cell has its own unit. "NaN", "--": absent.
Number Time(std::string_view cell) {
  const std::size_t unit = std::min(cell.find_first_not_of(kDigits), cell.size());
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits = {
      {{"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"ns", 1}}};
  for (const auto& [name, ns] : kUnits)
    if (cell.substr(unit) == name)
      if (const auto time = ParseDecimalTime(cell.substr(0, unit), ns)) return time->value;
  return std::nullopt;
}

// "130.28 KB", "-80.98 Kb", "0 b": powers of 1024, as precise as it was printed.
Number Bytes(std::string_view cell) {
  const std::size_t unit = std::min(cell.find_first_not_of(kDigits), cell.size());
  constexpr std::array<std::pair<char, std::int64_t>, 5> kUnits = {
      {{'b', 1}, {'k', 1 << 10}, {'m', 1 << 20}, {'g', 1 << 30}, {'t', std::int64_t{1} << 40}}};
  const std::string_view name = Trimmed(cell.substr(unit));
  if (name.empty()) return std::nullopt;
  const char first = static_cast<char>(name.front() | 0x20);
  for (const auto& [letter, bytes] : kUnits)
    if (letter == first)
      if (const auto size = ParseDecimalTime(cell.substr(0, unit), bytes)) return size->value;
  return std::nullopt;
}

// "Total KFLOPs": the number that its cells are multiplied with; nullopt: another title.
Number FlopsScale(std::string_view title) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kScales = {
      {{"Total FLOPs", 1},
       {"Total KFLOPs", 1'000},
       {"Total MFLOPs", 1'000'000},
       {"Total GFLOPs", 1'000'000'000},
       {"Total TFLOPs", 1'000'000'000'000},
       {"Total PFLOPs", 1'000'000'000'000'000}}};
  for (const auto& [name, scale] : kScales)
    if (title == name) return scale;
  return std::nullopt;
}

// "  327.680", "--".
Number Flops(std::string_view cell, std::int64_t scale) {
  const auto flops = ParseDecimalTime(cell, scale);
  return flops ? Number(flops->value) : std::nullopt;
}

enum class Field : std::uint8_t {
  kNone,
  kName,
  kCalls,
  kShapes,
  kSelfCpu,
  kCpu,
  kSelfDevice,
  kDevice,
  kSelfCpuBytes,
  kCpuBytes,
  kSelfDeviceBytes,
  kDeviceBytes,
  kFlops
};

// Devices are called CUDA, XPU, HPU, or whatever a plug-in is called.
Field MemoryField(std::string_view device, bool self) {
  if (device == "CPU") return self ? Field::kSelfCpuBytes : Field::kCpuBytes;
  return self ? Field::kSelfDeviceBytes : Field::kDeviceBytes;
}

// Titles of 1.0 ("CPU total", "Calls") to today ("Self CPU", "# of Calls").
Field FieldOf(std::string_view title) {
  if (title == "Name") return Field::kName;
  if (title == "# of Calls" || title == "Number of Calls" || title == "Calls") return Field::kCalls;
  if (title == "Input Shapes") return Field::kShapes;
  if (FlopsScale(title)) return Field::kFlops;
  const bool self = title.starts_with("Self ");
  if (self) title.remove_prefix(5);
  if (title.ends_with(" Mem")) return MemoryField(title.substr(0, title.size() - 4), self);
  if (title.find('%') != std::string_view::npos || title.ends_with(" avg")) return Field::kNone;
  const bool total = title.ends_with(" total");
  if (total) title.remove_suffix(6);
  if (!self && !total) return Field::kNone;
  if (title == "CPU") return self ? Field::kSelfCpu : Field::kCpu;
  if (title.find(' ') != std::string_view::npos) return Field::kNone;
  return self ? Field::kSelfDevice : Field::kDevice;
}

// Rows of devices stand among the ops: they have no time on the CPU.
EventKind KindOf(const SumRow& row, std::string_view name) {
  for (const std::string_view call : {"cuda", "hip", "cu", "ze"})
    if (name.starts_with(call) && name.size() > call.size() && name[call.size()] >= 'A' &&
        name[call.size()] <= 'Z')
      return EventKind::kApi;
  const bool on_device = row.self_device_ns.value_or(0) > 0 && row.cpu_ns.value_or(0) == 0;
  if (!on_device || name.starts_with("aten::")) return EventKind::kOp;
  if (name.starts_with("Memcpy")) return EventKind::kCopy;
  return name.starts_with("Memset") ? EventKind::kMemset : EventKind::kKernel;
}

class Table {
 public:
  Table(Trace& trace, ImportLog& log) : trace_(&trace), log_(&log) {}

  // False: what stands above the rule is no head of such a table.
  bool Begin(const std::vector<text_table::Column>& columns, std::string_view head) {
    const auto titles = text_table::Cells(head, columns, 0);
    fields_.clear();
    columns_ = columns;
    bool times = false;
    if (!titles) return false;
    for (const std::string_view title : *titles) {
      fields_.push_back(FieldOf(title));
      flops_scale_ = FlopsScale(title).value_or(flops_scale_);
      times = times || fields_.back() == Field::kCpu || fields_.back() == Field::kDevice;
    }
    const auto has = [&](Field field) {
      return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
    };
    return times && has(Field::kName) && has(Field::kCalls);
  }

  void Add(const TextLine& line) {
    const auto cells = text_table::Cells(line.text, columns_, 0);
    SumRow row;
    Number calls;
    std::string_view name;
    for (std::size_t i = 0; cells && i < cells->size(); ++i) {
      const std::string_view cell = (*cells)[i];
      if (fields_[i] == Field::kName) name = cell;
      if (fields_[i] == Field::kCalls) calls = ParseIntegral(cell);
      Set(fields_[i], cell, row);
    }
    if (name.empty() && cells) return;  // more of the call stack of the row above
    if (!calls || *calls < 0) {
      log_->Add(
          "torch-table.bad-row", Severity::kLoss, AtByte(line.offset),
          "a row without a number of calls is left out: " + Printable(line.text.substr(0, 80)));
      return;
    }
    row.calls = *calls;
    row.name = trace_->strings.Intern(name);
    row.kind = KindOf(row, name);
    rows_.push_back(row);
  }

  std::vector<SumRow> TakeRows() { return std::exchange(rows_, {}); }

 private:
  void Set(Field field, std::string_view cell, SumRow& row) {
    switch (field) {
      case Field::kShapes:
        row.inputs = trace_->strings.Intern(cell);
        break;
      case Field::kSelfCpu:
        row.self_cpu_ns = Time(cell);
        break;
      case Field::kCpu:
        row.cpu_ns = Time(cell);
        break;
      case Field::kSelfDevice:
        row.self_device_ns = Time(cell);
        break;
      case Field::kDevice:
        row.device_ns = Time(cell);
        break;
      case Field::kSelfCpuBytes:
        row.self_cpu_bytes = Bytes(cell);
        break;
      case Field::kCpuBytes:
        row.cpu_bytes = Bytes(cell);
        break;
      case Field::kSelfDeviceBytes:
        row.self_device_bytes = Bytes(cell);
        break;
      case Field::kDeviceBytes:
        row.device_bytes = Bytes(cell);
        break;
      case Field::kFlops:
        row.flops = Flops(cell, flops_scale_);
        break;
      default:
        break;
    }
  }

  Trace* trace_;
  ImportLog* log_;
  std::vector<text_table::Column> columns_;
  std::vector<Field> fields_;
  std::int64_t flops_scale_ = 1;
  std::vector<SumRow> rows_;
};

// The tables of a text. The same rows in another order, cut at another row, are one table; those of
// another run or by other keys (shapes, stacks) are not, and only the first counts.
class Tables {
 public:
  Tables(Trace& trace, ImportLog& log) : trace_(&trace), log_(&log) {}

  void Add(const std::vector<SumRow>& rows, std::uint64_t offset) {
    const bool first = !std::exchange(any_, true);
    if (!first && !IsSameRun(rows)) {
      log_->Add("torch-table.more", Severity::kNotice, AtByte(offset),
                "a table of another run, or by other keys than the first, is left out");
      return;
    }
    // By the names of the tables above: one may have several rows of a name.
    const std::set<Key> above = keys_;
    for (const SumRow& row : rows) {
      if (above.count(KeyOf(row)) > 0) continue;
      keys_.insert(KeyOf(row));
      numbers_.insert(NumbersOf(row));
      trace_->sums.push_back(row);
    }
  }
  bool any() const { return any_; }

 private:
  using Key = std::tuple<EventKind, Str, Str>;
  static Key KeyOf(const SumRow& row) { return {row.kind, row.name, row.inputs}; }

  using Numbers = std::tuple<Key, std::int64_t, Number, Number>;
  static Numbers NumbersOf(const SumRow& row) {
    return {KeyOf(row), row.calls, row.self_cpu_ns, row.cpu_ns};
  }

  // What both have agrees, and there is some of it.
  bool IsSameRun(const std::vector<SumRow>& rows) const {
    bool shared = false;
    for (const SumRow& row : rows) {
      if (keys_.count(KeyOf(row)) == 0) continue;
      shared = true;
      if (numbers_.count(NumbersOf(row)) == 0) return false;
    }
    return shared;
  }

  Trace* trace_;
  ImportLog* log_;
  bool any_ = false;
  std::set<Key> keys_;
  std::set<Numbers> numbers_;
};

// Above the first rule, its titles below it, the second rule, rows, the last rule.
enum class Part : std::uint8_t { kOutside, kHead, kRule, kRows };

class Reader {
 public:
  Reader(Trace& trace, ImportLog& log) : trace_(&trace), table_(trace, log), tables_(trace, log) {}

  void Take(const TextLine& line) {
    const std::vector<text_table::Column> rule = text_table::Rule(line.text);
    switch (part_) {
      case Part::kOutside:
        if (!rule.empty()) part_ = Part::kHead;
        columns_ = rule;
        Footer(line.text);
        break;
      case Part::kHead:
        part_ = table_.Begin(columns_, line.text) ? Part::kRule : Part::kOutside;
        begin_ = line.offset;
        break;
      case Part::kRule:
        part_ = rule.empty() ? Part::kOutside : Part::kRows;
        break;
      case Part::kRows:
        if (rule.empty()) return table_.Add(line);
        part_ = Part::kOutside;
        tables_.Add(table_.TakeRows(), begin_);
        break;
    }
  }
  // False: the last table has no end.
  bool Finish() {
    const bool ended = part_ == Part::kOutside || part_ == Part::kHead;
    if (!ended) tables_.Add(table_.TakeRows(), begin_);
    return ended;
  }
  bool found() const { return tables_.any(); }

 private:
  // "Self CPU time total: 24.679ms"
  void Footer(std::string_view text) {
    constexpr std::size_t kLongest = 200;
    if (tables_.any() && text.find(" time total: ") != std::string_view::npos &&
        text.size() < kLongest)
      trace_->notes.push_back("the table says: " + Printable(text));
  }

  Trace* trace_;
  Table table_;
  Tables tables_;
  Part part_ = Part::kOutside;
  std::vector<text_table::Column> columns_;
  std::uint64_t begin_ = 0;  // of the head of the table
};

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const bool calls = prefix.find("# of Calls") != std::string_view::npos ||
                     prefix.find("Number of Calls") != std::string_view::npos ||
                     prefix.find("  Calls") != std::string_view::npos;
  const bool times = prefix.find("CPU total") != std::string_view::npos;
  const bool rule = prefix.find("----  ----") != std::string_view::npos;
  return calls && times && rule ? TraceMatch::kYes : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kKeyAverages.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "none: the file holds sums";
  trace.producer.name = "pytorch";
  trace.whole_program = true;
  Reader reader(trace, context.log);
  Lines lines(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) break;
    reader.Take(*line);
  }
  if (!reader.Finish()) {
    trace.cut_at = trace.bytes;
    context.log.Add("trace.cut", Severity::kLoss, AtByte(trace.bytes),
                    "the table has no end: the rows in front of the cut are kept");
  } else if (!reader.found()) {
    return Error{"torch-table.none", "no table of the profiler is in the file", ""};
  }
  return trace;
}

}  // namespace opscope::key_averages
