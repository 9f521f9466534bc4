//   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
//   62.0,31121662,248,125490.6,125344.0,124896,128032,401.1,sm80_xmma_gemm_f32f32
// --format json:
//   [{"Time (%)": 62.0, "Total Time (ns)": 31121662, "Instances": 248, "Name": "sm80_xmma"}]
#include "base/json_reader.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/trimmed.h"
#include "trace/formats/nsys_stats/format.h"
#include "trace/formats/nsys_stats/report.h"
#include "trace/formats/text_table.h"

namespace opscope::nsys_stats {

namespace {

// Cells of a line of text with a separator, '|' included ("| 62.0 | 31121662 |").
std::vector<std::string> CellsOf(std::string_view line, char separator) {
  if (separator == '|' && line.starts_with('|')) line.remove_prefix(1);
  if (separator == '|' && line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string> cells = text_table::Separated(line, separator);
  for (std::string& cell : cells) cell = std::string(Trimmed(cell));
  return cells;
}

char SeparatorOf(std::string_view line) {
  for (const char separator : {'\t', '|', ','})
    if (line.find(separator) != std::string_view::npos) return separator;
  return '\0';
}

class Reader {
 public:
  Reader(Trace& trace, ImportLog& log) : rows_(trace, log), log_(&log) {}

  void Take(const TextLine& line) {
    if (Trimmed(line.text).empty()) return Blank();
    if (in_columns_ && Rule(line)) return;
    if (line.text.starts_with("+-")) return;  // the frame of a table of `--format table`
    if (IsHead(line)) return;
    rows_.Add(report_, Row(line.text), line.offset);
  }
  // A report of `--format json`: a list of flat objects, whose keys are the titles. Gives where it
  // ends.
  Result<std::uint64_t> TakeList(Source& source, std::uint64_t offset) {
    JsonReader json(source, offset);
    Blank();
    titles_.clear();
    const Result<void> read = [&]() -> Result<void> {
      TRY(json.Expect(JsonKind::kBeginArray));
      return json.ForEachElement(
          [&](const JsonToken& token) -> Result<void> { return TakeObject(json, token); });
    }();
    Blank();
    if (read.has_value()) return json.offset();
    if (!found_) return read.error();
    log_->Add("trace.cut", Severity::kLoss, read.error().place,
              "a report is damaged or cut: the rows in front of that are kept");
    return source.size();
  }
  void Finish() { rows_.Finish(); }
  bool found() const { return found_; }

 private:
  // A blank line ends a report, except the one between a title and its header.
  void Blank() {
    report_ = Report();
    columns_.clear();
    in_columns_ = false;
  }

  bool Begin(const std::vector<std::string>& titles, std::string_view head, std::uint64_t offset) {
    const Report report(titles);
    if (report.kind() == ReportKind::kNone) return false;
    report_ = report;
    found_ = true;
    if (report.kind() == ReportKind::kOther)
      log_->Add("nsys-stats.other-report", Severity::kNotice, AtByte(offset),
                "a report that is not read: " + Printable(head.substr(0, 80)));
    return true;
  }

  Result<void> TakeObject(JsonReader& json, const JsonToken& object) {
    if (object.kind != JsonKind::kBeginObject) return {};
    std::vector<std::string> titles, cells;
    std::string head;
    TRY(json.ForEachField([&](std::string_view key) -> Result<void> {
      titles.emplace_back(key);
      cells.emplace_back();
      head += (head.empty() ? "" : ",") + titles.back();
      TRY_ASSIGN(const JsonToken value, json.Next());
      if (value.kind != JsonKind::kString && value.kind != JsonKind::kNumber)
        return json.Skip(value);
      cells.back() = value.text;
      return {};
    }));
    if (titles != titles_ && !Begin(titles, head, object.offset)) return {};
    titles_ = std::move(titles);
    rows_.Add(report_, cells, object.offset);
    return {};
  }

  bool IsHead(const TextLine& line) {
    if (report_.kind() != ReportKind::kNone) return false;
    separator_ = SeparatorOf(line.text);
    if (separator_ != '\0' && Begin(CellsOf(line.text, separator_), line.text, line.offset))
      return true;
    in_columns_ = true;  // perhaps the titles of columns; the rule below them will tell
    above_ = std::string(line.text);
    above_at_ = line.offset;
    return true;
  }

  bool Rule(const TextLine& line) {
    const auto columns = text_table::Rule(line.text);
    if (columns.empty()) return false;
    const auto titles = text_table::Cells(above_, columns, columns.size() - 1);
    if (!titles) return false;
    if (!Begin(std::vector<std::string>(titles->begin(), titles->end()), above_, above_at_))
      return false;
    columns_ = columns;
    in_columns_ = false;
    return true;
  }

  std::vector<std::string> Row(std::string_view text) const {
    if (columns_.empty()) return CellsOf(text, separator_);
    const auto cells = text_table::Cells(text, columns_, report_.name_column());
    return cells ? std::vector<std::string>(cells->begin(), cells->end())
                 : std::vector<std::string>();
  }

  Rows rows_;
  ImportLog* log_;
  Report report_;
  std::vector<text_table::Column> columns_;  // empty: cells are separated by `separator_`
  char separator_ = '\0';
  bool in_columns_ = false, found_ = false;
  std::vector<std::string> titles_;  // of a list of objects
  std::string above_;
  std::uint64_t above_at_ = 0;
};

bool HoldsReport(std::string_view prefix) {
  const auto has = [&](std::string_view words) {
    return prefix.find(words) != std::string_view::npos;
  };
  const bool share = has("Time (%)") || has("Time(%)");
  const bool sum = share && has("Total Time") &&
                   (has("Instances") || has("Num Calls") || has("Operation") || has("Count"));
  const bool sizes = has("Total (") && has("Count") && has("Operation");
  const bool trace = has("Start (") && has("Duration (") && (has("CorrI") || has("Strm"));
  return sum || sizes || trace || (has("Total Proj Time") && has("Range")) ||
         (has("KAvg (") && has("Kernel Name")) || (has("Kern Inst") && has("NVTX Range"));
}

// "[", "[{" or "[ {" at the begin of a line.
bool BeginsList(std::string_view line) {
  const std::string_view text = Trimmed(line);
  if (!text.starts_with('[')) return false;
  const std::string_view rest = Trimmed(text.substr(1));
  return rest.empty() || rest.front() == '{';
}

}  // namespace

TraceMatch Probe(std::string_view prefix, std::uint64_t /*size*/) {
  const std::size_t first = prefix.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool json = first != std::string_view::npos && prefix[first] == '{';
  const bool binary = prefix.find('\0') != std::string_view::npos;
  return !json && !binary && HoldsReport(prefix) ? TraceMatch::kYes : TraceMatch::kNo;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kNsysStats.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "nanoseconds since the session began, where the file holds times";
  trace.producer.name = "nsys";
  trace.whole_program = true;
  Reader reader(trace, context.log);
  Lines lines(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) break;
    if (BeginsList(line->text)) {
      const std::uint64_t begin = line->offset + line->text.find('[');
      TRY_ASSIGN(const std::uint64_t end, reader.TakeList(context.source, begin));
      lines = Lines(context.source, end);
    } else {
      reader.Take(*line);
    }
  }
  reader.Finish();
  if (!reader.found())
    return Error{"nsys-stats.none", "no header of a report of `nsys stats` is in the file", ""};
  return trace;
}

}  // namespace opscope::nsys_stats
