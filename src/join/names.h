// The names that ONNX Runtime gives to the rows of a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// What a row of this name and op does, when only the runtime can have made it; empty otherwise.
std::string_view WhatRuntimeRowDoes(std::string_view name, std::string_view op);

// "conv0_token_1" -> "conv0": the counter that keeps generated names apart.
std::string_view WithoutToken(std::string_view name);

// "ReorderInput_token_3" of op ReorderInput, "Transpose", "Gelu_token_7": a name made from the op
// alone, which says nothing about the model.
bool IsBareName(std::string_view name, std::string_view op);

// A layout op's name that the engine gives to what it inserts: bare, or "gemm_input_reshape",
// "x_cast".
bool IsInsertedName(std::string_view name, std::string_view op);

// "Cos_1" of op Cos -> 1: a node without a name, by its index in the graph.
std::optional<std::int64_t> UnnamedIndex(std::string_view name, std::string_view op);

// "r1_nchwc" -> the tensor "r1"; "bn3_bn_nchwc" -> "bn3", written by an op of the type named.
struct TensorName {
  std::string_view tensor;
  std::string_view op;  // "BatchNormalization", "Mul", "Add"; empty = as the row says
};
std::optional<TensorName> NchwcTensor(std::string_view name);

// Names of the model that a generated name quotes: "fused gemm_3" -> gemm_3,
// "x/MatMulAddFusion" -> x, "w/duplicated" -> w; the most likely first.
std::vector<std::string_view> QuotedNames(std::string_view name);

// What is left of a name from an inlined body or function, longest first:
// "If_0_then_branch__Inline_0__/stft/Conv" -> "/stft/Conv"; "_inlfunc_Gelu_n0" -> "Gelu_n0", "n0".
std::vector<std::string_view> InlinedNames(std::string_view name);

// A subgraph that a provider compiled into one kernel: TRTKernel_graph_…, DmlFusedNode_0_41.
bool IsCompiled(std::string_view name, std::string_view op, std::string_view provider);

// "FusedConv", "QLinearConv", "NhwcMaxPool" -> the op it computes: "Conv", "MaxPool".
std::string_view CoreOp(std::string_view op);

// Ops of the model that tell where a fused op came from, best first: Gelu -> Gelu, Erf;
// LayerNormalization -> LayerNormalization, Sqrt. A plain op tells itself.
std::vector<std::string_view> SourceOps(std::string_view op);

// Ops that only change layout or type: what an engine inserts around its kernels.
bool IsLayoutOp(std::string_view op);

// Ops that only move data: no engine fuses arithmetic into them.
bool IsMovementOp(std::string_view op);

}  // namespace opscope
