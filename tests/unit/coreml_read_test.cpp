// Core ML models written field by field: programs, networks, pipelines, other kinds, flexible
// shapes; damage.
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"

namespace opscope {
namespace {

std::string Varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>(value % 128 + 128);
  return out + static_cast<char>(value);
}
std::string Num(std::uint32_t field, std::uint64_t value) {
  return Varint(std::uint64_t{field} << 3) + Varint(value);
}
std::string Msg(std::uint32_t field, const std::string& bytes) {
  return Varint(std::uint64_t{field} << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string Packed(std::uint32_t field, std::initializer_list<std::uint64_t> values) {
  std::string out;
  for (const std::uint64_t value : values) out += Varint(value);
  return Msg(field, out);
}

// FeatureDescription of a float32 array; `more` = flexible shapes.
std::string Array(const std::string& name, std::initializer_list<std::uint64_t> shape,
                  const std::string& more = "") {
  return Msg(1, name) + Msg(3, Msg(5, Packed(1, shape) + Num(2, 65568) + more));
}
std::string ModelOf(const std::string& inputs, const std::string& outputs, std::uint32_t kind,
                    const std::string& body) {
  return Num(1, 7) + Msg(2, inputs + outputs) + Msg(kind, body);
}

// --- programs ---

constexpr std::uint64_t kFloat32 = 11, kInt32 = 23, kString = 2;

std::string Type(std::uint64_t dtype, std::initializer_list<std::int64_t> sizes) {
  std::string out = Num(1, dtype) + Num(2, sizes.size());
  for (const std::int64_t size : sizes)
    out += Msg(3, size < 0 ? Msg(2, "") : Msg(1, Num(1, static_cast<std::uint64_t>(size))));
  return Msg(1, out);
}
std::string Value(const std::string& name, const std::string& type) {
  return Msg(1, name) + Msg(2, type);
}
std::string Blob(const std::string& type, std::uint64_t offset) {
  return Msg(2, type) + Msg(5, Msg(1, "@model_path/weights/weight.bin") + Num(2, offset));
}
std::string Ints(std::initializer_list<std::uint64_t> values) {
  return Msg(2, Type(kInt32, {static_cast<std::int64_t>(values.size())})) +
         Msg(3, Msg(1, Msg(2, Packed(1, values))));
}
std::string Text(const std::string& text) {
  return Msg(2, Type(kString, {})) + Msg(3, Msg(1, Msg(4, Msg(1, text))));
}
std::string Ref(const std::string& key, const std::string& name) {
  return Msg(2, Msg(1, key) + Msg(2, Msg(1, Msg(1, name))));
}
std::string Op(const std::string& type, const std::string& inputs, const std::string& name,
               const std::string& output, const std::string& val = "") {
  return Msg(3, Msg(1, type) + inputs + Msg(3, Value(name, output)) +
                    (val.empty() ? "" : Msg(5, Msg(1, "val") + Msg(2, val))) +
                    Msg(5, Msg(1, "name") + Msg(2, Text(name))));
}
std::string Program(const std::string& input, const std::string& ops) {
  const std::string block = Msg(2, "y") + ops;
  const std::string function =
      Msg(1, input) + Msg(2, "CoreML7") + Msg(3, Msg(1, "CoreML7") + Msg(2, block));
  return Num(1, 1) + Msg(2, Msg(1, "main") + Msg(2, function));
}

std::string ConvProgram(std::int64_t rows, const std::string& feature) {
  const std::string ops =
      Op("const", "", "w", Type(kFloat32, {8, 3, 3, 3}), Blob(Type(kFloat32, {8, 3, 3, 3}), 64)) +
      Op("const", "", "s", Type(kInt32, {2}), Ints({2, 2})) +
      Op("const", "", "p", Type(kString, {}), Text("same")) +
      Op("conv", Ref("x", "x") + Ref("weight", "w") + Ref("strides", "s") + Ref("pad_type", "p"),
         "c", Type(kFloat32, {1, 8, rows < 0 ? -1 : 8, 6})) +
      Op("relu", Ref("x", "c"), "y", Type(kFloat32, {1, 8, rows < 0 ? -1 : 8, 6}));
  return ModelOf(Msg(1, feature), Msg(10, Array("y", {})), 502,
                 Program(Value("x", Type(kFloat32, {1, 3, rows, 12})), ops));
}

// --- networks ---

std::string Layer(const std::string& name, const std::string& in, const std::string& out,
                  std::uint32_t kind, const std::string& params) {
  return Msg(1, Msg(1, name) + Msg(2, in) + Msg(3, out) + Msg(kind, params));
}
std::string ConvLayer() {
  return Layer("conv", "x", "a", 100,
               Num(1, 8) + Num(2, 3) + Num(10, 1) + Packed(20, {3, 3}) + Packed(30, {2, 2}) +
                   Msg(51, "") + Num(70, 1) + Msg(90, Msg(1, std::string(8 * 27 * 4, '\0'))) +
                   Msg(91, Msg(1, std::string(32, '\0'))));
}
std::string ConvNetwork() {
  const std::string layers =
      ConvLayer() + Layer("relu", "a", "b", 130, Msg(10, "")) +
      Layer("pool", "b", "c", 120, Num(1, 1) + Num(60, 1)) +
      Layer("fc", "c", "y", 140,
            Num(1, 8) + Num(2, 5) + Msg(20, Msg(30, std::string(20, '\0')) + Msg(40, Num(1, 4))));
  return ModelOf(Msg(1, Array("x", {3, 16, 12})), Msg(10, Array("y", {5})), 500, layers);
}

struct Analysed {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;
  std::string macs() const { return model.dims.ToText(analysis.totals.counts.macs); }
};

Result<Model> TryRead(std::string bytes, ImportLog& log) {
  Source source = Source::FromBytes("m.mlmodel", std::move(bytes));
  return ReadModel({source, log, {}}, "");
}

Analysed Analyse(const std::string& bytes) {
  Analysed out;
  auto model = TryRead(bytes, out.log);
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  out.model = std::move(*model);
  auto analysis = AnalyzeStatic(out.model, {}, out.log);
  EXPECT_TRUE(analysis.has_value());
  if (analysis.has_value()) out.analysis = std::move(*analysis);
  return out;
}

TEST(CoreMlRead, Program) {
  const Analysed read = Analyse(ConvProgram(16, Array("x", {1, 3, 16, 12})));
  EXPECT_EQ(read.macs(), std::to_string(8 * 8 * 6 * 27));
  EXPECT_EQ(read.model.format, "coreml");
  EXPECT_EQ(read.model.nodes.size(), 2U);  // constants are no nodes
  EXPECT_EQ(read.model.external_files.at(0).path, "weights/weight.bin");
  EXPECT_EQ(read.model.payloads.at(0).length, 8U * 27 * 4);
  EXPECT_EQ(read.model.payloads.at(0).offset, 128U);
  for (const ImportIssue& issue : read.log.issues()) EXPECT_NE(issue.code, "ops.shape-differs");
}

TEST(CoreMlRead, StoredTypesAreCompared) {
  const Analysed read = Analyse(ConvProgram(20, Array("x", {1, 3, 20, 12})));
  EXPECT_EQ(read.log.issues().at(0).code, "ops.shape-differs");
}

TEST(CoreMlRead, RangesAreSymbols) {
  const auto range = [](std::uint64_t low, std::uint64_t high) {
    return Msg(1, Num(1, low) + Num(2, high));
  };
  const std::string ranges = Msg(31, range(1, 1) + range(3, 3) + range(16, 64) + range(12, 12));
  const Analysed read = Analyse(ConvProgram(-1, Array("x", {1, 3, 16, 12}, ranges)));
  EXPECT_EQ(read.macs(), "((x_2 + 1) // 2)*1296");
  const std::string listed =
      Msg(21, Msg(1, Packed(1, {1, 3, 16, 12})) + Msg(1, Packed(1, {1, 3, 32, 12})));
  EXPECT_EQ(Analyse(ConvProgram(-1, Array("x", {1, 3, 16, 12}, listed))).macs(),
            "((x_2 + 1) // 2)*1296");
}

// An operation with two blocks, its values and those that it hands on.
std::string Nested(const std::string& type, const std::string& inputs, const std::string& first,
                   const std::string& second, const std::string& outputs) {
  return Msg(3, Msg(1, type) + inputs + outputs + Msg(4, first) + Msg(4, second));
}

// while (i < 3) { y = linear(y); i = i + 1; }: the trips follow from the constants.
TEST(CoreMlRead, LoopsAreFollowed) {
  const auto arguments = [](std::initializer_list<const char*> names) {
    std::string out = Msg(1, "loop_vars");
    std::string values;
    for (const char* name : names) values += Msg(1, Msg(1, name));
    return Msg(2, out + Msg(2, values));
  };
  const std::string i = Type(kInt32, {}), row = Type(kFloat32, {1, 8});
  const auto number = [](std::uint64_t value) {
    return Msg(2, Type(kInt32, {})) + Msg(3, Msg(1, Msg(2, Packed(1, {value}))));
  };
  const std::string taken = Msg(1, Value("i", i)) + Msg(1, Value("v", row));
  const std::string condition = taken + Op("const", "", "three", i, number(3)) +
                                Op("less", Ref("x", "i") + Ref("y", "three"), "go", Type(1, {})) +
                                Msg(2, "go");
  const std::string body = taken + Op("const", "", "one", i, number(1)) +
                           Op("add", Ref("x", "i") + Ref("y", "one"), "next", i) +
                           Op("linear", Ref("x", "v") + Ref("weight", "w"), "line", row) +
                           Msg(2, "next") + Msg(2, "line");
  const std::string ops =
      Op("const", "", "zero", i, number(0)) +
      Op("const", "", "w", Type(kFloat32, {8, 8}), Blob(Type(kFloat32, {8, 8}), 64)) +
      Nested("while_loop", arguments({"zero", "x"}), condition, body,
             Msg(3, Value("count", i)) + Msg(3, Value("y", row)));
  const Analysed read = Analyse(ModelOf(Msg(1, Array("x", {1, 8})), Msg(10, Array("y", {1, 8})),
                                        502, Program(Value("x", row), ops)));
  EXPECT_EQ(read.macs(), std::to_string(3 * 64));
  EXPECT_EQ(read.model.graphs.size(), 3U);
  EXPECT_TRUE(read.analysis.totals.complete);
}

TEST(CoreMlRead, PackedWeights) {
  const std::string packed = Op("constexpr_lut_to_dense", Ref("indices", "i") + Ref("lut", "l"),
                                "w", Type(kFloat32, {10, 16}));
  const std::string ops =
      Op("const", "", "i", Type(35, {10, 16}), Blob(Type(35, {10, 16}), 64)) +
      Op("const", "", "l", Type(kFloat32, {1, 1, 16, 1}),
         Blob(Type(kFloat32, {1, 1, 16, 1}), 256)) +
      packed + Op("linear", Ref("x", "x") + Ref("weight", "w"), "y", Type(kFloat32, {4, 10}));
  const Analysed read = Analyse(ModelOf(Msg(1, Array("x", {4, 16})), Msg(10, Array("y", {4, 10})),
                                        502, Program(Value("x", Type(kFloat32, {4, 16})), ops)));
  EXPECT_EQ(read.macs(), "640");
  EXPECT_EQ(read.model.dims.ToText(read.analysis.totals.parameter_bytes),
            "144");  // 80 + 16 floats of a table
}

TEST(CoreMlRead, Network) {
  const Analysed read = Analyse(ConvNetwork());
  EXPECT_EQ(read.macs(), std::to_string(8 * 8 * 6 * 27 + 40));
  EXPECT_EQ(read.model.dims.ToText(read.analysis.totals.counts.bias_adds), "384");
  EXPECT_EQ(read.model.dims.ToText(read.analysis.totals.parameters), "264");  // 216 + 8 + 40
}

// The shape that one layer gives to what it makes of a [3, 16, 12] array.
std::string LayerShape(std::uint32_t kind, const std::string& params) {
  const Analysed read = Analyse(ModelOf(Msg(1, Array("x", {3, 16, 12})), Msg(10, Array("y", {})),
                                        500, Layer("l", "x", "y", kind, params)));
  if (read.model.nodes.empty()) return "no node";
  const Shape& shape = read.analysis.fact(read.model.nodes[0].outputs.at(0)).shape;
  if (!shape.known_rank()) return "?";
  std::string out;
  for (const Dim dim : *shape.dims) out += (out.empty() ? "" : "x") + read.model.dims.ToText(dim);
  return out;
}

TEST(CoreMlRead, LayersThatCutAndRepeat) {
  const std::uint64_t minus_two = static_cast<std::uint64_t>(-2);
  EXPECT_EQ(LayerShape(350, Num(1, 1) + Num(2, 15) + Num(3, 2) + Num(4, 1)), "3x7x12");
  EXPECT_EQ(LayerShape(920, Packed(1, {2, 1, 3})), "6x16x36");
  EXPECT_EQ(LayerShape(925, Num(1, 1)), "3x1x16x12");
  EXPECT_EQ(
      LayerShape(995, Packed(1, {0, 2, 1}) + Packed(2, {1, 0, 0}) + Packed(3, {0, minus_two, 9}) +
                          Packed(4, {1, 0, 0}) + Packed(5, {1, 3, 2})),
      "3x4x4");
  EXPECT_EQ(LayerShape(995, Packed(1, {1, 0, 0}) + Packed(3, {2, 16, 12}) + Packed(5, {1, 1, 1}) +
                                Packed(6, {1, 0, 0})),
            "16x12");
  EXPECT_EQ(LayerShape(1015, Num(1, 2) + Num(2, 5)), "3x16x5");
  EXPECT_EQ(LayerShape(1025, Num(1, 1) + Num(2, 1)), "3x12");
  EXPECT_EQ(LayerShape(1155, Packed(2, {0, 0, 1, 2, 0, 4})), "3x19x16");
  EXPECT_EQ(LayerShape(1470, Num(2, 7) + Num(3, 2)), "3x16x7");
}

TEST(CoreMlRead, Pipeline) {
  const std::string first =
      ModelOf(Msg(1, Array("x", {3, 16, 12})), Msg(10, Array("a", {})), 500, ConvLayer());
  const std::string tree =
      ModelOf(Msg(1, Array("a", {8})), Msg(10, Array("y", {1})), 302, std::string());
  const Analysed read = Analyse(ModelOf(Msg(1, Array("x", {3, 16, 12})), Msg(10, Array("y", {1})),
                                        202, Msg(1, first) + Msg(1, tree)));
  EXPECT_EQ(read.model.nodes.size(), 2U);
  EXPECT_EQ(read.model.text(read.model.nodes[1].op), "TreeEnsembleRegressor");
  EXPECT_FALSE(read.analysis.totals.complete);
  EXPECT_EQ(read.macs(), std::to_string(8 * 8 * 6 * 27));
}

std::string ErrorOf(const std::string& bytes) {
  ImportLog log;
  auto model = TryRead(bytes, log);
  return model.has_value() ? "read" : model.error().ToString();
}

TEST(CoreMlDamage, IsSaid) {
  const std::string x = Msg(1, Array("x", {3, 4, 4}));
  EXPECT_NE(ErrorOf(ModelOf(x, "", 500, Layer("r", "z", "y", 130, ""))).find("reads \"z\""),
            std::string::npos);
  EXPECT_NE(ErrorOf(ModelOf(x, "", 502,
                            Program(Value("x", Type(kFloat32, {1})),
                                    Op("relu", Ref("x", "q"), "y", Type(kFloat32, {1})))))
                .find("reads \"q\""),
            std::string::npos);
  EXPECT_NE(ErrorOf(ModelOf(x, "", 502, "")).find("no function"), std::string::npos);
  // Pipelines in pipelines.
  std::string nested;
  for (int i = 0; i < 400; ++i) nested = ModelOf(x, "", 202, Msg(1, nested));
  EXPECT_NE(ErrorOf(nested).find("deeper"), std::string::npos);
}

TEST(CoreMlDamage, CutAnywhere) {
  for (const std::string& whole : {ConvProgram(16, Array("x", {1, 3, 16, 12})), ConvNetwork()}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      ImportLog log;
      auto model = TryRead(whole.substr(0, length), log);
      EXPECT_FALSE(model.has_value()) << length;
    }
  }
}

TEST(CoreMlDamage, AnyByteChanged) {
  for (const std::string& whole :
       {ConvProgram(16, Array("x", {1, 3, 16, 12})), ConvNetwork().substr(0, 400)}) {
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
        ImportLog log;
        auto model = TryRead(std::move(bytes), log);
        if (model.has_value()) (void)AnalyzeStatic(*model, {}, log).has_value();
      }
  }
}

}  // namespace
}  // namespace opscope
