// Names that TensorRT writes on the left, what is in them on the right.
#include <gtest/gtest.h>

#include <string>

#include "base/fused_name.h"

namespace opscope {
namespace {

// "region: a .. b", parts with * = point-wise, ~ = made (for whom), lanes apart by |.
std::string Show(std::string_view text) {
  const FusedName name = ParseFusedName(text);
  constexpr const char* kKinds[] = {"", "region: ", "reformat", "kernel"};
  std::string out = kKinds[static_cast<std::size_t>(name.kind)];
  if (name.kind == FusedName::Kind::kReformat)
    out += (name.output ? " output " : " input ") + std::to_string(name.operand) + ": ";
  if (name.kind == FusedName::Kind::kKernel) out += name.ops.empty() ? ": " : " " + name.ops + ": ";
  std::uint32_t lane = 0;
  for (std::size_t i = 0; i < name.parts.size(); ++i) {
    const FusedPart& part = name.parts[i];
    if (i > 0) out += part.lane != lane ? " | " : ", ";
    lane = part.lane;
    out += part.name;
    if (part.kind == FusedPart::Kind::kPointwise) out += "*";
    if (part.kind == FusedPart::Kind::kMade) out += "~" + part.of;
  }
  if (name.profile > 0) out += " (profile " + std::to_string(name.profile) + ")";
  return out;
}

TEST(FusedName, Grammar) {
  const std::pair<const char*, const char*> cases[] = {
      {"/conv1/Conv", "/conv1/Conv"},
      {"", ""},
      {"features.0.0.weight + QuantizeLinear_8 + Conv_12 + PWN(Clip_16)",
       "features.0.0.weight, QuantizeLinear_8, Conv_12, Clip_16*"},
      {"Conv_3 || Conv_4", "Conv_3 | Conv_4"},
      {"Conv_3 + Relu_5 || Conv_4 + Relu_6", "Conv_3, Relu_5 | Conv_4, Relu_6"},
      {"PWN(PWN(Sigmoid_1), Mul_2)", "Sigmoid_1*, Mul_2*"},
      {"PWN(Softplus_11, PWN(Tanh_12, Mul_13))", "Softplus_11*, Tanh_12*, Mul_13*"},
      {"PWN(A + B)", "A*, B*"},
      {"{ForeignNode[node_conv2d...node_relu]}", "region: node_conv2d, node_relu"},
      {"{ForeignNode[only]}", "region: only"},
      {"Reformatting CopyNode for Input Tensor 0 to Conv_1 + Relu_2",
       "reformat input 0: Conv_1, Relu_2"},
      {"Reformatting CopyNode for Output Tensor 1 to {ForeignNode[a...b]}",
       "reformat output 1: a, b"},
      {"conv1 + relu1 input reformatter 0", "reformat input 0: conv1, relu1"},
      {"conv1 output reformatter 2", "reformat output 2: conv1"},
      {"node_conv2d_1_myl3_1", "kernel: node_conv2d_1"},
      {"/MatMul_2+/MatMul_1+/MatMul_myl0_2", "kernel: /MatMul_2, /MatMul_1, /MatMul"},
      {"__myl_MulSum_myl4_1", "kernel MulSum: "},
      {"__mye59_0_myl0_0", "kernel: "},
      {"Gemm_864 + classifier.1.bias + (Unnamed Layer* 849) [Shuffle] + "
       "unsqueeze_node_after_classifier.1.bias + (Unnamed Layer* 850) [ElementWise]",
       "Gemm_864, classifier.1.bias, (Unnamed Layer* 849) [Shuffle]~, "
       "unsqueeze_node_after_classifier.1.bias~classifier.1.bias, "
       "(Unnamed Layer* 850) [ElementWise]~"},
      {"reshape_before_Gemm_7", "reshape_before_Gemm_7~Gemm_7"},
      {"Conv_1 + Relu_2 [profile 1]", "Conv_1, Relu_2 (profile 1)"},
      {"{ForeignNode[a...b]} [profile 2]", "region: a, b (profile 2)"},
      // No rule holds: the text itself.
      {"PWN(a", "PWN(a"},
      {"a)) + b", "a)), b"},
      {"Reformatting CopyNode for nothing", "Reformatting CopyNode for nothing"},
      {"卷积_1 + 激活", "卷积_1, 激活"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(Show(text), shown) << text;
}

TEST(FusedName, HostileTextEnds) {
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "PWN(";
  EXPECT_EQ(ParseFusedName(deep + std::string(20000, ')')).parts.size(), 1U);
  std::string wide;
  for (int i = 0; i < 50000; ++i) wide += "a + ";
  EXPECT_EQ(ParseFusedName(wide).parts.size(), 50000U);
  EXPECT_EQ(ParseFusedName("x [profile 99999999999999999999]").profile, 0U);
}

TEST(FusedName, OnnxLayersOfMetadata) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(OnnxLayersOf("[ONNX Layer: /a/Conv]\x1e[ONNX Layer: /b/Relu]"),
            (Names{"/a/Conv", "/b/Relu"}));
  EXPECT_EQ(OnnxLayersOf("[ONNX Layer: a]\x1f[ONNX Layer: b]\x1e[ONNX Layer: a]"),
            (Names{"a", "b"}));
  EXPECT_EQ(OnnxLayersOf("[ONNX Layer: a[0]][ONNX Layer: b]"), (Names{"a[0]", "b"}));
  EXPECT_EQ(OnnxLayersOf("[Other: x]\x1e[ONNX Layer: b]\x1e[Other: y]"), Names{"b"});
  EXPECT_TRUE(OnnxLayersOf("").empty());
  EXPECT_TRUE(OnnxLayersOf("[ONNX Layer: cut").empty());
}

}  // namespace
}  // namespace opscope
