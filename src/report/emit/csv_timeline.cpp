#include "report/emit/csv_timeline.h"

#include <string>
#include <utility>
#include <vector>

#include "report/emit/csv_line.h"

namespace opscope {

namespace {

template <class T>
constexpr bool kIsStruct = requires {
  T::kTitle;
};
template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

// The columns of a struct, as it lists its fields: "linked_busy_ns" for those of a struct inside.
// Lists have no place in a line.
class Titles {
 public:
  explicit Titles(Sink& sink, std::string prefix = "") : sink_(&sink), prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(std::string_view key, const T& value, const doc::Note& = {}) {
    if constexpr (kIsStruct<T>) {
      Titles inner(*sink_, prefix_ + std::string(key) + "_");
      T::Visit(inner, value);
    } else if constexpr (!kIsList<T>) {
      sink_->Append("," + prefix_);
      sink_->Append(key);
    }
  }
  template <class T>
  void Part(std::string_view key, const T& value, const doc::Note& = {}) {
    (*this)(key, value);
  }

 private:
  Sink* sink_;
  std::string prefix_;
};

class Cells {
 public:
  explicit Cells(CsvLine& line) : line_(&line) {}

  template <class T>
  void operator()(std::string_view, const T& value, const doc::Note& = {}) {
    if constexpr (kIsStruct<T>)
      T::Visit(*this, value);
    else if constexpr (!kIsList<T>)
      Cell(value);
  }
  template <class T>
  void Part(std::string_view key, const T& value, const doc::Note& = {}) {
    (*this)(key, value);
  }

 private:
  void Cell(const std::string& value) { line_->Text(value); }
  void Cell(const std::optional<std::string>& value) { line_->Maybe(value); }
  void Cell(std::int64_t value) { line_->Integer(value); }
  void Cell(const std::optional<std::int64_t>& value) { line_->Integer(value); }
  void Cell(const std::optional<double>& value) { line_->Real(value); }
  void Cell(bool value) { line_->Bool(value); }

  CsvLine* line_;
};

// One table: its header, and a line for each row.
template <class Row>
void Table(std::string_view name, const std::vector<Row>& rows, Sink& sink) {
  if (rows.empty()) return;
  sink.Append("\r\ntable");
  Titles titles(sink);
  Row::Visit(titles, rows.front());
  sink.Append("\r\n");
  CsvLine line(sink);
  Cells cells(line);
  for (const Row& row : rows) {
    line.Text(name);
    Row::Visit(cells, row);
    line.End();
  }
}

}  // namespace

void TimelineCsv(const doc::Run& run, Sink& sink) {
  if (!run.timeline) return;
  const doc::Timeline& timeline = *run.timeline;
  Table("devices", timeline.devices, sink);
  Table("threads", timeline.threads, sink);
  Table("steps", timeline.steps, sink);
  Table("gap_sums", timeline.gap_sums, sink);
  Table("gaps", timeline.gaps, sink);
  Table("copies", timeline.copies, sink);
  Table("repeated_uploads", timeline.repeated_uploads, sink);
  Table("kernels", timeline.kernels, sink);
  Table("ranges", timeline.ranges, sink);
  Table("ops", timeline.ops, sink);
  Table("op_shapes", timeline.op_shapes, sink);
  Table("ranks", timeline.ranks, sink);
  if (run.memory) Table("memory", run.memory->categories, sink);
}

}  // namespace opscope
