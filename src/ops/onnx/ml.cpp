// Classic machine learning (domain ai.onnx.ml): linear models and what stands around them.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// --- linear models: rows of X times coefficients, which are an attribute ---

// X is [N, C]; a single row may come as [C].
Dim Rows(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  if (!shape.known_rank()) return {};
  return shape.rank() < 2 ? Dim(1) : DimAt(shape, 0);
}

Dim Columns(const OpContext& op) {
  const Shape& shape = op.in(0).shape;
  return shape.known_rank() && shape.rank() > 0 ? shape.dims->back() : Dim();
}

std::int64_t CountOf(const OpContext& op, std::string_view attribute) {
  const auto values = op.Floats(attribute);
  return values.has_value() ? static_cast<std::int64_t>(values->size()) : 0;
}

// How many class labels: of numbers or of strings.
std::optional<std::int64_t> Classes(const OpContext& op, DType& dtype) {
  if (const auto numbers = op.Ints("classlabels_ints"); numbers && !numbers->empty()) {
    dtype = DType::kInt64;
    return static_cast<std::int64_t>(numbers->size());
  }
  const Attribute* names = FindAttribute(op.model(), op.node(), "classlabels_strings");
  const auto* strings =
      names == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&names->value);
  if (strings == nullptr || strings->empty()) return std::nullopt;
  dtype = DType::kString;
  return static_cast<std::int64_t>(strings->size());
}

// The label of each row and the score of each class.
Result<void> InferLinearClassifier(OpContext& op) {
  DType labels = DType::kInt64;
  const std::optional<std::int64_t> classes = Classes(op, labels);
  SetOutput(op, 0, labels, ShapeOf({Rows(op)}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({Rows(op), classes ? Dim(*classes) : Dim()}));
  return {};
}

Result<void> InferLinearRegressor(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, ShapeOf({Rows(op), op.IntOr("targets", 1)}));
  return {};
}

Work LinearWork(const OpContext& op) {
  const Dim columns = Columns(op);
  return work::MatrixProduct{.batch = 1,
                             .m = Rows(op),
                             .n = op.dims().FloorDiv(CountOf(op, "coefficients"), columns),
                             .k = columns,
                             .bias = CountOf(op, "intercepts") > 0};
}

// --- around them ---

Result<void> InferToFloat(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, op.in(0).shape);
  return {};
}

// The columns of input 0 that input 1 names.
Result<void> InferExtract(OpContext& op) {
  const TensorFact& in = op.in(0);
  SetOutput(op, 0, in.dtype, {});
  if (!in.shape.known_rank() || in.shape.rank() == 0) return {};
  Dims out = in.shape.rank() == 1 ? Dims{Dim(1), Dim()} : *in.shape.dims;
  out.back() = ElementsOf(op, op.in(1).shape);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// A map from class to score for each row.
Result<void> InferZipMap(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, {});
  op.out(0).kind = ValueKind::kSequence;
  return {};
}

constexpr OpEntry Scale(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = ElementwiseWork, .rule = "elementwise"};
}

constexpr OpEntry kOps[] = {
    Scale("Binarizer", SameAsInput),
    Scale("Imputer", SameAsInput),
    Scale("Normalizer", InferToFloat),
    Scale("Scaler", InferToFloat),
    {.op = "ArrayFeatureExtractor",
     .infer = InferExtract,
     .work = ReadOutputWork,
     .rule = "movement",
     .roles = "xc"},
    {.op = "LinearClassifier", .infer = InferLinearClassifier, .work = LinearWork, .rule = "gemm"},
    {.op = "LinearRegressor", .infer = InferLinearRegressor, .work = LinearWork, .rule = "gemm"},
    {.op = "ZipMap", .infer = InferZipMap, .work = MovementWork, .rule = "movement"},
};

}  // namespace

std::span<const OpEntry> MlOps() { return kOps; }

}  // namespace opscope::onnx
