// What a run came to, as text for expectations.
#pragma once

#include <string>

#include "join/analysis.h"

namespace opscope {

// "wall 50 = layers 40 + runtime 3 + unmatched 0 + gap 7" in microseconds; "0.5" where needed.
inline std::string Microseconds(std::int64_t ns) {
  std::string text = std::to_string(ns / 1000);
  if (ns % 1000 == 0) return text;
  std::string part = std::to_string(1000 + ns % 1000).substr(1);
  while (part.back() == '0') part.pop_back();
  return text + "." + part;
}

inline std::string SumsText(const RunAnalysis& run) {
  const Reconciliation& sums = run.reconciliation;
  return "wall " + Microseconds(sums.wall_ns()) + " = layers " + Microseconds(sums.layers_ns()) +
         " + runtime " + Microseconds(sums.runtime_ns()) + " + unmatched " +
         Microseconds(sums.unmatched_ns()) + " + gap " + Microseconds(sums.gap_ns());
}

// One line a row: kind, path and name, op, calls, busy and wall in microseconds.
inline std::string RowsText(const RunAnalysis& run) {
  std::string text;
  for (const Row& row : run.rows) {
    text += std::string(Name(row.kind)) + " ";
    for (const std::string& container : row.path) text += container + "/";
    text += row.name + (row.op.empty() ? "" : " " + row.op) + " x" + std::to_string(row.calls) +
            " busy " + Microseconds(row.busy_ns) + " wall " + Microseconds(row.wall_ns) + "\n";
  }
  return text;
}

}  // namespace opscope
