// One function an element: activations with a bias, quantised arithmetic, rotary embeddings.
#include "ops/contrib/common.h"
#include "ops/contrib/families.h"

namespace opscope::contrib {

namespace {

// --- two operands; quantised ones bring scale and zero point each ---

template <std::size_t kRight>
Result<void> InferBroadcast(OpContext& op) {
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(kRight).shape));
  SetOutput(op, 0, op.in(0).dtype, std::move(shape));
  return {};
}

// MulInteger: products of 8-bit integers in int32.
Result<void> InferMulInteger(OpContext& op) {
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(2).shape));
  SetOutput(op, 0, DType::kInt32, std::move(shape));
  return {};
}

// Condition, X with scale and zero point, Y with scale and zero point.
Result<void> InferQLinearWhere(OpContext& op) {
  TRY_ASSIGN(const Shape values, Broadcast(op, op.in(1).shape, op.in(4).shape));
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, values));
  SetOutput(op, 0, op.in(1).dtype, std::move(shape));
  return {};
}

// --- halves: the last dim holds gate and value ---

Result<void> InferHalf(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, WithLast(in.shape, op.dims().FloorDiv(LastOf(in.shape), 2)));
  return {};
}

// With one input it holds both halves.
Result<void> InferSwiGlu(OpContext& op) { return op.has(1) ? SameAsInput(op) : InferHalf(op); }

// --- Dropout with a bias; its mask may be one bit an element in words of 32 ---

template <bool kBits>
Result<void> InferDropout(OpContext& op) {
  TRY(SameAsInput(op));
  const Shape& shape = op.in(0).shape;
  if (kBits) {
    SetOutput(op, 1, DType::kUInt32, ShapeOf({op.dims().CeilDiv(ElementsOf(op, shape), 32)}));
  } else {
    SetOutput(op, 1, DType::kBool, shape);
  }
  return {};
}

// --- rotary embeddings ---

Result<void> InferPair(OpContext& op) {
  SetOutput(op, 0, op.in(1).dtype, op.in(1).shape);
  SetOutput(op, 1, op.in(3).dtype, op.in(3).shape);
  return {};
}

Work PairWork(const OpContext& op) {
  return work::Elementwise{
      op.dims().Add(ElementsOf(op, op.out(0).shape), ElementsOf(op, op.out(1).shape))};
}

// --- others ---

Result<void> InferAllFinite(OpContext& op) {
  SetOutput(op, 0, DType::kBool, ShapeOf({}));
  return {};
}

Work AllInputsWork(const OpContext& op) {
  Dim elements = 0;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    elements = op.dims().Add(elements, ElementsOf(op, op.in(i).shape));
  }
  return work::Elementwise{elements};
}

Result<void> InferHash(OpContext& op) {
  SetOutput(op, 0, op.IntOr("positive", 1) != 0 ? DType::kUInt32 : DType::kInt32, op.in(0).shape);
  return {};
}

// The decay of a linear attention, and the update rate beside it.
Result<void> InferGate(OpContext& op) {
  TRY(SameAsInput(op));
  if (op.has(3)) SetOutput(op, 1, op.in(3).dtype, op.in(3).shape);
  return {};
}

// [1, heads, query_length, key_length]; the lengths are elements.
Result<void> InferPositionBias(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype,
            ShapeOf({1, DimAt(op.in(0).shape, 1), SingleDim(op.in(1)), SingleDim(op.in(2))}));
  return {};
}

constexpr OpEntry One(std::string_view op, std::string_view roles = "xw",
                      InferFn infer = SameAsInput) {
  return {.op = op, .infer = infer, .work = ElementwiseWork, .rule = "elementwise", .roles = roles};
}

// Every output element from those at its own place alone.
constexpr OpEntry Pointwise(std::string_view op, std::string_view roles = "xw",
                            InferFn infer = SameAsInput) {
  OpEntry entry = One(op, roles, infer);
  entry.work = onnx::PointwiseWork;
  return entry;
}

constexpr OpEntry kOps[] = {
    Pointwise("BiasAdd", "xwx"),
    One("BiasDropout", "xwxc", InferDropout<false>),
    Pointwise("BiasGelu", "xw"),
    One("BiasSplitGelu", "xw", InferHalf),
    One("BitmaskBiasDropout", "xwxc", InferDropout<true>),
    One("BitmaskDropout", "xc", InferDropout<true>),
    One("ComplexMul", "xx", InferBroadcast<1>),
    One("ComplexMulConj", "xx", InferBroadcast<1>),
    Pointwise("FastGelu", "xw"),
    One("GatedAdd", "xxxw"),
    Pointwise("Gelu", "x"),
    One("LinearAttentionGate", "xwwx", InferGate),
    One("MRotaryEmbedding", "xc"),
    One("MulInteger", "xwxw", InferMulInteger),
    One("MurmurHash3", "x", InferHash),
    One("NGramRepeatBlock", "xx",
        [](OpContext& op) -> Result<void> {
          SetOutput(op, 0, op.in(1).dtype, op.in(1).shape);
          return {};
        }),
    Pointwise("QLinearAdd", "xwwxwwww", InferBroadcast<3>),
    Pointwise("QLinearLeakyRelu", "xw"),
    Pointwise("QLinearMul", "xwwxwwww", InferBroadcast<3>),
    Pointwise("QLinearSigmoid", "xw"),
    One("QLinearWhere", "cxwwxwwww", InferQLinearWhere),
    One("QOrderedGelu", "xw"),
    Pointwise("QuickGelu", "x"),
    One("RelativePositionBias", "wcc", InferPositionBias),
    One("RotaryEmbedding", "xccc"),
    One("SampleOp", "x"),
    Pointwise("ScaledSiLU", "xw"),
    One("SwiGLU", "xx", InferSwiGlu),
    {.op = "GemmaRotaryEmbedding",
     .infer = InferPair,
     .work = PairWork,
     .rule = "elementwise",
     .roles = "cxxxx"},
    {.op = "IsAllFinite", .infer = InferAllFinite, .work = AllInputsWork, .rule = "elementwise"},
};

}  // namespace

std::span<const OpEntry> ElementwiseOps() { return kOps; }

}  // namespace opscope::contrib
