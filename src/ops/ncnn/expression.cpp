#include "ops/ncnn/expression.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "base/text.h"

namespace opscope::ncnn {

namespace {

constexpr std::size_t kMaxTokens = 256;

std::vector<std::string_view> TokensOf(std::string_view list) {
  std::vector<std::string_view> tokens;
  for (std::size_t from = 0; from < list.size() && tokens.size() <= kMaxTokens;) {
    const std::size_t to = std::min(list.find_first_of("(),", from), list.size());
    if (to > from) tokens.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return tokens;
}

// "0w": the width of input 0. Nullopt when it is no such thing.
std::optional<Dim> SizeOfInput(const OpContext& op, std::string_view token) {
  if (token.size() != 2 || token[0] < '0' || token[0] > '9') return std::nullopt;
  const std::size_t letter = std::string_view("nwhdc").find(token[1]);
  if (letter == std::string_view::npos) return std::nullopt;
  if (letter == 0) return Dim(1);
  const auto input = static_cast<std::size_t>(token[0] - '0');
  if (!op.has(input) || !op.in(input).shape.known_rank()) return Dim();
  const Dims& dims = *op.in(input).shape.dims;
  // From the inside: w, h, then d of four dims; c is the outermost of three or four.
  const std::size_t rank = dims.size();
  const std::size_t from_inside = letter == 4 ? std::max(rank, std::size_t{3}) - 1 : letter - 1;
  const bool absent = from_inside >= rank || (letter == 3 && rank < 4);
  return absent ? Dim(1) : dims[rank - 1 - from_inside];
}

struct Function {
  std::string_view name;
  std::size_t operands;
  Dim (*apply)(DimTable& dims, Dim a, Dim b);  // nullptr = not followed
};
Dim Itself(DimTable&, Dim a, Dim) { return a; }
constexpr Function kFunctions[] = {
    {"+", 2, [](DimTable& dims, Dim a, Dim b) { return dims.Add(a, b); }},
    {"-", 2, [](DimTable& dims, Dim a, Dim b) { return dims.Sub(a, b); }},
    {"*", 2, [](DimTable& dims, Dim a, Dim b) { return dims.Mul(a, b); }},
    {"//", 2, [](DimTable& dims, Dim a, Dim b) { return dims.FloorDiv(a, b); }},
    {"max", 2, [](DimTable& dims, Dim a, Dim b) { return dims.Max(a, b); }},
    {"min", 2, [](DimTable& dims, Dim a, Dim b) { return dims.Min(a, b); }},
    {"neg", 1, [](DimTable& dims, Dim a, Dim) { return dims.Sub(0, a); }},
    {"square", 1, [](DimTable& dims, Dim a, Dim) { return dims.Mul(a, a); }},
    {"trunc", 1, Itself},
    {"ceil", 1, Itself},
    {"floor", 1, Itself},
    {"round", 1, Itself},
    {"/", 2, nullptr},
    {"abs", 1, nullptr},
    {"sign", 1, nullptr},
    {"pow", 2, nullptr},
    {"fmod", 2, nullptr},
    {"remainder", 2, nullptr},
    {"sqrt", 1, nullptr},
    {"and", 2, nullptr},
    {"or", 2, nullptr},
    {"xor", 2, nullptr},
    {"lshift", 2, nullptr},
    {"rshift", 2, nullptr}};

}  // namespace

std::optional<Dims> SizesOf(const OpContext& op, std::string_view list) {
  const std::vector<std::string_view> tokens = TokensOf(list);
  if (tokens.size() > kMaxTokens) return std::nullopt;
  Dims stack;  // what stands behind, its first value on top
  for (std::size_t i = tokens.size(); i-- > 0;) {
    const std::string_view token = tokens[i];
    const auto* function =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [token](const Function& each) { return each.name == token; });
    if (function != std::end(kFunctions)) {
      if (stack.size() < function->operands) return std::nullopt;
      const Dim a = stack.back();
      const Dim b = function->operands == 2 ? stack[stack.size() - 2] : Dim();
      stack.resize(stack.size() - function->operands);
      stack.push_back(function->apply == nullptr ? Dim() : function->apply(op.dims(), a, b));
    } else if (const auto size = SizeOfInput(op, token)) {
      stack.push_back(*size);
    } else if (const auto number = ParseInt64(token)) {
      if (*number > kMaxExtent || *number < -kMaxExtent) return std::nullopt;
      stack.push_back(Dim(*number));
    } else {
      stack.push_back(Dim());
    }
  }
  if (stack.empty() || stack.size() > 5) return std::nullopt;
  return stack;  // its top is the first of the list, the innermost size
}

}  // namespace opscope::ncnn
