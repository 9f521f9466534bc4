#include "cost/elementwise.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace opscope {

namespace {

constexpr ElementwiseRule kRules[] = {
#include "elementwise_table.inc"
};

constexpr bool Sorted() {
  for (std::size_t i = 1; i < std::size(kRules); ++i)
    if (kRules[i - 1].op >= kRules[i].op) return false;
  return true;
}
static_assert(Sorted(), "FindElementwise searches by halves");

const ElementwiseRule* Find(std::string_view key) {
  const auto* at = std::lower_bound(
      std::begin(kRules), std::end(kRules), key,
      [](const ElementwiseRule& rule, std::string_view op) { return rule.op < op; });
  return at != std::end(kRules) && at->op == key ? at : nullptr;
}

// Ops of ai.onnx in another layout, under a domain of their own.
bool IsLayoutOfOnnx(std::string_view domain) {
  return domain == "com.microsoft.nchwc" || domain == "com.ms.internal.nhwc";
}

}  // namespace

std::span<const ElementwiseRule> ElementwiseRules() { return kRules; }

const ElementwiseRule* FindElementwise(std::string_view domain, std::string_view op,
                                       std::string_view mode) {
  std::string key;
  if (domain != "ai.onnx") key.append(domain).append(".");
  key.append(op);
  if (!mode.empty()) {
    if (const auto* rule = Find(key + "." + std::string(mode))) return rule;
  }
  const ElementwiseRule* rule = Find(key);
  if (rule == nullptr && IsLayoutOfOnnx(domain)) return FindElementwise("ai.onnx", op, mode);
  return rule;
}

Dim Apply(DimTable& dims, const Multiples& multiples, const Amounts& amounts) {
  Dim sum = 0;
  for (std::size_t i = 0; i < kBases.size(); ++i)
    if (multiples[i] != 0) sum = dims.Add(sum, dims.Mul(multiples[i], amounts[i]));
  return sum;
}

std::string ToText(const Multiples& multiples, std::span<const std::string> amounts) {
  std::string text;
  for (std::size_t i = 0; i < kBases.size(); ++i) {
    const int multiple = multiples[i];
    if (multiple == 0) continue;
    if (text.empty()) {
      text = multiple < 0 ? "-" : "";
    } else {
      text += multiple < 0 ? " - " : " + ";
    }
    if (multiple != 1 && multiple != -1) text += std::to_string(std::abs(multiple)) + "*";
    text += amounts[i];
  }
  return text;
}

std::string ToText(const Multiples& multiples) {
  const std::vector<std::string> names(kBases.begin(), kBases.end());
  return ToText(multiples, names);
}

}  // namespace opscope
