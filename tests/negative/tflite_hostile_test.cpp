// TFLite files made to do harm, cut, or damaged: an error or a model, in time.
#include <gtest/gtest.h>

#include <string>

#include "model/formats/tflite/tflite.h"
#include "ops/propagate.h"
#include "support/tflite_model.h"

namespace opscope {
namespace {

using testing::FlatFields;
using testing::FlatInts;
using testing::FlatList;
using testing::FlatPointer;
using testing::FlatTable;
using testing::FlatText;
using testing::I32;
using testing::I8;
using testing::TfliteFile;
using testing::TfliteGraph;
using testing::WriteFlat;

Result<Model> ReadTflite(std::string bytes) {
  Source source = Source::FromBytes("m.tflite", std::move(bytes));
  ImportLog log;
  Result<Model> model = tflite::Read({source, log, {}});
  if (model.has_value()) {
    EXPECT_TRUE(Propagate(*model, {}, log).has_value());
  }
  return model;
}

std::string SmallFile() {
  const TfliteGraph graph = {{{"x", {1, 4}},
                              {"w", {3, 4}, 0, std::string(48, '\0')},
                              {"y", {1, 3}},
                              {"s", {2}, 2, testing::Int32Bytes({3, 1})},
                              {"z", {3, 1}}},
                             {0},
                             {4},
                             {{9, {0, 1, -1}, {2}, 8, {{0, I8(1)}}}, {22, {2, 3}, {4}}}};
  return TfliteFile({graph});
}

void Put32(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
}

TEST(TfliteHostile, IsWholeBeforeItIsCut) { EXPECT_TRUE(ReadTflite(SmallFile()).has_value()); }

TEST(TfliteHostile, CutAtEveryByte) {
  const std::string whole = SmallFile();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Result<Model> model = ReadTflite(whole.substr(0, length));
    if (model.has_value()) continue;
    EXPECT_EQ(model.error().code.rfind("tflite.", 0), 0U) << model.error().ToString();
  }
}

TEST(TfliteHostile, EveryByteChanged) {
  const std::string whole = SmallFile();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x01', '\x7F', '\x80', '\xFF'}) {
      std::string bytes = whole;
      bytes[at] = value;
      (void)ReadTflite(std::move(bytes));
    }
  }
}

TEST(TfliteHostile, EveryOffsetAbsurd) {
  const std::string whole = SmallFile();
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    for (const std::uint32_t value : {0U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
      std::string bytes = whole;
      Put32(bytes, at, value);
      (void)ReadTflite(std::move(bytes));
    }
  }
}

std::string WithSubgraphs(FlatPointer subgraphs) {
  return WriteFlat(FlatTable({{0, I32(3)},
                              {1, FlatList({FlatTable({{0, I8(0)}})})},
                              {2, std::move(subgraphs)},
                              {4, FlatList({FlatTable({})})}}),
                   "TFL3");
}

TEST(TfliteHostile, NoGraph) {
  const Result<Model> model = ReadTflite(WithSubgraphs(FlatList({})));
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, "tflite.no-graph");
}

TEST(TfliteHostile, ShapeOfManyDims) {
  const FlatPointer tensor =
      FlatTable({{0, FlatInts(std::vector<std::int32_t>(5000, 1))}, {3, FlatText("x")}});
  const Result<Model> model =
      ReadTflite(WithSubgraphs(FlatList({FlatTable({{0, FlatList({tensor})}})})));
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, "tflite.tensor-dims");
}

// 64 sub-graphs, each of which runs the next one 16 times: 16^64 operators.
TEST(TfliteHostile, CallsThatMultiply) {
  std::vector<TfliteGraph> graphs;
  for (int g = 0; g < 64; ++g) {
    TfliteGraph graph = {{{"x", {4}}, {"y", {4}}}, {0}, {1}, {}};
    for (int i = 0; i < 16; ++i) graph.ops.push_back({31, {0}, {1}, 16, {{0, I32(g + 1)}}});
    graphs.push_back(std::move(graph));
  }
  const Result<Model> model = ReadTflite(TfliteFile(graphs));
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, "tflite.too-large");
}

// One sub-graph after the other, 5000 deep.
TEST(TfliteHostile, CallsWithoutEnd) {
  std::vector<TfliteGraph> graphs;
  for (int g = 0; g < 5000; ++g)
    graphs.push_back({{{"x", {4}}, {"y", {4}}}, {0}, {1}, {{31, {0}, {1}, 16, {{0, I32(g + 1)}}}}});
  EXPECT_TRUE(ReadTflite(TfliteFile(graphs)).has_value());
}

}  // namespace
}  // namespace opscope
