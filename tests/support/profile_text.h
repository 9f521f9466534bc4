// ONNX Runtime profiles written as a few lines of text, for tests that show their input.
//
//   setup 0 +90 session_initialization      # begin and duration in microseconds
//   run   100 +50                           # model_run
//   exec  102 +45                           # SequentialExecutor::Execute
//   op    104 +20 n0 Conv index=3 in=float:1,3,8,8;int64: out=float:1,8,8,8
//   ep=CUDAExecutionProvider fence 104 +0 n0 Conv kernel 110 +5 gemm_kernel parent=n0 stream=7
//
// `tid=9` on any line; lines without one are of thread 1. Events come out in the given order.
#pragma once

#include <string>
#include <string_view>

namespace opscope {

// The file as the profiler writes it: one event a line, its own spacing.
std::string ProfileFromText(std::string_view text);

// The same events as valid JSON of another writer: one key a line, another order of keys.
std::string PrettyProfileFromText(std::string_view text);

}  // namespace opscope
