// Domain ai.onnx.ml: ensembles of trees and support vectors. Both live in attributes.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"
#include "ops/onnx/ml.h"

namespace opscope::onnx {

namespace {

// --- trees ---

Result<void> InferTreeClassifier(OpContext& op) {
  const Labels labels = LabelsOf(op, "classlabels_int64s");
  SetOutput(op, 0, labels.dtype, ShapeOf({Rows(op)}));
  SetOutput(op, 1, DType::kFloat32, ShapeOf({Rows(op), labels.count}));
  return {};
}

Result<void> InferTreeRegressor(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, ShapeOf({Rows(op), op.IntOr("n_targets", 1)}));
  return {};
}

// TreeEnsemble (version 5) keeps the dtype of its input.
Result<void> InferTreeEnsemble(OpContext& op) {
  SetOutput(op, 0, op.in(0).dtype, ShapeOf({Rows(op), op.IntOr("n_targets", 1)}));
  return {};
}

std::int64_t DistinctCount(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

// How deep a row descends in a tree depends on it: one comparison a tree at least.
Work TreeWork(const OpContext& op) {
  const auto roots = op.Ints("tree_roots");
  const std::int64_t trees =
      roots.has_value()
          ? static_cast<std::int64_t>(roots->size())
          : DistinctCount(op.Ints("nodes_treeids").value_or(std::span<const std::int64_t>()));
  return work::Elementwise{op.dims().Mul(Rows(op), trees)};
}

constexpr OpEntry Tree(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = TreeWork, .rule = "elementwise"};
}

// --- support vectors ---

// With no labels in strings they are integers. Scores stand for classes, or for pairs of them in
// the engine's binary case, so that their number is not known from the file alone.
Result<void> InferSvmClassifier(OpContext& op) {
  const Labels labels = LabelsOf(op, "classlabels_ints");
  SetOutput(op, 0, labels.dtype, ShapeOf({Rows(op)}));
  const bool probabilities = !op.Floats("prob_a").value_or(std::span<const float>()).empty();
  SetOutput(op, 1, DType::kFloat32, ShapeOf({Rows(op), probabilities ? labels.count : Dim()}));
  return {};
}

Result<void> InferSvmRegressor(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, ShapeOf({Rows(op), 1}));
  return {};
}

// Every row against every support vector; the kernel function follows by the table.
Work SvmWork(const OpContext& op) {
  const Dim columns = Columns(op);
  const Dim vectors = op.dims().FloorDiv(CountOf(op, "support_vectors"), columns);
  return work::MatrixProduct{.batch = 1, .m = Rows(op), .n = vectors, .k = columns};
}

constexpr OpEntry Svm(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = SvmWork, .rule = "gemm"};
}

constexpr OpEntry kOps[] = {
    Svm("SVMClassifier", InferSvmClassifier),
    Svm("SVMRegressor", InferSvmRegressor),
    Tree("TreeEnsemble", InferTreeEnsemble),
    Tree("TreeEnsembleClassifier", InferTreeClassifier),
    Tree("TreeEnsembleRegressor", InferTreeRegressor),
};

}  // namespace

std::span<const OpEntry> TreeOps() { return kOps; }

}  // namespace opscope::onnx
