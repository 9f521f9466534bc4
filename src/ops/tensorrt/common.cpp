#include "ops/tensorrt/common.h"

#include <utility>

namespace opscope::tensorrt {

Result<void> InferDeclared(OpContext& op) {
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, DType::kUnknown, {});
  return {};
}

Dim ProductOfList(const OpContext& op, std::string_view key) {
  auto list = op.Ints(key);
  if (!list) list = op.Ints("Conv" + std::string(key));
  if (!list) return {};
  Dim product = 1;
  for (const std::int64_t value : *list) product = op.dims().Mul(product, value);
  return product;
}

std::string_view StandardName(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"RELU", "Relu"},
      {"CLIPPED_RELU", "Clip"},
      {"CLIP", "Clip"},
      {"SIGMOID", "Sigmoid"},
      {"TANH", "Tanh"},
      {"LEAKY_RELU", "LeakyRelu"},
      {"ELU", "Elu"},
      {"SELU", "Selu"},
      {"SOFTSIGN", "Softsign"},
      {"SOFTPLUS", "Softplus"},
      {"HARD_SIGMOID", "HardSigmoid"},
      {"GELU_ERF", "Gelu"},
      {"GELU_TANH", "Gelu"},
      {"SWISH", "Swish"},
      {"SUM", "Add"},
      {"PROD", "Mul"},
      {"MAX", "Max"},
      {"MIN", "Min"},
      {"SUB", "Sub"},
      {"DIV", "Div"},
      {"POW", "Pow"},
      {"EXP", "Exp"},
      {"LOG", "Log"},
      {"SQRT", "Sqrt"},
      {"RECIP", "Reciprocal"},
      {"ABS", "Abs"},
      {"NEG", "Neg"},
      {"ERF", "Erf"},
      {"CEIL", "Ceil"},
      {"FLOOR", "Floor"}};
  if (name.starts_with('k')) name.remove_prefix(1);
  for (const auto& [from, to] : kNames)
    if (from == name) return to;
  return {};
}

}  // namespace opscope::tensorrt
