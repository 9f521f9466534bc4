// What the outputs for people show, worked out once from a Document: which run is quoted, layers
// in order of heat, time by op type, a balance of one iteration that adds up as printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opscope/document.h"

namespace opscope {

// A layer with its time; a row of the profile where no model was given.
struct HotRow {
  std::string_view name;  // "#12" of an unnamed layer stands in `fallback_name`
  std::string fallback_name;
  std::string_view op;
  const doc::Layer* layer = nullptr;
  const doc::Joined* joined = nullptr;
  const doc::Event* event = nullptr;    // the row itself, where no model was given
  const doc::Event* ran_as = nullptr;   // the first row that covers the layer
  std::optional<std::int64_t> time_ns;  // of one iteration
  std::optional<double> share;          // of the wall; of the MACs when nothing was measured
  bool estimated = false;

  std::string_view shown_name() const { return name.empty() ? fallback_name : name; }
};

enum class SliceKind : std::uint8_t { kOp, kOther, kRuntime, kUnmatched, kGap };

// Everything of one op type; what is not an op closes the list, so that wall times add up.
struct TypeSlice {
  SliceKind kind = SliceKind::kOp;
  std::string_view op;
  std::int64_t count = 0;  // layers or rows
  std::int64_t wall_ns = 0;
  Int128 macs = 0;  // of those that are known
  double share = 0;
};

// Parts of the mean iteration; each is the sum of the report divided by the used iterations, in
// units of `unit_ns`, rounded so that the printed parts add up to the printed wall.
struct Balance {
  std::int64_t iterations = 0;
  std::int64_t unit_ns = 1;
  std::int64_t wall = 0, layers = 0, runtime = 0, unmatched = 0, gap = 0;
  double layers_share = 0, runtime_share = 0, unmatched_share = 0, gap_share = 0;
};

struct View {
  const doc::Run* timing = nullptr;   // whose latency is quoted
  const doc::Run* profile = nullptr;  // whose rows are shown
  std::vector<HotRow> rows;           // hottest first, then in graph order
  std::vector<HotRow> by_layer;       // every layer in graph order; empty without a model
  std::vector<TypeSlice> types;
  std::optional<Balance> balance;
  std::int64_t iterations = 1;  // that sums of the profile are of
  bool measured = false;        // rows carry times
};

// A sum as a time; reports may come from files, so that sums are made wide and cut here.
std::int64_t Clamped(Int128 value);
// layers + runtime + unmatched.
std::int64_t RowsNs(const doc::Reconciliation& sums);

View MakeView(const doc::Document& document);

// The first `most` op types, all others as one, then what is no op; empty slices are left out.
std::vector<TypeSlice> TopTypes(const View& view, std::size_t most);

// "count(NonZero_3) <= N*64, trips(Loop_1)": sizes that only the data decide, and their bounds.
std::string BoundsText(const doc::Totals& totals);

}  // namespace opscope
