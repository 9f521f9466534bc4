// One event of a profile as it stands in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opscope::ort {

struct Record {
  std::string category;  // Session, Node, Kernel, Api
  std::string name;      // raw, with its "_kernel_time"
  std::string phase;     // "X"
  std::int64_t pid = 0, tid = 0;
  std::int64_t begin_ns = 0, duration_ns = 0;
  // Arguments; empty or -1 = not there.
  std::string op, provider, inputs, outputs, parent_name;  // inputs, outputs: JSON arrays
  std::int64_t node_index = -1, output_bytes = -1, activation_bytes = -1, parameter_bytes = -1;
  std::int64_t stream = -1;
  bool has_graph_index = false;  // graph_index, exec_plan_index
  bool has_memory = false;       // mem_*
  bool odd_name = false;         // holds what JSON would have escaped
  bool bad_time = false;         // ts or dur missing or beyond 64 bits
};

enum class ParseState : std::uint8_t { kOk, kTruncated, kDamaged };

struct Parsed {
  ParseState state = ParseState::kDamaged;
  std::size_t used = 0;  // bytes of the text up to the end of the event
};

// An event as ONNX Runtime writes it: fixed key order, odd blanks, names unescaped. kDamaged also
// for anything that was written by somebody else.
Parsed ParseNative(std::string_view text, Record& record);
// An event as any JSON writer may write it, keys in any order.
Parsed ParseJson(std::string_view text, Record& record);

// Stores one argument that something reads; others are ignored. `value` is the text of a string,
// a number or a raw array.
void SetArgument(std::string_view key, std::string_view value, Record& record);

// [{"float":[1,3,224,224]},{"int64":[]}]  ->  "float32[1,3,224,224] int64[]"
std::string TypesAndShapes(std::string_view array);

}  // namespace opscope::ort
