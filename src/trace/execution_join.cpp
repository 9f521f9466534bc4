#include "trace/execution_join.h"

#include <string>
#include <unordered_map>

namespace opscope {

namespace {

// Calls found(event, record) for every event with a record of its name.
template <class Found>
ExecutionMatch ForEachMatch(const Trace& execution, const Trace& trace, Found found) {
  std::unordered_map<std::int64_t, const OpRecord*> records;
  for (const OpRecord& record : execution.op_records) records.emplace(record.record, &record);
  ExecutionMatch out;
  for (std::uint32_t event = 0; event < trace.record.size(); ++event) {
    if (trace.record[event] < 0) continue;
    ++out.events;
    const auto at = records.find(trace.record[event]);
    if (at == records.end()) continue;
    if (execution.text(at->second->name) != trace.name_of(event)) continue;
    ++out.matched;
    found(event, *at->second);
  }
  return out;
}

}  // namespace

ExecutionMatch MatchExecution(const Trace& execution, const Trace& trace) {
  return ForEachMatch(execution, trace, [](std::uint32_t, const OpRecord&) {});
}

void JoinExecution(const Trace& execution, Trace& trace) {
  std::unordered_map<std::uint32_t, std::uint32_t> known;  // ArgsId of either
  const ExecutionMatch match =
      ForEachMatch(execution, trace, [&](std::uint32_t event, const OpRecord& record) {
        const auto [at, is_new] =
            known.try_emplace(record.args.value, static_cast<std::uint32_t>(trace.args.size()));
        if (is_new) {
          OpArgs args = execution.args[record.args.index()];
          args.inputs = trace.strings.Intern(execution.text(args.inputs));
          args.outputs = trace.strings.Intern(execution.text(args.outputs));
          trace.args.push_back(args);
        }
        trace.event_args[event] = at->second;
      });
  trace.notes.push_back("shapes of " + std::to_string(match.matched) + " of " +
                        std::to_string(match.events) + " ops are those of " + execution.file);
}

}  // namespace opscope
