#include "join/names.h"

#include <algorithm>
#include <array>

#include "base/checked.h"

namespace opscope {

namespace {

constexpr std::string_view kToken = "_token_";

// Names in a name: optimisers wrap one another a few times.
constexpr std::size_t kMaxQuoted = 8;
constexpr std::size_t kMaxInlined = 64;

// Endings that optimisers of the runtime give to nodes they make, next to "/<Pattern>Fusion".
constexpr std::array<std::string_view, 4> kEndings = {"/duplicated", "_qknorm", "_cast",
                                                      "_new_reshape"};

constexpr std::array<std::string_view, 12> kLayoutOps = {
    "Transpose", "Cast",         "Reshape",       "Squeeze",        "Unsqueeze",        "Identity",
    "Flatten",   "ReorderInput", "ReorderOutput", "QuantizeLinear", "DequantizeLinear", "Expand"};

constexpr std::array<std::string_view, 7> kMovementOps = {"Slice",  "Split", "Concat", "Gather",
                                                          "Expand", "Tile",  "Pad"};

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool Strip(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending) || text.size() == ending.size()) return false;
  text.remove_suffix(ending.size());
  return true;
}

// "x/MatMulAddFusion", "x/LayerNormFusion/" -> "x"
bool StripFusion(std::string_view& text) {
  std::string_view rest = text;
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = rest.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || !rest.ends_with("Fusion")) return false;
  text = rest.substr(0, slash);
  return true;
}

}  // namespace

std::string_view WhatRuntimeRowDoes(std::string_view name, std::string_view op) {
  if (op == "ReorderInput") return "layout change into the engine's blocked layout";
  if (op == "ReorderOutput") return "layout change out of the engine's blocked layout";
  if (op == "MemcpyFromHost") return "copy from the host to the device";
  if (op == "MemcpyToHost") return "copy from the device to the host";
  if (name.starts_with("InsertedPrecisionFreeCast_"))
    return "cast around an op that has no kernel for the model's type";
  return "";
}

std::string_view WithoutToken(std::string_view name) {
  const std::size_t at = name.rfind(kToken);
  if (at == std::string_view::npos || at == 0) return name;
  return IsDigits(name.substr(at + kToken.size())) ? name.substr(0, at) : name;
}

bool IsBareName(std::string_view name, std::string_view op) {
  return !op.empty() && (WithoutToken(name) == op || UnnamedIndex(name, op).has_value());
}

bool IsInsertedName(std::string_view name, std::string_view op) {
  const auto is_made = [](std::string_view base) {
    return base.ends_with("_cast") || base == "gemm_input_reshape" || base == "gemm_output_reshape";
  };
  const std::vector<std::string_view> quoted = QuotedNames(name);
  return IsBareName(name, op) || is_made(WithoutToken(name)) ||
         std::any_of(quoted.begin(), quoted.end(), is_made);
}

std::optional<std::int64_t> UnnamedIndex(std::string_view name, std::string_view op) {
  if (op.empty() || !name.starts_with(op)) return std::nullopt;
  name.remove_prefix(op.size());
  if (!name.starts_with('_') || !IsDigits(name.substr(1))) return std::nullopt;
  return ParseInt64(name.substr(1));
}

std::optional<TensorName> NchwcTensor(std::string_view name) {
  std::string_view tensor = WithoutToken(name);
  if (!Strip(tensor, "_nchwc")) return std::nullopt;
  if (Strip(tensor, "_bn")) return TensorName{tensor, "BatchNormalization"};
  if (Strip(tensor, "_mul")) return TensorName{tensor, "Mul"};
  if (Strip(tensor, "_add")) return TensorName{tensor, "Add"};
  return TensorName{tensor, ""};
}

std::vector<std::string_view> QuotedNames(std::string_view name) {
  std::vector<std::string_view> names;
  std::string_view rest = WithoutToken(name);
  while (names.size() < kMaxQuoted) {
    if (rest.starts_with("fused ")) {
      rest.remove_prefix(6);
    } else if (!StripFusion(rest) && std::none_of(kEndings.begin(), kEndings.end(),
                                                  [&](auto end) { return Strip(rest, end); })) {
      return names;
    }
    rest = WithoutToken(rest);
    if (!rest.empty()) names.push_back(rest);
  }
  return names;
}

std::vector<std::string_view> InlinedNames(std::string_view name) {
  std::vector<std::string_view> names;
  constexpr std::string_view kInline = "__Inline_";
  for (std::size_t at = name.find(kInline); at != std::string_view::npos;
       at = names.size() < kMaxInlined ? name.find(kInline, at + 1) : std::string_view::npos) {
    const std::size_t end = name.find("__", at + kInline.size());
    if (end != std::string_view::npos && end + 2 < name.size())
      names.push_back(name.substr(end + 2));
  }
  if (!name.starts_with("_inlfunc_") && !name.starts_with("_if_")) return names;
  for (std::size_t at = name.find('_', 1);
       at != std::string_view::npos && names.size() < kMaxInlined; at = name.find('_', at + 1))
    if (at + 1 < name.size()) names.push_back(name.substr(at + 1));
  return names;
}

bool IsCompiled(std::string_view name, std::string_view op, std::string_view provider) {
  if (op.find("TRTKernel") != std::string_view::npos) return true;
  if (name.find("TRTKernel_graph_") != std::string_view::npos) return true;
  if (op == "DmlFusedNode" || name.starts_with("DmlFusedNode")) return true;
  if (op == "EPContext") return true;
  // OpenVINO, QNN, CoreML, NNAPI, VitisAI …: <Provider>ExecutionProvider_<graph>_<n>
  return !provider.empty() && name.starts_with(provider) && name.size() > provider.size() &&
         name[provider.size()] == '_';
}

std::string_view CoreOp(std::string_view op) {
  for (const std::string_view prefix : {"Nhwc", "Fused", "QLinear"})
    if (op.starts_with(prefix) && op.size() > prefix.size()) op.remove_prefix(prefix.size());
  return op;
}

std::vector<std::string_view> SourceOps(std::string_view op) {
  if (op == "Gelu" || op == "BiasGelu") return {op, "Gelu", "Erf"};
  if (op == "FastGelu") return {op, "Tanh", "Erf"};
  if (op == "QuickGelu") return {op, "Sigmoid"};
  if (op == "LayerNormalization") return {op, "Sqrt"};
  if (op == "SkipLayerNormalization" || op == "EmbedLayerNormalization")
    return {op, "LayerNormalization", "Sqrt"};
  if (op == "SimplifiedLayerNormalization" || op == "SkipSimplifiedLayerNormalization")
    return {op, "RMSNormalization", "SimplifiedLayerNormalization", "Sqrt"};
  if (op == "Attention" || op == "MultiHeadAttention") return {op, "Attention", "Softmax"};
  if (op == "MatMulIntegerToFloat" || op == "DynamicQuantizeMatMul") return {op, "MatMulInteger"};
  const std::string_view core = CoreOp(op);
  if (core == op) return {op};
  return {op, core};
}

bool IsLayoutOp(std::string_view op) {
  return std::find(kLayoutOps.begin(), kLayoutOps.end(), op) != kLayoutOps.end();
}

bool IsMovementOp(std::string_view op) {
  return IsLayoutOp(op) ||
         std::find(kMovementOps.begin(), kMovementOps.end(), op) != kMovementOps.end();
}

}  // namespace opscope
