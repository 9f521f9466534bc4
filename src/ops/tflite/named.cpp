// Operators whose outputs have the shapes of the file: tables, variables, random numbers, strings,
// and what converters hardly write.
#include "ops/tflite/common.h"
#include "ops/tflite/families.h"

namespace opscope::tflite {

namespace {

Work AllInputWork(const OpContext& op) { return work::Elementwise{ElementsOf(op, op.in(0).shape)}; }

Work ReduceWork(const OpContext& op) {
  return work::Reduction{ElementsOf(op, op.in(0).shape), ElementsOf(op, op.out(0).shape)};
}

Work GatherWork(const OpContext& op) { return work::GatherScatter{BytesOf(op.dims(), op.out(0))}; }

// Scores are input 1.
Work SuppressionWork(const OpContext& op) {
  return work::Elementwise{ElementsOf(op, op.in(1).shape)};
}

Work UnknownWork(const OpContext& op) {
  return work::Unknown{"what " + std::string(op.op()) + " computes is not written down"};
}

constexpr OpEntry Stored(std::string_view op, WorkFn work, std::string_view rule,
                         std::string_view roles = "x", std::string_view like = "") {
  return {.op = op, .infer = InferStored, .work = work, .rule = rule, .roles = roles, .like = like};
}

constexpr OpEntry kOps[] = {
    Stored("ASSIGN_VARIABLE", MovementWork, "movement", "cx"),
    Stored("BUCKETIZE", AllInputWork, "elementwise"),
    Stored("CONCAT_EMBEDDINGS", MovementWork, "movement"),
    Stored("CUSTOM", UnknownWork, "unknown"),
    Stored("DELEGATE", UnknownWork, "unknown"),
    Stored("EMBEDDING_LOOKUP_SPARSE", GatherWork, "gather", "ccccw"),
    Stored("HASHTABLE", NoWork, "nothing"),
    Stored("HASHTABLE_FIND", GatherWork, "gather", "cxc"),
    Stored("HASHTABLE_IMPORT", MovementWork, "movement", "cxx"),
    Stored("HASHTABLE_LOOKUP", GatherWork, "gather", "xcw"),
    Stored("HASHTABLE_SIZE", NoWork, "nothing"),
    Stored("IMAG", MovementWork, "movement"),
    Stored("LSH_PROJECTION", UnknownWork, "unknown", "wx"),
    Stored("MULTINOMIAL", ElementwiseWork, "elementwise", "xc", "Multinomial"),
    Stored("NON_MAX_SUPPRESSION_V4", SuppressionWork, "elementwise", "xxc", "NonMaxSuppression"),
    Stored("NON_MAX_SUPPRESSION_V5", SuppressionWork, "elementwise", "xxc", "NonMaxSuppression"),
    Stored("PLACEHOLDER_FOR_GREATER_OP_CODES", UnknownWork, "unknown"),
    Stored("RANDOM_STANDARD_NORMAL", ElementwiseWork, "elementwise", "c", "RandomNormal"),
    Stored("RANDOM_UNIFORM", ElementwiseWork, "elementwise", "c", "RandomUniform"),
    Stored("READ_VARIABLE", MovementWork, "movement", "c"),
    Stored("REAL", MovementWork, "movement"),
    Stored("REDUCE_WINDOW", UnknownWork, "unknown", "xc"),
    Stored("RFFT2D", UnknownWork, "unknown", "xc"),
    Stored("SEGMENT_SUM", ReduceWork, "reduction", "xc"),
    Stored("SKIP_GRAM", UnknownWork, "unknown"),
    Stored("UNIQUE", AllInputWork, "elementwise", "x", "Unique"),
    Stored("UNSORTED_SEGMENT_MAX", ReduceWork, "reduction", "xc", "ReduceMax"),
    Stored("UNSORTED_SEGMENT_MIN", ReduceWork, "reduction", "xc", "ReduceMin"),
    Stored("UNSORTED_SEGMENT_PROD", ReduceWork, "reduction", "xc", "ReduceProd"),
    Stored("UNSORTED_SEGMENT_SUM", ReduceWork, "reduction", "xc", "ReduceSum"),
    Stored("VAR_HANDLE", NoWork, "nothing"),
};

}  // namespace

std::span<const OpEntry> NamedOps() { return kOps; }

}  // namespace opscope::tflite
