#include "trace/sums.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/checked.h"

namespace opscope {

namespace {

using Number = std::optional<std::int64_t>;

Number Sum(Number a, Number b) { return a && b ? Number(SaturatingAdd(*a, *b)) : std::nullopt; }

void Join(const SumRow& from, SumRow& into) {
  into.calls = SaturatingAdd(into.calls, from.calls);
  into.self_cpu_ns = Sum(into.self_cpu_ns, from.self_cpu_ns);
  into.cpu_ns = Sum(into.cpu_ns, from.cpu_ns);
  into.self_device_ns = Sum(into.self_device_ns, from.self_device_ns);
  into.device_ns = Sum(into.device_ns, from.device_ns);
  for (const auto number : {&SumRow::bytes, &SumRow::flops, &SumRow::self_cpu_bytes,
                            &SumRow::cpu_bytes, &SumRow::self_device_bytes, &SumRow::device_bytes})
    into.*number = Sum(into.*number, from.*number);
  const auto better = [](Number& known, Number other, bool smaller) {
    known = known && other ? Number(smaller ? std::min(*known, *other) : std::max(*known, *other))
                           : std::nullopt;
  };
  better(into.shortest_ns, from.shortest_ns, true);
  better(into.longest_ns, from.longest_ns, false);
}

std::vector<SumRow>& TableOf(EventKind kind, SumTables& out) {
  switch (kind) {
    case EventKind::kKernel:
      return out.kernels;
    case EventKind::kCopy:
    case EventKind::kMemset:
      return out.copies;
    case EventKind::kAnnotation:
      return out.ranges;
    default:
      return out.ops;
  }
}

// Rows by (kind, name, shapes) in the order of their first.
class Rows {
 public:
  void Add(const SumRow& row, std::vector<SumRow>& table) {
    const auto [at, is_new] = place_.try_emplace({row.kind, row.name, row.inputs}, table.size());
    if (is_new)
      table.push_back(row);
    else
      Join(row, table[at->second]);
  }

 private:
  std::map<std::tuple<EventKind, Str, Str>, std::size_t> place_;
};

void Sort(const Trace& trace, std::vector<SumRow>& rows) {
  const auto key = [&](const SumRow& row) {
    return std::tuple(-row.self_device_ns.value_or(0), -row.self_cpu_ns.value_or(0),
                      -row.cpu_ns.value_or(0), -row.calls, trace.text(row.name),
                      trace.text(row.inputs));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const SumRow& a, const SumRow& b) { return key(a) < key(b); });
}

}  // namespace

SumTables SumByName(const Trace& trace) {
  SumTables out;
  Rows names, shapes;
  for (const SumRow& row : trace.sums) {
    SumRow unshaped = row;
    unshaped.inputs = Str{0};
    std::vector<SumRow>& table = TableOf(row.kind, out);
    names.Add(unshaped, table);
    if (&table == &out.ops && row.inputs.value != 0) shapes.Add(row, out.op_shapes);
  }
  for (std::vector<SumRow>* table :
       {&out.ops, &out.op_shapes, &out.kernels, &out.copies, &out.ranges})
    Sort(trace, *table);
  return out;
}

}  // namespace opscope
