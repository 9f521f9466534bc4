// The names that ONNX Runtime makes, beside what they say about the model.
#include <gtest/gtest.h>

#include "join/names.h"

namespace opscope {
namespace {

using Names = std::vector<std::string_view>;

TEST(JoinNames, TheCounterOfGeneratedNames) {
  EXPECT_EQ(WithoutToken("conv0_token_1"), "conv0");
  EXPECT_EQ(WithoutToken("ReorderInput_token_102"), "ReorderInput");
  EXPECT_EQ(WithoutToken("a_token_b"), "a_token_b");
  EXPECT_EQ(WithoutToken("a_token_"), "a_token_");
  EXPECT_EQ(WithoutToken("_token_3"), "_token_3");
}

TEST(JoinNames, RowsNamedAfterTheirOutputTensor) {
  EXPECT_EQ(NchwcTensor("r1_nchwc")->tensor, "r1");
  EXPECT_EQ(NchwcTensor("r1_nchwc_token_4")->tensor, "r1");
  EXPECT_EQ(NchwcTensor("bn3_bn_nchwc")->tensor, "bn3");
  EXPECT_EQ(NchwcTensor("bn3_bn_nchwc")->op, "BatchNormalization");
  EXPECT_EQ(NchwcTensor("m_mul_nchwc")->op, "Mul");
  EXPECT_FALSE(NchwcTensor("r1").has_value());
  EXPECT_FALSE(NchwcTensor("_nchwc").has_value());
}

TEST(JoinNames, NodesWithoutAName) {
  EXPECT_EQ(UnnamedIndex("Cos_1", "Cos"), 1);
  EXPECT_EQ(UnnamedIndex("ConstantOfShape_12", "ConstantOfShape"), 12);
  EXPECT_FALSE(UnnamedIndex("Cos_1", "Sin").has_value());
  EXPECT_FALSE(UnnamedIndex("Cos_", "Cos").has_value());
  EXPECT_FALSE(UnnamedIndex("Cos_99999999999999999999", "Cos").has_value());
  EXPECT_FALSE(UnnamedIndex("Cosine_1", "Cos").has_value());
}

TEST(JoinNames, NamesThatQuoteTheModel) {
  EXPECT_EQ(QuotedNames("fused gemm_3"), Names{"gemm_3"});
  EXPECT_EQ(QuotedNames("/enc/MatMul/MatMulAddFusion"), Names{"/enc/MatMul"});
  EXPECT_EQ(QuotedNames("Mul.56/LayerNormFusion/"), Names{"Mul.56"});
  EXPECT_EQ(QuotedNames("x/SimplifiedLayerNormFusion/_token_2"), Names{"x"});
  EXPECT_EQ(QuotedNames("w/duplicated"), Names{"w"});
  EXPECT_EQ(QuotedNames("x/MatMulAddFusion/duplicated"), (Names{"x/MatMulAddFusion", "x"}));
  EXPECT_EQ(QuotedNames("/a/Reshape_new_reshape"), Names{"/a/Reshape"});
  EXPECT_EQ(QuotedNames("conv1"), Names{});
}

TEST(JoinNames, NamesFromInlinedBodies) {
  EXPECT_EQ(InlinedNames("If_0_then_branch__Inline_0__/stft/Conv"), Names{"/stft/Conv"});
  EXPECT_EQ(InlinedNames("_inlfunc_Gelu_n0"), (Names{"Gelu_n0", "n0"}));
  EXPECT_EQ(InlinedNames("conv_1"), Names{});
}

TEST(JoinNames, RowsThatOnlyTheRuntimeMakes) {
  EXPECT_NE(WhatRuntimeRowDoes("ReorderInput_token_3", "ReorderInput"), "");
  EXPECT_NE(WhatRuntimeRowDoes("Memcpy_token_2", "MemcpyToHost"), "");
  EXPECT_NE(WhatRuntimeRowDoes("InsertedPrecisionFreeCast_x", "Cast"), "");
  EXPECT_EQ(WhatRuntimeRowDoes("ReorderInput", "Conv"), "");
  EXPECT_EQ(WhatRuntimeRowDoes("Transpose", "Transpose"), "");
}

TEST(JoinNames, LayoutOpsThatTheEngineInserted) {
  EXPECT_TRUE(IsInsertedName("Transpose_token_0", "Transpose"));
  EXPECT_TRUE(IsInsertedName("Reshape_12", "Reshape"));
  EXPECT_TRUE(IsInsertedName("gemm_input_reshape_token_8", "Reshape"));
  EXPECT_TRUE(IsInsertedName("gemm_output_reshape_token_5_new_reshape", "Reshape"));
  EXPECT_TRUE(IsInsertedName("x_cast", "Cast"));
  EXPECT_FALSE(IsInsertedName("to_nhwc", "Transpose"));
}

TEST(JoinNames, CompiledSubgraphs) {
  EXPECT_TRUE(IsCompiled("TensorrtExecutionProvider_TRTKernel_graph_main_123_0_0",
                         "TRTKernel_graph_main_123_0", "TensorrtExecutionProvider"));
  EXPECT_TRUE(IsCompiled("DmlFusedNode_0_41", "DmlFusedNode_0_41", ""));
  EXPECT_TRUE(IsCompiled("OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0", "x",
                         "OpenVINOExecutionProvider"));
  EXPECT_FALSE(IsCompiled("conv1", "Conv", "CPUExecutionProvider"));
}

TEST(JoinNames, WhereFusedOpsComeFrom) {
  EXPECT_EQ(CoreOp("FusedConv"), "Conv");
  EXPECT_EQ(CoreOp("QLinearConv"), "Conv");
  EXPECT_EQ(CoreOp("NhwcFusedConv"), "Conv");
  EXPECT_EQ(CoreOp("Conv"), "Conv");
  EXPECT_EQ(SourceOps("LayerNormalization"), (Names{"LayerNormalization", "Sqrt"}));
  EXPECT_EQ(SourceOps("QLinearMatMul"), (Names{"QLinearMatMul", "MatMul"}));
  EXPECT_EQ(SourceOps("Relu"), Names{"Relu"});
}

}  // namespace
}  // namespace opscope
