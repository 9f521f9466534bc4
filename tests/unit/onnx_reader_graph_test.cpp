// Graphs, nodes, attributes, bodies, functions, names and types.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "support/read_onnx.h"

namespace opscope {
namespace {

using testing::ReadText;
using Integers = std::vector<std::int64_t>;

TEST(OnnxGraph, NodesInputsAndOutputs) {
  const ReadText read(R"(
    opset 17
    opset com.microsoft 1
    producer "pytorch" "2.1.0"
    metadata "character" "ab"
    input x float32 [N,3,32,32]
    init w float32 [8,3,3,3]
    node Conv (x, w, ) -> (y) name="c"
    node Gelu (y) -> (z) domain="com.microsoft" meta:pkg.torch.onnx.name_scopes="['a', 'b']"
    output z float32 [N,8,?,30]
  )");
  const Model& model = read.model;
  ASSERT_EQ(model.nodes.size(), 2U);
  const Node& conv = model.nodes[0];
  EXPECT_EQ(model.text(conv.op), "Conv");
  EXPECT_EQ(model.text(conv.name), "c");
  EXPECT_EQ(model.text(conv.domain), "ai.onnx");
  EXPECT_EQ(conv.inputs, (std::vector<TensorId>{read.Find("x"), read.Find("w"), TensorId{}}));
  EXPECT_EQ(conv.outputs, std::vector<TensorId>{read.Find("y")});
  EXPECT_EQ(read.tensor("y").producer, NodeId{0});
  EXPECT_EQ(model.text(model.nodes[1].domain), "com.microsoft");
  ASSERT_EQ(model.nodes[1].metadata.size(), 1U);
  EXPECT_EQ(model.text(model.nodes[1].metadata[0].second), "['a', 'b']");
  EXPECT_EQ(read.main().inputs, std::vector<TensorId>{read.Find("x")});
  EXPECT_EQ(read.main().outputs, std::vector<TensorId>{read.Find("z")});
  EXPECT_EQ(read.main().initializers, std::vector<TensorId>{read.Find("w")});
  EXPECT_TRUE(read.tensor("x").graph_input);
  EXPECT_TRUE(read.tensor("z").graph_output);
  EXPECT_EQ(read.shape("z"), "N 8 ? 30");
  EXPECT_EQ(read.shape("y"), "*");
  EXPECT_EQ(model.producer, "pytorch 2.1.0");
  EXPECT_EQ(model.format, "onnx");
  EXPECT_EQ(model.opsets.size(), 2U);
  EXPECT_EQ(model.opsets[0].second, 17);
  EXPECT_EQ(model.metadata[0].second, "ab");
  EXPECT_EQ(model.structure_hash.size(), 32U);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxGraph, AttributesOfEveryKind) {
  const ReadText read(R"(
    input x float32 [1]
    tensor t int64 [2] = 3 4
    sparse-init p float32 [4] nnz 1
    node Op (x) -> (y) f=0.5 i=-7 s="text" fs=[1, 2.5] is=[1,2,3] ss=["a","批"] t=init:t ts=[init:t, init:t] g=graph:b gs=[graph:b, graph:b] sp=init:p ty=type(sequence(float32 [N])) none=[]
    output y float32 [1]
    graph b
      node Relu (x) -> (r)
      output r
    end
  )");
  const Model& model = read.model;
  const Node& node = model.nodes[0];
  const auto value = [&](const char* name) -> const AttributeValue& {
    return FindAttribute(model, node, name)->value;
  };
  EXPECT_EQ(std::get<float>(value("f")), 0.5F);
  EXPECT_EQ(std::get<std::int64_t>(value("i")), -7);
  EXPECT_EQ(std::get<std::string>(value("s")), "text");
  EXPECT_EQ(std::get<std::vector<float>>(value("fs")), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(std::get<Integers>(value("is")), (Integers{1, 2, 3}));
  EXPECT_EQ(std::get<std::vector<std::string>>(value("ss")), (std::vector<std::string>{"a", "批"}));
  EXPECT_EQ(IntegersOf(model.payload(std::get<PayloadId>(value("t")))), (Integers{3, 4}));
  EXPECT_EQ(std::get<std::vector<PayloadId>>(value("ts")).size(), 2U);
  EXPECT_EQ(model.graph(std::get<GraphId>(value("g"))).nodes.size(), 1U);
  EXPECT_EQ(std::get<std::vector<GraphId>>(value("gs")).size(), 2U);
  EXPECT_TRUE(model.payload(std::get<PayloadId>(value("sp"))).sparse);
  EXPECT_EQ(std::get<TypeInfo>(value("ty")).kind, ValueKind::kSequence);
  EXPECT_EQ(std::get<TypeInfo>(value("ty")).dtype, DType::kFloat32);
  EXPECT_EQ(std::get<Integers>(value("none")), Integers{});
  EXPECT_EQ(FindAttribute(model, node, "absent"), nullptr);
}

// Writers leave out what has the default value, and the oldest leave out the type.
TEST(OnnxGraph, AttributesWithoutValueOrWithoutType) {
  // NodeProto.attribute {name "a", type INT} and {name "b", i 5}
  const std::string node(
      "\x22\x02Op\x2a\x06\x0a\x01"
      "a\xa0\x01\x02\x2a\x05\x0a\x01"
      "b\x18\x05",
      19);
  const std::string graph = "\x0a" + std::string(1, static_cast<char>(node.size())) + node;
  const std::string bytes = std::string("\x08\x08\x3a", 3) +
                            std::string(1, static_cast<char>(graph.size())) + graph +
                            std::string("\x42\x02\x10\x11", 4);
  ImportLog log;
  const auto model = testing::ReadBytes(bytes, log);
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  ASSERT_EQ(model->nodes.size(), 1U);
  ASSERT_EQ(model->nodes[0].attributes.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(model->nodes[0].attributes[0].value), 0);
  EXPECT_EQ(std::get<std::int64_t>(model->nodes[0].attributes[1].value), 5);
}

TEST(OnnxGraph, NamesMayBeAnything) {
  const ReadText read(R"(
    input "" float32 [1]
    input "输入 \"x\"" float32 [1]
    node Relu ("输入 \"x\"") -> ("a/b:0") name=""
    node Relu ("a/b:0") -> ("\xff\xfe") name="n\nn"
    node Relu ("\xff\xfe") -> (out) name="n\nn"
    output out float32 [1]
  )");
  EXPECT_EQ(read.model.nodes[0].inputs[0], read.Find("输入 \"x\""));
  EXPECT_EQ(read.model.nodes[2].inputs[0], read.Find("\xff\xfe"));
  EXPECT_EQ(read.model.text(read.model.nodes[1].name), "n\nn");
  EXPECT_EQ(read.model.text(read.model.nodes[0].name), "");
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxGraph, AnInitializerMayAlsoBeAnInput) {
  const ReadText read(R"(
    ir 3
    input x float32 [1,3]
    input w float32 [3,0]
    init w float32 [3,0]
    node MatMul (x, w) -> (y)
    output y float32 [1,0]
  )");
  EXPECT_EQ(read.model.tensors.size(), 3U);
  EXPECT_TRUE(read.tensor("w").graph_input);
  EXPECT_TRUE(read.tensor("w").payload.valid());
  EXPECT_EQ(read.shape("w"), "3 0");  // a constant of size 0 is one
  EXPECT_EQ(read.shape("y"), "1 ?");  // a computed one is not believed
  EXPECT_TRUE(read.log.issues().empty());
}

// ----- free dims

TEST(OnnxGraph, FreeInputDimsGetNames) {
  const ReadText read(R"(
    input x float32 [?,3,"",-1]
    input y float32 [N,"?",0]
    input "a b" float32 [?]
    output x float32 [1]
  )");
  EXPECT_EQ(read.shape("x"), "x_d0 3 x_d2 x_d3");
  EXPECT_EQ(read.shape("y"), "N y_d1 y_d2");
  EXPECT_EQ(read.shape("a b"), "`a b_d0`");
  ASSERT_EQ(read.log.issues().size(), 1U);
  EXPECT_EQ(read.log.issues()[0].code, "onnx.zero-dim");
  EXPECT_EQ(read.log.issues()[0].where, "tensor 'y'");
}

TEST(OnnxGraph, NamesGivenToFreeDimsAreNew) {
  const ReadText read("input x float32 [?,x_d0]\noutput x\n");
  EXPECT_EQ(read.shape("x"), "x_d0_ x_d0");
}

// ----- types

TEST(OnnxGraph, TypesOfEveryKind) {
  const ReadText read(R"(
    input a sequence(float32 [2,?])
    input b optional(sequence(int32 [*]))
    input c map(int64, float16 [2])
    input d sparse(float32 [3,4])
    input e bool []
    input f float32 [*]
    input g
    output e bool []
  )");
  const auto type = [&](const char* name) { return read.tensor(name).declared; };
  EXPECT_EQ(type("a").kind, ValueKind::kSequence);
  EXPECT_EQ(read.shape("a"), "2 ?");
  EXPECT_EQ(type("b").kind, ValueKind::kOptional);
  EXPECT_EQ(type("b").dtype, DType::kInt32);
  EXPECT_EQ(type("c").kind, ValueKind::kMap);
  EXPECT_EQ(type("c").dtype, DType::kFloat16);
  EXPECT_EQ(type("d").kind, ValueKind::kSparseTensor);
  EXPECT_EQ(read.shape("e"), "");
  EXPECT_TRUE(type("e").shape.known_rank());
  EXPECT_FALSE(type("f").shape.known_rank());
  EXPECT_EQ(type("g").dtype, DType::kUnknown);
}

TEST(OnnxGraph, ValueInfoDeclaresWhatNodesMake) {
  const ReadText read(R"(
    input x float32 [1,2]
    value t float32 [1,2,0]
    value nobody float32 [1]
    node Relu (x) -> (t)
    node Relu (t) -> (y)
    output y float32 [1,2]
  )");
  EXPECT_EQ(read.shape("t"), "1 2 ?");
  EXPECT_FALSE(read.Find("nobody").valid());
  EXPECT_TRUE(read.log.issues().empty());
}

// ----- bodies and scopes

TEST(OnnxScopes, BodiesSeeOuterNames) {
  const ReadText read(R"(
    input c bool []
    input x float32 [4]
    node Relu (x) -> (r)
    node If (c) -> (y) name="if" then_branch=graph:t else_branch=graph:e
    node Relu (y) -> (z)
    init late float32 [4]
    output z float32 [4]
    graph t
      node Add (r, late) -> (o)
      output o float32 [4]
    end
    graph e
      node If (c) -> (o) then_branch=graph:inner else_branch=graph:inner
      output o float32 [4]
    end
    graph inner
      node Mul (r, x) -> (i)
      output i
    end
  )");
  const Model& model = read.model;
  ASSERT_EQ(model.graphs.size(), 5U);
  const Graph& then_branch = model.graphs[1];
  EXPECT_EQ(model.text(then_branch.owner_attribute), "then_branch");
  EXPECT_EQ(model.text(model.node(then_branch.owner).name), "if");
  EXPECT_EQ(then_branch.parent, GraphId{0});
  const Node& add = model.node(then_branch.nodes[0]);
  EXPECT_EQ(add.inputs, (std::vector<TensorId>{read.Find("r"), read.Find("late")}));
  EXPECT_EQ(model.tensor(add.outputs[0]).graph, GraphId{1});
  EXPECT_EQ(model.graphs[2].parent, GraphId{0});
  EXPECT_EQ(model.graphs[3].parent, GraphId{2});
  EXPECT_EQ(model.node(model.graphs[3].nodes[0]).inputs[1], read.Find("x"));
  // Same names in two bodies are two tensors.
  EXPECT_NE(then_branch.outputs[0], model.graphs[2].outputs[0]);
  EXPECT_TRUE(read.log.issues().empty());
  // A container stands before the nodes of its bodies, all in file order.
  EXPECT_EQ(model.text(model.nodes[1].op), "If");
  EXPECT_EQ(model.text(model.nodes[2].op), "Add");
  EXPECT_EQ(model.text(model.nodes.back().op), "Relu");
}

TEST(OnnxScopes, ABodyMayGiveAnOuterValueOut) {
  const ReadText read(R"(
    input c bool []
    input x float32 [4]
    node If (c) -> (y) then_branch=graph:t else_branch=graph:t
    output y float32 [4]
    graph t
      output x float32 [4]
    end
  )");
  EXPECT_EQ(read.model.graphs[1].outputs[0], read.Find("x"));
  EXPECT_FALSE(read.tensor("x").graph_output);
}

TEST(OnnxScopes, ShadowingIsNoted) {
  const ReadText read(R"(
    input c bool []
    input x float32 [4]
    node If (c) -> (y) then_branch=graph:t else_branch=graph:t
    node Relu (x) -> (z)
    output y
    graph t
      node Relu (x) -> (x)
      output x
    end
  )");
  ASSERT_NE(read.Issue("onnx.shadowed"), nullptr);
  EXPECT_EQ(read.Issue("onnx.shadowed")->count, 2);
  EXPECT_EQ(read.model.nodes.back().inputs[0], read.Find("x"));  // the outer one again
  EXPECT_EQ(read.model.graphs[1].outputs[0], read.Find("x", {1}));
}

TEST(OnnxScopes, UseBeforeMakingIsNoted) {
  const ReadText read(R"(
    input x float32 [4]
    node Relu (b) -> (y)
    node Relu (x) -> (b)
    output y
  )");
  ASSERT_NE(read.Issue("onnx.order"), nullptr);
  EXPECT_EQ(read.tensor("b").producer, NodeId{1});
  EXPECT_EQ(read.model.nodes[0].inputs[0], read.model.nodes[1].outputs[0]);
  EXPECT_EQ(read.log.issues().size(), 1U);
}

TEST(OnnxScopes, NamesMadeTwiceAreNoted) {
  const ReadText read(R"(
    input x float32 [4]
    node Relu (x) -> (a)
    node Relu (a) -> (a)
    node Relu (a) -> (y)
    output y
  )");
  EXPECT_EQ(read.Issue("onnx.not-ssa")->count, 1);
  const auto& nodes = read.model.nodes;
  EXPECT_EQ(nodes[1].inputs[0], nodes[0].outputs[0]);
  EXPECT_EQ(nodes[2].inputs[0], nodes[1].outputs[0]);
  EXPECT_NE(nodes[0].outputs[0], nodes[1].outputs[0]);
}

TEST(OnnxScopes, ValuesNobodyMakesStayUnknown) {
  const ReadText read(R"(
    input c bool []
    node Relu (ghost) -> (y)
    node If (c) -> (z) then_branch=graph:t else_branch=graph:t
    output nothing
    graph t
      node Relu (ghost) -> (o)
      output o
    end
  )");
  ASSERT_NE(read.Issue("onnx.undefined"), nullptr);
  EXPECT_EQ(read.Issue("onnx.undefined")->count, 2);
  EXPECT_EQ(read.Issue("onnx.undefined")->where, "tensor 'ghost'");
  const TensorId ghost = read.Find("ghost");
  EXPECT_FALSE(read.model.tensor(ghost).producer.valid());
  EXPECT_EQ(read.model.nodes[2].inputs[0], ghost);
  EXPECT_TRUE(read.main().outputs[0].valid());
}

// ----- functions

TEST(OnnxFunctions, AreGraphsOfTheirOwn) {
  const ReadText read(R"(
    opset 17
    opset com.acme 1
    input a float32 [4]
    node Foo (a) -> (y) domain="com.acme" overload="fast" alpha=2.0
    output y float32 [4]
    function com.acme Foo (a) -> (c) attrs(alpha, beta=1) overload fast opset 16
    node Elu (a) -> (b) alpha=@alpha
    node Relu (b) -> (c)
    end
  )");
  const Model& model = read.model;
  ASSERT_EQ(model.functions.size(), 1U);
  const Function& function = model.functions[0];
  EXPECT_EQ(model.text(function.domain), "com.acme");
  EXPECT_EQ(model.text(function.name), "Foo");
  EXPECT_EQ(model.text(function.overload), "fast");
  EXPECT_EQ(model.text(model.nodes[0].overload), "fast");
  ASSERT_EQ(function.attributes.size(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(function.default_attributes.at(0).value), 1);
  EXPECT_EQ(function.opsets.at(0).second, 16);
  const Graph& graph = model.graph(function.graph);
  EXPECT_FALSE(graph.parent.valid());
  ASSERT_EQ(graph.nodes.size(), 2U);
  const Node& elu = model.node(graph.nodes[0]);
  EXPECT_EQ(model.text(std::get<AttributeRef>(elu.attributes[0].value).name), "alpha");
  // The function's `a` is not the model's.
  EXPECT_EQ(elu.inputs[0], graph.inputs[0]);
  EXPECT_NE(graph.inputs[0], read.main().inputs[0]);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxFunctions, SeeNothingOfTheModel) {
  const ReadText read(R"(
    input x float32 [4]
    node Foo (x) -> (y) domain="com.acme"
    output y
    function com.acme Foo (a) -> (c)
    node Add (a, x) -> (c)
    end
  )");
  EXPECT_EQ(read.Issue("onnx.undefined")->where, "tensor 'x'");
}

// ----- the structure hash

TEST(OnnxHash, WeightsDoNotChangeItStructureDoes) {
  const auto hash = [](const std::string& text) { return ReadText(text).model.structure_hash; };
  const std::string base =
      hash("input x float32 [1]\ninit w float32 [2] = 1 2\nnode A (x, w) -> (y)\n");
  EXPECT_EQ(base, hash("input x float32 [1]\ninit w float32 [2] = 3 4\nnode A (x, w) -> (y)\n"));
  EXPECT_NE(base, hash("input x float32 [1]\ninit w float32 [3] = 3 4 5\nnode A (x, w) -> (y)\n"));
  EXPECT_NE(base, hash("input x float32 [2]\ninit w float32 [2] = 1 2\nnode A (x, w) -> (y)\n"));
  EXPECT_NE(base, hash("input x float32 [1]\ninit w float32 [2] = 1 2\nnode B (x, w) -> (y)\n"));
  EXPECT_NE(base, hash("input x float32 [1]\ninit w float32 [2] = 1 2\nnode A (w, x) -> (y)\n"));
  EXPECT_NE(base,
            hash("input x float32 [1]\ninit w float32 [2] = 1 2\nnode A (x, w) -> (y) k=1\n"));
  EXPECT_NE(hash("node A () -> (y) k=[1,2]\n"), hash("node A () -> (y) k=[1,3]\n"));
}

TEST(OnnxModel, WithoutAnOpsetOneIsAssumed) {
  // ir_version 8, then a graph with one node "Op"
  const std::string bytes("\x08\x08\x12\x01p\x3a\x06\x0a\x04\x22\x02Op", 13);
  ImportLog log;
  const auto model = testing::ReadBytes(bytes, log);
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  EXPECT_EQ(model->opsets.at(0).second, 17);
  EXPECT_EQ(log.issues().at(0).code, "onnx.no-opset");
}

}  // namespace
}  // namespace opscope
