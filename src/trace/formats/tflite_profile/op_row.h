// A row of a table of ops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::tflite_profile {

struct OpRow {
  std::string type;                      // "CONV_2D", "TfLiteXNNPackDelegate"
  std::string name;                      // as printed
  std::string tensors;                   // "a, b" of "[a, b]:64"
  std::int32_t index = -1;               // of the node, or of the operator inside its delegate
  std::optional<std::int64_t> start_ns;  // in the run; only old releases print it
  std::int64_t mean_ns = 0;              // of one call
  std::int64_t share_millionths = 0;     // of the run's sum
  std::int64_t calls = 0;                // in one run, rounded down: 0 = not in every run

  bool is_delegate() const;
};

// Columns by their titles, separated by tabs (the table) or ", " (CSV):
//   \t [node type]\t [first]\t [avg ms]\t [%]\t [cdf%]\t [mem KB]\t[times called]\t[Name]
//   node type, first, avg_ms, %, cdf%, mem KB, times called, name
class OpColumns {
 public:
  // False: no such header.
  bool Begin(std::string_view header);
  std::optional<OpRow> Row(std::string_view line) const;
  bool summary() const { return summary_; }  // rows are types, not ops

 private:
  enum class Field : std::uint8_t { kOther, kType, kStart, kMean, kShare, kCalls, kName };
  static Field FieldOf(std::string_view title);
  std::vector<std::string_view> Cells(std::string_view line) const;

  std::vector<Field> fields_;
  bool tabs_ = true, summary_ = false;
};

// "[out:0, b;c]:64" -> tensors "out:0, b;c", index 64. Names may hold "]:", so that the last
// counts; before TF 2.4 there is no index.
void SplitName(OpRow& row);

}  // namespace opscope::tflite_profile
