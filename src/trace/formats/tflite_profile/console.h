// The lines of benchmark_model's console, or of its CSV, into a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/import_log.h"
#include "trace/formats/tflite_profile/op_row.h"
#include "trace/trace.h"

namespace opscope::tflite_profile {

class Console {
 public:
  void Take(std::string_view line, std::uint64_t offset, ImportLog& log);
  bool empty() const { return ops_.rows.empty(); }
  void Fill(Trace& trace, ImportLog& log);

 private:
  // A "Run Order" table, with what its section says of runs.
  struct Section {
    std::vector<OpRow> rows;
    std::int64_t runs = 1;
    std::int64_t run_ns = 0;  // mean sum of one run
  };
  enum class Part : std::uint8_t { kInit, kOps, kInner, kBodies };

  bool Heading(std::string_view text);
  bool Table(std::string_view text, std::uint64_t offset, ImportLog& log);
  void Timings(std::string_view text);
  void Inference(std::string_view text);
  void Delegates(std::string_view text);
  Section* Current();
  std::int64_t TotalOf(const OpRow& row, const Section& section) const;
  RuntimeRow RowOf(const OpRow& row, const Section& section, Trace& trace) const;
  void AddInner(std::int32_t delegate, ProfileBuilder& builder, Trace& trace, ImportLog& log);
  void Notes(Trace& trace) const;

  Part part_ = Part::kOps;
  bool run_order_ = true;  // the table under this title is read, the others repeat it
  bool in_table_ = false;
  bool csv_ = false;
  OpColumns columns_;
  Section ops_, inner_;
  std::int64_t measured_runs_ = 0, body_rows_ = 0;
  std::optional<std::int64_t> inference_ns_, setup_ns_;
  std::vector<std::string> delegated_;  // lines that say what a delegate took, as printed
  bool dropped_ = false;
};

}  // namespace opscope::tflite_profile
