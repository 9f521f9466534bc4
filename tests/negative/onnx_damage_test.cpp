// Damaged files: cut at every byte, with every byte changed. Reading ends with an error of ours or
// with a model; it never crashes (the fuzz target looks further).
#include <gtest/gtest.h>

#include <string>

#include "model/formats/format.h"
#include "support/read_onnx.h"

namespace opscope {
namespace {

// Something of everything the reader knows.
const char kModel[] = R"(
  opset 17
  opset com.acme 1
  producer "pytorch" "2.1"
  metadata "key" "value"
  input x float32 [N,3,?,0]
  input s sequence(optional(float32 [2]))
  input c bool []
  init w float32 [4,3,1,1]
  init k int64 [2] typed = 1 -2
  init h float16 [2] typed unpacked = 15360 49152
  init q int4 [5] = 1 2 3 4 5
  init e float32 [4] external "w.bin" 0 16
  sparse-init p float32 [4,4] nnz 2
  value y float32 [N,4,?,?]
  node Conv (x, w, ) -> (y) name="conv" pads=[1,1,1,1] alpha=0.5 mode="same" meta:a="b"
  node If (c) -> (z) then_branch=graph:t else_branch=graph:t
  node Foo (z) -> (u) domain="com.acme" fs=[0.5,1.5] ss=["a","b"] t=init:k ty=type(float32 [2])
  output u float32 [N]
  graph t
    node Relu (y) -> (r)
    output r float32 [?]
  end
  function com.acme Foo (a) -> (b) attrs(alpha, beta=1)
  node Elu (a) -> (b) alpha=@alpha
  end
)";

std::string Area(const Error& error) { return error.code.substr(0, error.code.find('.')); }

// The model's own promises, which later stages rely on.
void ExpectSound(const Model& model) {
  for (const Node& node : model.nodes) {
    ASSERT_LT(node.graph.index(), model.graphs.size());
    for (const auto* list : {&node.inputs, &node.outputs})
      for (const TensorId id : *list) ASSERT_TRUE(!id.valid() || id.index() < model.tensors.size());
    for (const Str text : {node.name, node.op, node.domain})
      ASSERT_LT(text.index(), model.strings.size());
  }
  for (const Tensor& tensor : model.tensors) {
    ASSERT_LT(tensor.graph.index(), model.graphs.size());
    ASSERT_TRUE(!tensor.producer.valid() || tensor.producer.index() < model.nodes.size());
    ASSERT_TRUE(!tensor.payload.valid() || tensor.payload.index() < model.payloads.size());
  }
  for (const Payload& payload : model.payloads) {
    if (payload.place == Payload::Place::kExternal) {
      ASSERT_LT(payload.external_file, model.external_files.size());
    }
    for (const std::int64_t dim : payload.dims) ASSERT_GE(dim, 0);
  }
  for (const Graph& graph : model.graphs) {
    ASSERT_TRUE(!graph.parent.valid() || graph.parent.index() < model.graphs.size());
    for (const NodeId id : graph.nodes) ASSERT_LT(id.index(), model.nodes.size());
  }
}

void ExpectErrorOrSoundModel(std::string bytes) {
  ImportLog log;
  const auto model = testing::ReadBytes(std::move(bytes), log);
  if (model.has_value()) {
    ExpectSound(*model);
    return;
  }
  const std::string area = Area(model.error());
  EXPECT_TRUE(area == "onnx" || area == "input") << model.error().code;
  EXPECT_EQ(model.error().place.rfind("m.onnx", 0), 0U) << model.error().place;
}

TEST(OnnxDamage, CutAtEveryByte) {
  const std::string bytes = testing::BytesOf(kModel);
  int truncated = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ImportLog log;
    const auto model = testing::ReadBytes(bytes.substr(0, size), log);
    if (!model.has_value() && model.error().code == "onnx.truncated") ++truncated;
    ExpectErrorOrSoundModel(bytes.substr(0, size));
  }
  // A cut inside a field is called one; between two fields of the file nothing can be seen.
  EXPECT_GT(truncated, static_cast<int>(bytes.size()) - 40);
}

TEST(OnnxDamage, EveryByteChanged) {
  const std::string bytes = testing::BytesOf(kModel);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff, 0x08, 0x0a}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      ExpectErrorOrSoundModel(std::move(damaged));
    }
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ExpectErrorOrSoundModel(std::move(flipped));
  }
}

TEST(OnnxDamage, EveryByteLeftOut) {
  const std::string bytes = testing::BytesOf(kModel);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    ExpectErrorOrSoundModel(bytes.substr(0, at) + bytes.substr(at + 1));
}

TEST(OnnxDamage, ErrorsSayWhereAndWhatToDo) {
  const std::string bytes = testing::BytesOf(kModel);
  ImportLog log;
  const auto model = testing::ReadBytes(bytes.substr(0, 200), log);
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, "onnx.truncated");
  EXPECT_EQ(model.error().place, "m.onnx: byte 2");
  EXPECT_NE(model.error().message.find("get it again"), std::string::npos);
}

}  // namespace
}  // namespace opscope
