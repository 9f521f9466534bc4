#include "report/emit/view.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>

#include "base/checked.h"

namespace opscope {
namespace {

const doc::Run* TimingRun(const doc::Document& document) {
  const doc::Run* best = nullptr;
  for (const doc::Run& run : document.runs) {
    if (!run.latency || !run.latency->median) continue;
    if (best == nullptr || (run.role == "timing" && best->role != "timing")) best = &run;
  }
  return best;
}

const doc::Run* ProfileRun(const doc::Document& document) {
  for (const doc::Run& run : document.runs) {
    if (!run.events.empty()) return &run;
  }
  for (const doc::Run& run : document.runs) {
    if (run.timeline) return &run;
  }
  return nullptr;
}

std::int64_t UsedIterations(const doc::Run& run) {
  return run.iterations ? std::max<std::int64_t>(run.iterations->used, 1) : 1;
}

HotRow RowOf(const doc::Layer& layer) {
  HotRow row;
  row.name = layer.name;
  if (layer.name.empty()) row.fallback_name = "#" + std::to_string(layer.id);
  row.op = layer.op;
  row.layer = &layer;
  return row;
}

// Every layer in graph order, with its time where the profile run gave it one.
std::vector<HotRow> LayerRows(const doc::Document& document, const doc::Run* profile) {
  std::vector<HotRow> rows;
  if (!document.static_part) return rows;
  rows.reserve(document.static_part->layers.size());
  for (const doc::Layer& layer : document.static_part->layers) rows.push_back(RowOf(layer));
  if (profile == nullptr) return rows;
  std::unordered_map<std::int64_t, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows[i].layer->id, i);
  for (const doc::Joined& joined : document.joined) {
    const auto found = row_of.find(joined.layer);
    if (joined.run != profile->id || found == row_of.end()) continue;
    HotRow& row = rows[found->second];
    row.joined = &joined;
    row.time_ns = joined.median_ns;
    row.share = joined.share;
    row.estimated = joined.state == "estimated";
  }
  for (const doc::Event& event : profile->events) {
    for (const doc::LayerShare& share : event.layers) {
      const auto found = row_of.find(share.id);
      if (found != row_of.end() && rows[found->second].ran_as == nullptr)
        rows[found->second].ran_as = &event;
    }
  }
  return rows;
}

std::vector<HotRow> EventRows(const doc::Run& run) {
  std::vector<HotRow> rows;
  rows.reserve(run.events.size());
  for (const doc::Event& event : run.events) {
    HotRow row;
    row.name = event.name;
    if (event.name.empty())
      row.fallback_name = event.op.value_or("#" + std::to_string(rows.size()));
    if (event.op) row.op = *event.op;
    row.event = &event;
    if (event.calls > 0) row.time_ns = event.wall_ns.value_or(event.busy_ns) / UsedIterations(run);
    row.share = event.share;
    rows.push_back(std::move(row));
  }
  return rows;
}

// The row's MACs over all its executions.
std::optional<Int128> MacsOf(const doc::Layer& layer) {
  if (!layer.counts.macs || !layer.times) return std::nullopt;
  return CheckedMul<Int128>(*layer.counts.macs, *layer.times);
}

// A report may come from a file: sums that leave the range stay as they were.
template <class T>
void AddTo(T& sum, T value) {
  sum = CheckedAdd(sum, value).value_or(sum);
}

void ShareMacs(const doc::Document& document, std::vector<HotRow>& rows) {
  const doc::Count total = document.static_part->totals.counts.macs;
  if (!total || *total <= 0) return;
  for (HotRow& row : rows) {
    const std::optional<Int128> macs = MacsOf(*row.layer);
    if (macs) row.share = static_cast<double>(*macs) / static_cast<double>(*total);
  }
}

std::vector<HotRow> SortedByHeat(const std::vector<HotRow>& rows, bool measured) {
  const auto heat = [measured](const HotRow& row) -> double {
    if (!measured) return row.share.value_or(-1);
    const std::int64_t wall = row.joined != nullptr && row.joined->wall_ns ? *row.joined->wall_ns
                              : row.event != nullptr
                                  ? row.event->wall_ns.value_or(row.event->busy_ns)
                                  : -1;
    return static_cast<double>(wall);
  };
  // Rows are large: their places are sorted.
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(heat(rows[i]), i);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<HotRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [warmth, i] : order) sorted.push_back(rows[i]);
  return sorted;
}

class TypeTable {
 public:
  void Add(std::string_view op, std::int64_t wall_ns, Int128 macs) {
    TypeSlice& slice = slices_[op];
    slice.op = op;
    ++slice.count;
    AddTo(slice.wall_ns, wall_ns);
    AddTo(slice.macs, macs);
  }
  // Largest first; names decide between equals.
  std::vector<TypeSlice> Sorted(bool by_time) const {
    std::vector<TypeSlice> out;
    for (const auto& [op, slice] : slices_) out.push_back(slice);
    std::stable_sort(out.begin(), out.end(), [by_time](const TypeSlice& a, const TypeSlice& b) {
      return by_time ? a.wall_ns > b.wall_ns : a.macs > b.macs;
    });
    return out;
  }

 private:
  std::map<std::string_view, TypeSlice> slices_;
};

// Layers by op; without a model, rows of the profile by the op they name.
std::vector<TypeSlice> OpSlices(const View& view) {
  TypeTable table;
  for (const HotRow& row : view.by_layer) {
    const std::int64_t wall =
        row.joined != nullptr && row.joined->wall_ns ? *row.joined->wall_ns : 0;
    table.Add(row.op, wall, MacsOf(*row.layer).value_or(0));
  }
  if (!view.by_layer.empty() || view.profile == nullptr) return table.Sorted(view.measured);
  for (const doc::Event& event : view.profile->events) {
    if (event.kind != "layer" && event.kind != "container") continue;
    table.Add(event.op ? std::string_view(*event.op) : std::string_view("?"),
              event.wall_ns.value_or(event.busy_ns), 0);
  }
  return table.Sorted(true);
}

std::int64_t CountKind(const doc::Run& run, std::string_view kind) {
  return std::count_if(run.events.begin(), run.events.end(),
                       [kind](const doc::Event& event) { return event.kind == kind; });
}

std::vector<TypeSlice> TypeSlices(const View& view, const doc::Document& document) {
  std::vector<TypeSlice> slices = OpSlices(view);
  if (!view.measured) {
    const doc::Count total =
        document.static_part ? document.static_part->totals.counts.macs : std::nullopt;
    for (TypeSlice& slice : slices) {
      if (total && *total > 0)
        slice.share = static_cast<double>(slice.macs) / static_cast<double>(*total);
    }
    return slices;
  }
  const doc::Run& run = *view.profile;
  std::int64_t whole = 0;
  if (run.reconciliation) {
    const doc::Reconciliation& sums = *run.reconciliation;
    const auto add = [&slices](SliceKind kind, std::int64_t count, std::int64_t wall) {
      if (wall != 0) slices.push_back({kind, {}, count, wall, 0, 0});
    };
    add(SliceKind::kRuntime, CountKind(run, "runtime"), sums.runtime_ns);
    add(SliceKind::kUnmatched, CountKind(run, "unmatched"), sums.unmatched_ns);
    add(SliceKind::kGap, 0, sums.gap_ns.value_or(0));
    whole = sums.wall_ns.value_or(RowsNs(sums));
  }
  for (TypeSlice& slice : slices) {
    if (whole > 0) slice.share = static_cast<double>(slice.wall_ns) / static_cast<double>(whole);
  }
  return slices;
}

// Parts in printed units that add up to the rounded whole: what rounding down left goes to the
// parts that lost most.
template <std::size_t N>
std::array<std::int64_t, N> RoundedParts(const std::array<std::int64_t, N>& parts, Int128 divisor,
                                         std::int64_t whole) {
  std::array<std::int64_t, N> out{};
  std::array<std::size_t, N> order{};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < N; ++i) {
    out[i] = static_cast<std::int64_t>(parts[i] / divisor);
    sum += out[i];
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a] % divisor > parts[b] % divisor;
  });
  for (std::size_t i = 0; i < N && sum < whole; ++i, ++sum) ++out[order[i]];
  return out;
}

std::optional<Balance> MakeBalance(const doc::Run& run) {
  if (!run.reconciliation || !run.reconciliation->wall_ns) return std::nullopt;
  const doc::Reconciliation& sums = *run.reconciliation;
  const std::int64_t wall = *sums.wall_ns;
  const std::array<std::int64_t, 4> parts = {sums.layers_ns, sums.runtime_ns, sums.unmatched_ns,
                                             sums.gap_ns.value_or(0)};
  // A report from elsewhere that does not add up shows no balance.
  Int128 sum = 0;
  for (const std::int64_t part : parts) {
    if (part < 0) return std::nullopt;
    sum += part;
  }
  if (sum != wall) return std::nullopt;
  Balance out;
  out.iterations = UsedIterations(run);
  const std::int64_t mean = wall / out.iterations;
  // Four digits of the whole.
  for (std::int64_t bound = 10'000; bound <= mean && out.unit_ns < 100'000'000; bound *= 10)
    out.unit_ns *= 10;
  const Int128 divisor = Int128{out.iterations} * out.unit_ns;
  out.wall = static_cast<std::int64_t>((wall + divisor / 2) / divisor);
  const auto rounded = RoundedParts(parts, divisor, out.wall);
  out.layers = rounded[0];
  out.runtime = rounded[1];
  out.unmatched = rounded[2];
  out.gap = rounded[3];
  const double whole = wall > 0 ? static_cast<double>(wall) : 1;
  out.layers_share = static_cast<double>(parts[0]) / whole;
  out.runtime_share = static_cast<double>(parts[1]) / whole;
  out.unmatched_share = static_cast<double>(parts[2]) / whole;
  out.gap_share = static_cast<double>(parts[3]) / whole;
  return out;
}

}  // namespace

std::vector<TypeSlice> TopTypes(const View& view, std::size_t most) {
  std::vector<TypeSlice> out;
  TypeSlice other;
  other.kind = SliceKind::kOther;
  std::vector<TypeSlice> rest;
  for (const TypeSlice& slice : view.types) {
    if (slice.wall_ns == 0 && slice.macs == 0) continue;
    if (slice.kind != SliceKind::kOp) {
      rest.push_back(slice);
    } else if (out.size() < most) {
      out.push_back(slice);
    } else {
      other.count += slice.count;
      AddTo(other.wall_ns, slice.wall_ns);
      AddTo(other.macs, slice.macs);
      other.share += slice.share;
    }
  }
  if (other.count > 0) out.push_back(other);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::int64_t Clamped(Int128 value) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (value < kLeast) return kLeast;
  return value > kMost ? kMost : static_cast<std::int64_t>(value);
}

std::int64_t RowsNs(const doc::Reconciliation& sums) {
  return Clamped(Int128{sums.layers_ns} + sums.runtime_ns + sums.unmatched_ns);
}

View MakeView(const doc::Document& document) {
  View view;
  view.timing = TimingRun(document);
  view.profile = ProfileRun(document);
  view.by_layer = LayerRows(document, view.profile);
  view.measured = view.profile != nullptr;
  if (!view.by_layer.empty()) {
    if (!view.measured) ShareMacs(document, view.by_layer);
    view.rows = SortedByHeat(view.by_layer, view.measured);
  } else if (view.measured) {
    view.rows = SortedByHeat(EventRows(*view.profile), view.measured);
  }
  view.types = TypeSlices(view, document);
  if (view.profile != nullptr) {
    view.balance = MakeBalance(*view.profile);
    view.iterations = UsedIterations(*view.profile);
  }
  return view;
}

std::string BoundsText(const doc::Totals& totals) {
  std::string text;
  for (const auto& [name, bound] : totals.bounds) {
    text += (text.empty() ? "" : ", ") + name;
    if (const auto* number = std::get_if<std::int64_t>(&bound))
      text += " <= " + std::to_string(*number);
    if (const auto* formula = std::get_if<std::string>(&bound)) text += " <= " + *formula;
  }
  return text;
}

}  // namespace opscope
