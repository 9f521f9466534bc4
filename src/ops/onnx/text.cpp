// Strings, n-grams, and images that come as files.
#include <algorithm>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

Result<void> InferStringConcat(OpContext& op) {
  TRY_ASSIGN(Shape shape, Broadcast(op, op.in(0).shape, op.in(1).shape));
  SetOutput(op, 0, DType::kString, std::move(shape));
  return {};
}

Result<void> InferMatch(OpContext& op) {
  SetOutput(op, 0, DType::kBool, op.in(0).shape);
  return {};
}

// [C] or [1, C]; stop words are taken out of C.
Result<void> InferNormalise(OpContext& op) {
  SetOutput(op, 0, DType::kString, op.in(0).shape);
  const auto stopwords = op.Strings("stopwords");
  Shape& shape = op.out(0).shape;
  if (!stopwords.has_value() || stopwords->empty() || !shape.known_rank()) return {};
  if (shape.rank() == 0) return op.Problem("input is a scalar");
  shape.dims->back() = op.DataDependent("count", shape.dims->back());
  return {};
}

// Substrings in a new last dim that holds the longest list, and how many each string has.
Result<void> InferSplit(OpContext& op) {
  SetOutput(op, 0, DType::kString, op.in(0).shape);
  SetOutput(op, 1, DType::kInt64, op.in(0).shape);
  Shape& shape = op.out(0).shape;
  if (shape.known_rank()) shape.dims->push_back(op.DataDependent("substrings"));
  return {};
}

// One column an n-gram: the largest of `ngram_indexes`, which are column numbers.
Result<void> InferTfIdf(OpContext& op) {
  SetOutput(op, 0, DType::kFloat32, {});
  const auto columns = op.Ints("ngram_indexes");
  if (!columns.has_value() || columns->empty()) {
    return op.Problem("attribute \"ngram_indexes\" is missing");
  }
  const Shape& in = op.in(0).shape;
  if (!in.known_rank()) return {};
  if (in.rank() > 2) return op.Problem("rank " + std::to_string(in.rank()) + ", needs 1 or 2");
  const Dim count = op.dims().Add(*std::max_element(columns->begin(), columns->end()), 1);
  op.out(0).shape = in.rank() == 2 ? ShapeOf({(*in.dims)[0], count}) : ShapeOf({count});
  return {};
}

// [height, width, channels], of which only the last is known before the file is read.
Result<void> InferDecode(OpContext& op) {
  const bool grey = op.String("pixel_format").value_or("RGB") == "Grayscale";
  SetOutput(op, 0, DType::kUInt8,
            ShapeOf({op.DataDependent("height"), op.DataDependent("width"), grey ? 1 : 3}));
  return {};
}

constexpr OpEntry Text(std::string_view op, InferFn infer) {
  return {.op = op, .infer = infer, .work = MovementWork, .rule = "movement"};
}

constexpr OpEntry kOps[] = {
    Text("ImageDecoder", InferDecode),
    Text("RegexFullMatch", InferMatch),
    Text("StringConcat", InferStringConcat),
    Text("StringNormalizer", InferNormalise),
    Text("StringSplit", InferSplit),
    {.op = "TfIdfVectorizer", .infer = InferTfIdf, .work = ElementwiseWork, .rule = "elementwise"},
};

}  // namespace

std::span<const OpEntry> TextOps() { return kOps; }

}  // namespace opscope::onnx
