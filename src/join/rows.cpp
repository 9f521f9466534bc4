#include "join/rows.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/interval.h"

namespace opscope {

namespace {

std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const {
    std::uint64_t hash = Mix(key.container, key.body);
    hash = Mix(hash, (std::uint64_t{key.name.value} << 32) | key.op.value);
    return Mix(hash, (std::uint64_t{key.provider.value} << 32) |
                         static_cast<std::uint32_t>(key.node_index));
  }
};

// Values of samples_ns over all rows: 64 MiB.
constexpr std::size_t kMaxSamples = 8 << 20;

bool IsOp(EventKind kind) { return kind == EventKind::kOp || kind == EventKind::kContainer; }
bool IsWork(EventKind kind) { return IsOp(kind) || kind == EventKind::kSync; }

// The work events of every used run, by begin, holders first.
std::vector<std::vector<std::uint32_t>> WorkOfRuns(const Trace& trace, const Runs& runs) {
  std::vector<std::uint32_t> depth(trace.size());
  std::vector<std::vector<std::uint32_t>> work(runs.windows.size());
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const EventId parent = trace.parent_of(event);
    if (parent.valid()) depth[event] = depth[parent.index()] + 1;
    const std::uint32_t run = runs.of[event];
    if (run != kNoRun && runs.windows[run].used && IsWork(trace.kind[event]))
      work[run].push_back(event);
  }
  for (auto& events : work)
    std::sort(events.begin(), events.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(trace.begin[a], depth[a], a) < std::tuple(trace.begin[b], depth[b], b);
    });
  return work;
}

// A number for each execution that tells which nodes lie directly in it: two bodies of one If have
// different numbers unless all their nodes have the same names, ops and indices.
std::vector<std::uint64_t> Signatures(const Trace& trace) {
  std::vector<std::uint64_t> signature(trace.size());
  for (std::size_t event = 0; event < trace.size(); ++event) {
    const EventId parent = trace.parent_of(event);
    if (!IsOp(trace.kind[event]) || !parent.valid()) continue;
    const OpArgs* args = trace.args_of(event);
    std::uint64_t node = Mix(1, trace.name[event].value);
    if (args != nullptr)
      node = Mix(Mix(node, args->op.value), static_cast<std::uint32_t>(args->node_index));
    signature[parent.index()] += node;  // a sum: the order of equal times does not count
  }
  return signature;
}

class Grouper {
 public:
  Grouper(const Trace& trace, RowTable& table)
      : trace_(&trace), table_(&table), row_of_(trace.size(), kNoRow) {
    signatures_ = Signatures(trace);
    holder_.resize(trace.size());
    for (std::uint32_t event = 0; event < trace.size(); ++event) {
      const EventId parent = trace.parent_of(event);
      if (!parent.valid()) continue;
      holder_[event] = IsOp(trace.kind[parent.index()]) ? parent : holder_[parent.index()];
    }
  }

  // The op that an event lies in; invalid outside bodies.
  EventId HolderOf(std::uint32_t event) const { return holder_[event]; }

  // Rows of holders must have been asked for before.
  std::uint32_t RowOf(std::uint32_t event) {
    if (row_of_[event] == kNoRow)
      row_of_[event] = trace_->kind[event] == EventKind::kSync ? Fences() : Find(event);
    return row_of_[event];
  }

 private:
  std::uint32_t Fences() {
    if (table_->fences != kNoRow) return table_->fences;
    table_->fences = Append({}, RowKind::kRuntime);
    Row& row = table_->rows.back();
    row.name = "fences";
    row.because = "synchronisation before and after each node (recorded up to version 1.20)";
    row.method = MatchMethod::kRuntimeName;
    row.confidence = Confidence::kExact;
    return table_->fences;
  }

  std::uint32_t Append(const RowKey& key, RowKind kind) {
    Row row;
    row.kind = kind;
    row.container = key.container;
    table_->keys.push_back(key);
    table_->rows.push_back(std::move(row));
    table_->samples.emplace_back();
    return static_cast<std::uint32_t>(table_->rows.size() - 1);
  }

  RowKey KeyOf(std::uint32_t event) {
    RowKey key;
    key.name = trace_->name[event];
    if (const OpArgs* args = trace_->args_of(event)) {
      key.op = args->op;
      key.provider = args->provider;
      key.node_index = args->node_index;
    }
    const EventId holder = holder_[event];
    if (!holder.valid()) return key;
    key.container = RowOf(holder.value);
    if (table_->rows[key.container].op == "If")
      key.body = signatures_[trace_->parent_of(event).index()];
    return key;
  }

  std::uint32_t Find(std::uint32_t event) {
    const RowKey key = KeyOf(event);
    const auto [place, is_new] =
        index_.try_emplace(key, static_cast<std::uint32_t>(table_->rows.size()));
    if (is_new) {
      Append(key,
             trace_->kind[event] == EventKind::kContainer ? RowKind::kContainer : RowKind::kLayer);
      Describe(event, table_->rows.back());
      if (key.container != kNoRow) table_->rows[key.container].kind = RowKind::kContainer;
    }
    return place->second;
  }

  void Describe(std::uint32_t event, Row& row) const {
    row.name = trace_->name_of(event);
    if (row.container != kNoRow) {
      row.path = table_->rows[row.container].path;
      row.path.push_back(table_->rows[row.container].name);
    }
    const OpArgs* args = trace_->args_of(event);
    if (args == nullptr) return;
    row.op = trace_->text(args->op);
    row.provider = trace_->text(args->provider);
    row.inputs = trace_->text(args->inputs);
    row.outputs = trace_->text(args->outputs);
    row.parameter_bytes = args->parameter_bytes;
    row.activation_bytes = args->activation_bytes;
    row.output_bytes = args->output_bytes;
    const std::string& types = row.inputs.empty() ? row.outputs : row.inputs;
    row.dtype = types.substr(0, types.find('['));
  }

  const Trace* trace_;
  RowTable* table_;
  std::vector<std::uint32_t> row_of_;
  std::vector<EventId> holder_;
  std::vector<std::uint64_t> signatures_;
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> index_;
};

// Shares the time of one run out among its work events.
class RunTime {
 public:
  RunTime(const Trace& trace, const RunWindow& window, Grouper& grouper, RowTable& table)
      : trace_(&trace), window_(&window), grouper_(&grouper), table_(&table) {}

  void Share(const std::vector<std::uint32_t>& events, std::uint32_t iteration) {
    std::unordered_map<std::uint32_t, std::vector<Interval>> bodies;
    for (const std::uint32_t event : events) {
      const std::uint32_t row = grouper_->RowOf(event);
      ++table_->rows[row].calls;
      table_->rows[row].busy_ns += trace_->duration(event);
      const EventId holder = grouper_->HolderOf(event);
      if (holder.valid()) bodies[holder.value].push_back(Clipped(event, row));
    }
    for (const std::uint32_t event : events) {
      const Interval whole = Clipped(event, grouper_->RowOf(event));
      const auto body = bodies.find(event);
      if (body == bodies.end())
        self_.push_back(whole);
      else
        for (const Interval& part : Subtract(whole, std::move(body->second))) self_.push_back(part);
    }
    const std::vector<std::int64_t> shares = ShareEqually(self_);
    for (std::size_t i = 0; i < self_.size(); ++i) {
      Add(self_[i].row, iteration, shares[i]);
      covered_ += shares[i];
    }
  }

  // What of the run no work covers: gap inside an execution, session code outside.
  void ShareRest(const std::vector<Interval>& executions, std::uint32_t iteration) {
    const std::int64_t wall = window_->end - window_->begin;
    if (executions.empty() || table_->session == kNoRow) {
      table_->gap_ns += wall - covered_;
      return;
    }
    std::vector<Interval> busy = self_;
    for (const Interval& execution : executions)
      busy.push_back({std::clamp(execution.begin, window_->begin, window_->end),
                      std::clamp(execution.end, window_->begin, window_->end), 0});
    const std::int64_t inside = UnionLength(std::move(busy));
    table_->gap_ns += inside - covered_;
    Add(table_->session, iteration, wall - inside);
    table_->rows[table_->session].busy_ns += wall - inside;
    ++table_->rows[table_->session].calls;
  }

 private:
  Interval Clipped(std::uint32_t event, std::uint32_t row) const {
    return {std::clamp(trace_->begin[event], window_->begin, window_->end),
            std::clamp(trace_->end[event], window_->begin, window_->end), row};
  }

  void Add(std::uint32_t row, std::uint32_t iteration, std::int64_t ns) {
    std::vector<Sample>& samples = table_->samples[row];
    if (samples.empty() || samples.back().iteration != iteration) samples.push_back({iteration, 0});
    samples.back().ns += ns;
    table_->rows[row].wall_ns += ns;
  }

  const Trace* trace_;
  const RunWindow* window_;
  Grouper* grouper_;
  RowTable* table_;
  std::vector<Interval> self_;
  std::int64_t covered_ = 0;
};

// Executions of whole graphs, by run: those that no op holds.
std::vector<std::vector<Interval>> ExecutionsOfRuns(const Trace& trace, const Runs& runs,
                                                    const Grouper& grouper) {
  std::vector<std::vector<Interval>> executions(runs.windows.size());
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    if (trace.kind[event] == EventKind::kExecute && runs.of[event] != kNoRun &&
        !grouper.HolderOf(event).valid())
      executions[runs.of[event]].push_back({trace.begin[event], trace.end[event], 0});
  return executions;
}

std::uint32_t AddSessionRow(RowTable& table) {
  Row row;
  row.kind = RowKind::kRuntime;
  row.name = "session";
  row.because = "model_run outside Execute: checks, feeds and fetches";
  row.method = MatchMethod::kRuntimeName;
  row.confidence = Confidence::kExact;
  table.keys.push_back({});
  table.rows.push_back(std::move(row));
  table.samples.emplace_back();
  return static_cast<std::uint32_t>(table.rows.size() - 1);
}

}  // namespace

RowTable GroupRows(const Trace& trace, const Runs& runs) {
  RowTable table;
  Grouper grouper(trace, table);
  const auto work = WorkOfRuns(trace, runs);
  // All rows first: an instant's odd nanosecond goes to the lowest row.
  for (const auto& events : work)
    for (const std::uint32_t event : events) grouper.RowOf(event);
  const auto executions = ExecutionsOfRuns(trace, runs, grouper);
  if (runs.has_sessions) table.session = AddSessionRow(table);
  std::uint32_t iteration = 0;
  for (std::size_t run = 0; run < runs.windows.size(); ++run) {
    if (!runs.windows[run].used) continue;
    RunTime time(trace, runs.windows[run], grouper, table);
    time.Share(work[run], iteration);
    time.ShareRest(executions[run], iteration++);
  }
  return table;
}

void FillSamples(std::int64_t iterations, RowTable& table) {
  const auto count = static_cast<std::size_t>(iterations);
  if (table.rows.empty() || count > kMaxSamples / table.rows.size()) return;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (!table.typical_ns.empty() && table.samples[row].empty()) continue;  // only sums are known
    std::vector<std::int64_t>& dense = table.rows[row].samples_ns;
    dense.assign(count, 0);
    for (const Sample& sample : table.samples[row]) dense[sample.iteration] = sample.ns;
  }
}

std::int64_t MedianOf(const std::vector<Sample>& samples, std::int64_t iterations) {
  if (iterations == 0) return 0;
  std::vector<std::int64_t> values;
  values.reserve(samples.size());
  for (const Sample& sample : samples) values.push_back(sample.ns);
  std::sort(values.begin(), values.end());
  const std::int64_t zeros = iterations - static_cast<std::int64_t>(values.size());
  const auto at = [&](std::int64_t rank) {
    return rank < zeros ? 0 : values[static_cast<std::size_t>(rank - zeros)];
  };
  const std::int64_t low = at((iterations - 1) / 2), high = at(iterations / 2);
  return low + (high - low + 1) / 2;
}

}  // namespace opscope
