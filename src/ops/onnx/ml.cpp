// Classic machine learning (domain ai.onnx.ml): linear models and what stands around them.
#include "ops/onnx/ml.h"

#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

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

Labels LabelsOf(const OpContext& op, std::string_view integers) {
  if (const auto numbers = op.Ints(integers); numbers && !numbers->empty()) {
    return {DType::kInt64, static_cast<std::int64_t>(numbers->size())};
  }
  const auto names = op.Strings("classlabels_strings");
  if (!names.has_value() || names->empty()) return {};
  return {DType::kString, static_cast<std::int64_t>(names->size())};
}

namespace {

// --- linear models: rows of X times coefficients, which are an attribute ---

// The label of each row and the score of each class.
Result<void> InferLinearClassifier(OpContext& op) {
  const Labels labels = LabelsOf(op, "classlabels_ints");
  SetOutput(op, 0, labels.dtype, ShapeOf({Rows(op)}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({Rows(op), labels.count}));
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

// --- encoders ---

bool Given(const OpContext& op, std::string_view attribute) {
  return FindAttribute(op.model(), op.node(), attribute) != nullptr;
}

// The dtype of the values: which of the attributes is there says it. Version 1 knows one list of
// strings and maps the other way round from what comes in.
Result<void> InferLabelEncoder(OpContext& op) {
  DType dtype = DType::kUnknown;
  if (const Payload* values = op.PayloadAttribute("values_tensor")) {
    dtype = values->dtype;
  } else if (Given(op, "values_strings")) {
    dtype = DType::kString;
  } else if (Given(op, "values_int64s")) {
    dtype = DType::kInt64;
  } else if (Given(op, "values_floats")) {
    dtype = DType::kFloat32;
  } else if (op.in(0).dtype != DType::kUnknown) {
    dtype = op.in(0).dtype == DType::kString ? DType::kInt64 : DType::kString;
  }
  SetOutput(op, 0, dtype, op.in(0).shape);
  return {};
}

// One float a category in a new last dim.
Result<void> InferOneHotEncoder(OpContext& op) {
  const auto numbers = op.Ints("cats_int64s");
  const auto names = op.Strings("cats_strings");
  const std::size_t count = numbers ? numbers->size() : names ? names->size() : 0;
  SetOutput(op, 0, DType::kFloat32, op.in(0).shape);
  Shape& shape = op.out(0).shape;
  if (shape.known_rank()) shape.dims->push_back(static_cast<std::int64_t>(count));
  return {};
}

// A map becomes a row with one column for each word of the vocabulary.
Result<void> InferDictVectorizer(OpContext& op) {
  const auto numbers = op.Ints("int64_vocabulary");
  const auto names = op.Strings("string_vocabulary");
  const std::size_t count = numbers ? numbers->size() : names ? names->size() : 0;
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({1, static_cast<std::int64_t>(count)}));
  return {};
}

// The inputs' columns side by side, as floats.
Result<void> InferFeatureVectorizer(OpContext& op) {
  const auto sizes = op.Ints("inputdimensions");
  Dim columns = sizes.has_value() ? Dim(0) : Dim();
  for (const std::int64_t size : sizes.value_or(std::span<const std::int64_t>())) {
    columns = op.dims().Add(columns, size);
  }
  SetOutput(op, 0, DType::kFloat32, ShapeOf({Rows(op), columns}));
  return {};
}

// [1, n]: all that the map holds, or max_map columns.
Result<void> InferCastMap(OpContext& op) {
  const std::string_view to = op.String("cast_to").value_or("TO_FLOAT");
  const DType dtype = to == "TO_STRING"  ? DType::kString
                      : to == "TO_INT64" ? DType::kInt64
                                         : DType::kFloat32;
  const bool sparse = op.String("map_form").value_or("DENSE") == "SPARSE";
  const Dim columns = sparse ? Dim(op.IntOr("max_map", 1)) : op.DataDependent("count");
  SetOutput(op, 0, dtype, ShapeOf({1, columns}));
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

constexpr OpEntry Encoder(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement"};
}

constexpr OpEntry kOps[] = {
    Encoder("CastMap", InferCastMap),
    Encoder("CategoryMapper", InferLabelEncoder),
    Encoder("DictVectorizer", InferDictVectorizer),
    Encoder("FeatureVectorizer", InferFeatureVectorizer),
    Encoder("LabelEncoder", InferLabelEncoder),
    Encoder("OneHotEncoder", InferOneHotEncoder),
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
