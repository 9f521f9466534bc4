// ML programs: branches and loops. Their bodies see the values around them (the reader's mil.cpp
// says which body is which).
#include "ops/coreml/args.h"
#include "ops/coreml/families.h"
#include "ops/onnx/read_as.h"
#include "ops/onnx/while.h"

namespace opscope::coreml {

namespace {

Work ControlWork(const OpContext&) { return work::ControlFlow{}; }

constexpr OpEntry kOps[] = {
    {.op = "cond",
     .infer = onnx::InferAsLike,
     .work = ControlWork,
     .rule = "control-flow",
     .roles = "c",
     .like = "If"},
    {.op = "while_loop", .infer = onnx::InferWhile, .work = ControlWork, .rule = "control-flow"},
};

}  // namespace

std::span<const OpEntry> ProgramControlOps() { return kOps; }

}  // namespace opscope::coreml
