// Poolings with channels last or quantised; com.ms.internal.nhwc as a whole.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// The ops of ai.onnx that an entry below stands for, with channels last.
enum Kin { kAveragePool, kGlobalAveragePool, kMaxPool };
constexpr std::string_view kNames[] = {"AveragePool", "GlobalAveragePool", "MaxPool"};

bool Always(const OpContext&) { return true; }
bool ByAttribute(const OpContext& op) { return op.IntOr("channels_last", 0) != 0; }

template <Kin kKin, bool (*kLast)(const OpContext&)>
Result<void> Infer(OpContext& op) {
  const ChannelsFirst view(op, kLast(op));
  return InferAs(op, kNames[kKin]);
}

template <Kin kKin, bool (*kLast)(const OpContext&)>
Work WorkOf(const OpContext& op) {
  const ChannelsFirst view(op, kLast(op));
  return WorkAs(op, kNames[kKin]);
}

template <Kin kKin, bool (*kLast)(const OpContext&)>
constexpr OpEntry Pool(std::string_view op, std::string_view roles) {
  return {.op = op,
          .infer = Infer<kKin, kLast>,
          .work = WorkOf<kKin, kLast>,
          .rule = "pooling",
          .roles = roles};
}

constexpr OpEntry kOps[] = {
    Pool<kMaxPool, Always>("NhwcMaxPool", "x"),
    Pool<kAveragePool, ByAttribute>("QLinearAveragePool", "xw"),
    Pool<kGlobalAveragePool, ByAttribute>("QLinearGlobalAveragePool", "xw"),
    {.op = "MaxpoolWithMask",
     .infer = [](OpContext& op) { return InferAs(op, "MaxPool"); },
     .work = [](const OpContext& op) { return WorkAs(op, "MaxPool"); },
     .rule = "pooling",
     .roles = "xc"},
};

// --- com.ms.internal.nhwc: ops of ai.onnx whose activations have channels last. The name of the op
// says whose rules hold. ---

Result<void> InferNhwc(OpContext& op) {
  const ChannelsFirst view(op, true);
  return InferAs(op, op.op());
}

Work NhwcWork(const OpContext& op) {
  const ChannelsFirst view(op, true);
  return WorkAs(op, op.op());
}

constexpr OpEntry Nhwc(std::string_view op, std::string_view rule, std::string_view roles = "x") {
  return {.op = op, .infer = InferNhwc, .work = NhwcWork, .rule = rule, .roles = roles};
}

constexpr OpEntry kNhwc[] = {
    Nhwc("AveragePool", "pooling"),
    Nhwc("BatchNormalization", "normalisation", "xwwss"),
    Nhwc("Conv", "conv", "xww"),
    Nhwc("ConvTranspose", "conv-transpose", "xww"),
    Nhwc("DepthToSpace", "movement"),
    Nhwc("GlobalAveragePool", "pooling"),
    Nhwc("GlobalLpPool", "pooling"),
    Nhwc("GlobalMaxPool", "pooling"),
    Nhwc("GridSample", "resampling"),
    Nhwc("InstanceNormalization", "normalisation", "xww"),
    Nhwc("LRN", "elementwise"),
    Nhwc("LpPool", "pooling"),
    Nhwc("MaxPool", "pooling"),
    Nhwc("MaxUnpool", "movement", "xcc"),
    Nhwc("QLinearConv", "conv", "xwwwwwwww"),
    Nhwc("SpaceToDepth", "movement"),
    // Scales and sizes stand in the order of the dims, whatever that is.
    {.op = "Resize",
     .infer = [](OpContext& op) { return InferAs(op, "Resize"); },
     .work = [](const OpContext& op) { return WorkAs(op, "Resize"); },
     .rule = "resampling",
     .roles = "xc"},
    {.op = "QLinearConvTranspose",
     .infer = [](OpContext& op) -> Result<void> {
       op.out(0).dtype = op.in(7).dtype;
       return {};
     },
     .work = [](const OpContext&) -> Work {
       return work::Unknown{"ONNX has no rule for a quantised transposed convolution"};
     },
     .rule = "named",
     .roles = "xwwwwwwww"},
    Pool<kAveragePool, Always>("QLinearAveragePool", "xw"),
};

}  // namespace

std::span<const OpEntry> PoolOps() { return kOps; }
std::span<const OpEntry> NhwcOps() { return kNhwc; }

}  // namespace opscope::contrib
