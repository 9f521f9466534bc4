// Files made to hurt: lengths that lie, shapes that overflow, nests without end, masses of nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "model/formats/format.h"
#include "support/read_onnx.h"
#include "support/wire_bytes.h"

namespace opscope {
namespace {

using testing::Field;
using testing::InModel;
using testing::Number;
using testing::Varint;

Error ErrorOf(std::string bytes) {
  ImportLog log;
  const auto model = testing::ReadBytes(std::move(bytes), log);
  EXPECT_FALSE(model.has_value());
  return model.has_value() ? Error{} : model.error();
}

TEST(OnnxHostile, LengthsBeyondTheFile) {
  for (const std::uint64_t length : {std::uint64_t{1} << 20, std::uint64_t{1} << 32,
                                     std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const std::string head = Number(1, 8) + Field(8, Number(2, 17));
    const Error error = ErrorOf(head + Varint(7 << 3 | 2) + Varint(length) + "abc");
    EXPECT_EQ(error.code, "onnx.truncated") << length;
    EXPECT_EQ(error.place, "m.onnx: byte " + std::to_string(head.size()));
  }
}

TEST(OnnxHostile, LengthsBeyondTheParent) {
  // A node that claims to end behind its graph, with a valid field there.
  const std::string graph = Varint(1 << 3 | 2) + Varint(40) + Field(4, "Op");
  const Error error = ErrorOf(InModel(graph) + Field(2, std::string(64, 'p')));
  EXPECT_EQ(error.code, "onnx.truncated");
}

TEST(OnnxHostile, NumbersWithoutEnd) {
  EXPECT_EQ(ErrorOf(InModel(Field(1, std::string(1, '\x08') + std::string(20, '\xff')))).code,
            "onnx.damaged");
  // Field 0, and the group types that ONNX has not.
  EXPECT_EQ(ErrorOf(InModel(Field(1, std::string(2, '\0')))).code, "onnx.damaged");
  EXPECT_EQ(ErrorOf(InModel(Field(1, "\x0b\x0c"))).code, "onnx.damaged");
}

TEST(OnnxHostile, ShapesThatOverflow) {
  const std::uint64_t big = std::uint64_t{1} << 62;
  const auto tensor = [](const std::string& dims) {
    return InModel(Field(5, dims + Number(2, 1) + Field(8, "w")));
  };
  EXPECT_EQ(ErrorOf(tensor(Number(1, big) + Number(1, big))).code, "onnx.tensor-dims");
  EXPECT_EQ(ErrorOf(tensor(Field(1, Varint(big) + Varint(big)))).code, "onnx.tensor-dims");
  EXPECT_EQ(ErrorOf(tensor(Number(1, 0) + Number(1, big) + Number(1, big))).code,
            "onnx.tensor-dims");
  const Error negative = ErrorOf(tensor(Number(1, ~std::uint64_t{0})));
  EXPECT_EQ(negative.code, "onnx.tensor-dims");
  EXPECT_NE(negative.message.find("[-1]"), std::string::npos) << negative.message;
  // Any number of dims in a few bytes.
  EXPECT_EQ(ErrorOf(tensor(Field(1, std::string(5'000, '\x01')))).code, "onnx.tensor-dims");
  std::string rank;
  for (int i = 0; i < 5000; ++i) rank += Field(1, Number(1, 1));
  const std::string type = Field(1, Number(1, 1) + Field(2, rank));
  EXPECT_EQ(ErrorOf(InModel(Field(11, Field(1, "x") + Field(2, type)))).code, "onnx.damaged");
}

// The largest shape that passes: its bytes still fit the arithmetic.
TEST(OnnxHostile, TheLargestShape) {
  const std::string bytes = InModel(Field(5, Number(1, std::uint64_t{INT64_MAX}) + Number(2, 15)));
  ImportLog log;
  ASSERT_TRUE(testing::ReadBytes(bytes, log).has_value());
}

std::string NestGraphs(int levels) {
  std::string graph;
  for (int i = 0; i < levels; ++i)
    graph = Field(1, Field(4, "If") + Field(5, Field(1, "then_branch") + Field(6, graph)));
  return graph;
}

TEST(OnnxHostile, BodiesInBodies) {
  ImportLog log;
  EXPECT_TRUE(testing::ReadBytes(InModel(NestGraphs(60)), log).has_value());
  const Error error = ErrorOf(InModel(NestGraphs(5000)));
  EXPECT_EQ(error.code, "onnx.depth");
}

// The headers alone of a million nested bodies, each claiming all bytes that follow.
TEST(OnnxHostile, AMillionHeaders) {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i)
    bytes += std::string("\x0a\xff\xff\x7f\x2a\xff\xff\x7f\x32\xff\xff\x7f", 12);
  bytes = Number(1, 8) + Varint(7 << 3 | 2) + Varint(bytes.size()) + bytes;
  EXPECT_EQ(ErrorOf(bytes).code.substr(0, 5), "onnx.");
}

TEST(OnnxHostile, TypesInTypes) {
  std::string type = Field(1, Number(1, 1));
  for (int i = 0; i < 1000; ++i) type = Field(4, Field(1, type));
  EXPECT_EQ(ErrorOf(InModel(Field(11, Field(1, "x") + Field(2, type)))).code, "onnx.depth");
}

// A million nodes of the same unknown names: linear, and the log stays short.
TEST(OnnxHostile, MassesOfOddNodes) {
  const std::string node = Field(1, Field(1, "x") + Field(1, "y") + Field(2, "y") + Field(4, "Op"));
  std::string graph;
  for (int i = 0; i < 300'000; ++i) graph += node;
  const auto begin = std::chrono::steady_clock::now();
  ImportLog log;
  const auto model = testing::ReadBytes(InModel(graph), log);
  ASSERT_TRUE(model.has_value());
  EXPECT_LE(log.issues().size(), 3U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(OnnxHostile, ListsTooLongToKeep) {
  // ints: three million of them, packed; floats likewise; strings of 2 MiB.
  const std::string ints = Field(1, "big") + Field(8, std::string(3'000'000, '\x01'));
  const std::string floats = Field(1, "wide") + Field(7, std::string(5'000'000, '\0'));
  const std::string text = Field(1, "text") + Field(4, std::string(2 << 20, 'a'));
  const std::string node = Field(4, "Op") + Field(5, ints) + Field(5, floats) + Field(5, text);
  ImportLog log;
  const auto model = testing::ReadBytes(InModel(Field(1, node)), log);
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  for (const Attribute& attribute : model->nodes[0].attributes)
    EXPECT_TRUE(std::holds_alternative<std::monostate>(attribute.value));
  ASSERT_EQ(log.issues().size(), 1U);
  EXPECT_EQ(log.issues()[0].code, "onnx.long-attribute");
  EXPECT_EQ(log.issues()[0].count, 3);
}

// A name of 2 MiB is not a name.
TEST(OnnxHostile, NamesTooLongToKeep) {
  const Error error = ErrorOf(InModel(Field(1, Field(4, std::string(2 << 20, 'a')))));
  EXPECT_EQ(error.code, "onnx.damaged");
}

// Packed elements that end in the middle of one.
TEST(OnnxHostile, BrokenPackedElements) {
  const std::string node = Field(4, "Op") + Field(5, Field(1, "a") + Field(8, "\x01\xff"));
  EXPECT_EQ(ErrorOf(InModel(Field(1, node))).code, "onnx.truncated");
}

// A field of another type than the specification's is skipped, as protobuf does.
TEST(OnnxHostile, FieldsOfAnotherType) {
  const std::string node = Number(4, 5) + Field(4, "Op") + Number(1, 7) + Field(20, "x");
  ImportLog log;
  const auto model = testing::ReadBytes(InModel(Field(1, node)), log);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->text(model->nodes[0].op), "Op");
  EXPECT_TRUE(model->nodes[0].inputs.empty());
}

// protobuf's rule for a message that comes twice: its parts are joined.
TEST(OnnxHostile, TwoGraphsAreOne) {
  const std::string node = Field(1, Field(4, "Op"));
  ImportLog log;
  const auto model = testing::ReadBytes(InModel(node) + Field(7, node), log);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->main().nodes.size(), 2U);
}

}  // namespace
}  // namespace opscope
