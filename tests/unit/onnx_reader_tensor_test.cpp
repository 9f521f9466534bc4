// TensorProto in all its forms.
#include <gtest/gtest.h>

#include "model/formats/format.h"
#include "support/read_onnx.h"

namespace opscope {
namespace {

using testing::ReadText;
using testing::Siblings;
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;

TEST(OnnxTensors, RawDataIsAReference) {
  const ReadText read("init w float32 [16,3,3,3]\n");
  const Payload& payload = read.payload("w");
  EXPECT_EQ(payload.place, Payload::Place::kInline);
  EXPECT_EQ(payload.length, 1728U);
  EXPECT_EQ(payload.dims, (Integers{16, 3, 3, 3}));
  EXPECT_EQ(payload.small, std::string(1728, '\0'));
  EXPECT_EQ(read.shape("w"), "16 3 3 3");
  EXPECT_EQ(read.tensor("w").declared.dtype, DType::kFloat32);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxTensors, TheReferenceLeadsToTheBytes) {
  const std::string bytes = testing::BytesOf("init k int8 [3] = 7 8 9\n");
  ImportLog log;
  const auto model = testing::ReadBytes(bytes, log);
  ASSERT_TRUE(model.has_value());
  const Payload& payload = model->payloads.at(0);
  EXPECT_EQ(bytes.substr(payload.offset, payload.length), "\x07\x08\x09");
}

TEST(OnnxTensors, OnlyFewBytesAreKept) {
  const ReadText read(
      "init at float32 [2048]\n"
      "init above float32 [2049]\n"
      "init typed_at int64 [1024] typed =" +
      [] {
        std::string ones;
        for (int i = 0; i < 1024; ++i) ones += " 1";
        return ones;
      }() +
      "\n");
  EXPECT_EQ(read.payload("at").small->size(), kSmallPayloadBytes);
  EXPECT_FALSE(read.payload("above").small);
  EXPECT_EQ(read.payload("above").length, 8196U);
  EXPECT_EQ(read.payload("typed_at").small->size(), kSmallPayloadBytes);
}

// Every type through raw_data and through its typed field, packed and not.
struct Form {
  const char* type;
  const char* values;
  Integers integers;
};

class IntegerForms : public ::testing::TestWithParam<Form> {};

TEST_P(IntegerForms, RawTypedAndUnpackedAgree) {
  const Form& form = GetParam();
  for (const char* how : {"", "typed ", "typed unpacked "}) {
    const std::string count = std::to_string(form.integers.size());
    const ReadText read("init k " + std::string(form.type) + " [" + count + "] " + how + "= " +
                        form.values + "\n");
    EXPECT_EQ(IntegersOf(read.payload("k")), form.integers) << form.type << " " << how;
    EXPECT_TRUE(read.log.issues().empty()) << form.type << " " << how;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OnnxTensors, IntegerForms,
    ::testing::Values(Form{"int64", "1 -2", {1, -2}}, Form{"int32", "1 -2", {1, -2}},
                      Form{"int16", "300 -2", {300, -2}}, Form{"int8", "-128 127", {-128, 127}},
                      Form{"uint64", "9 10", {9, 10}}, Form{"uint32", "4294967295", {4294967295}},
                      Form{"uint16", "65535", {65535}}, Form{"uint8", "200 1", {200, 1}},
                      Form{"bool", "1 0 1", {1, 0, 1}},
                      Form{"int4", "1 -2 3 -4 5", {1, -2, 3, -4, 5}},
                      Form{"uint4", "15 0 7", {15, 0, 7}},
                      Form{"int2", "1 -2 0 -1 1", {1, -2, 0, -1, 1}},
                      Form{"uint2", "3 2 1 0 3", {3, 2, 1, 0, 3}}));

struct FloatForm {
  const char* type;
  const char* values;
  Floats floats;
};

class FloatForms : public ::testing::TestWithParam<FloatForm> {};

TEST_P(FloatForms, RawTypedAndUnpackedAgree) {
  const FloatForm& form = GetParam();
  for (const char* how : {"", "typed ", "typed unpacked "}) {
    const std::string count = std::to_string(form.floats.size());
    const ReadText read("init k " + std::string(form.type) + " [" + count + "] " + how + "= " +
                        form.values + "\n");
    EXPECT_EQ(FloatsOf(read.payload("k")), form.floats) << form.type << " " << how;
    EXPECT_TRUE(read.log.issues().empty()) << form.type << " " << how;
  }
}

INSTANTIATE_TEST_SUITE_P(OnnxTensors, FloatForms,
                         ::testing::Values(FloatForm{"float32", "1.5 -2", {1.5, -2}},
                                           FloatForm{"float64", "0.25 1e300", {0.25, 1e300}},
                                           FloatForm{"float16", "0x3c00 0xc000", {1, -2}},
                                           FloatForm{"bfloat16", "16256 49152", {1, -2}},
                                           FloatForm{"float8e4m3fn", "0x38 0xb8", {1, -1}},
                                           FloatForm{"float8e5m2", "0x3c", {1}},
                                           FloatForm{"float8e8m0", "127 128", {1, 2}},
                                           FloatForm{"float4e2m1", "2 7 15", {1, 6, -6}}));

TEST(OnnxTensors, PackedTypesTakeHalfBytes) {
  const ReadText read("init a int4 [4096]\ninit b int4 [5]\n");
  EXPECT_EQ(read.payload("a").length, 2048U);
  EXPECT_EQ(read.payload("b").length, 3U);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxTensors, ComplexAndStrings) {
  const ReadText read(
      "init c complex64 [1] typed = 1 2\n"
      "init d complex128 [1] = 1 2\n"
      "init s string [2] = \"a\" \"批\"\n");
  EXPECT_EQ(read.payload("c").small->size(), 8U);
  EXPECT_EQ(read.payload("d").length, 16U);
  EXPECT_EQ(read.payload("s").dtype, DType::kString);
  EXPECT_FALSE(read.payload("s").small);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxTensors, ScalarsAndEmptyTensors) {
  const ReadText read("init a int64 [] = 5\ninit b float32 [0]\n");
  EXPECT_EQ(read.payload("a").dims, Integers{});
  EXPECT_EQ(IntegersOf(read.payload("a")), Integers{5});
  EXPECT_EQ(read.shape("b"), "0");
  EXPECT_EQ(read.payload("b").length, 0U);
}

TEST(OnnxTensors, BytesThatDoNotFitTheShapeAreNoted) {
  const ReadText raw("init b float32 [9,9] bytes 100\n");
  ASSERT_NE(raw.Issue("onnx.payload-size"), nullptr);
  EXPECT_EQ(raw.Issue("onnx.payload-size")->message,
            "a constant holds 100 bytes, its shape needs 324");
  EXPECT_EQ(raw.Issue("onnx.payload-size")->severity, Severity::kLoss);
  EXPECT_NE(ReadText("init b int64 [3] typed = 1 2\n").Issue("onnx.payload-size"), nullptr);
  EXPECT_FALSE(ReadText("init b int64 [3] typed = 1 2\n").payload("b").small);
}

TEST(OnnxTensors, SparseTensorsHaveTheDenseShape) {
  const ReadText read("sparse-init p float32 [4,4] nnz 3\n");
  EXPECT_EQ(read.shape("p"), "4 4");
  EXPECT_TRUE(read.payload("p").sparse);
  EXPECT_EQ(read.payload("p").length, 12U);
  EXPECT_EQ(read.tensor("p").declared.kind, ValueKind::kSparseTensor);
  EXPECT_FALSE(FloatsOf(read.payload("p")));
}

TEST(OnnxTensors, AnElementTypeOfTheFutureIsUnknown) {
  // TensorProto.data_type = 60
  std::string bytes = testing::BytesOf("init b uint2 [1]\n");
  const std::size_t at = bytes.find("\x10\x19");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 60;
  ImportLog log;
  const auto model = testing::ReadBytes(bytes, log);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->payloads[0].dtype, DType::kUnknown);
  EXPECT_EQ(log.issues()[0].code, "onnx.unknown-dtype");
}

// ----- external data

TEST(OnnxExternalData, IsAReferenceWithoutTheFile) {
  const ReadText read("init e float32 [9,9] external \"w.bin\" 64 324\n");
  const Payload& payload = read.payload("e");
  EXPECT_EQ(payload.place, Payload::Place::kExternal);
  EXPECT_EQ(payload.offset, 64U);
  EXPECT_EQ(payload.length, 324U);
  ASSERT_EQ(read.model.external_files.size(), 1U);
  EXPECT_EQ(read.model.external_files[0].path, "w.bin");
  EXPECT_FALSE(read.model.external_files[0].bytes);
  EXPECT_FALSE(read.model.external_files[0].refused);
  ASSERT_NE(read.Issue("onnx.external-missing"), nullptr);
}

TEST(OnnxExternalData, OneFileIsOpenedAndNotedOnce) {
  const ReadText read(
      "init a float32 [4] external \"w.bin\" 0 16\n"
      "init b float32 [4] external \"w.bin\" 16 16\n"
      "init c float32 [4] external \"v.bin\" 0 16\n");
  EXPECT_EQ(read.model.external_files.size(), 2U);
  EXPECT_EQ(read.Issue("onnx.external-missing")->count, 2);
}

TEST(OnnxExternalData, SmallIntegersAreReadWhenTheFileIsThere) {
  const Siblings files = {{"w.bin", std::string("xxxx\x05\0\0\0\0\0\0\0", 12)}};
  const ReadText read(
      "init k int64 [1] external \"w.bin\" 4 8\n"
      "init f float32 [1] external \"w.bin\" 0\n",
      files);
  EXPECT_EQ(IntegersOf(read.payload("k")), Integers{5});
  EXPECT_EQ(read.payload("f").length, 4U);  // from the shape
  EXPECT_FALSE(read.payload("f").small);
  EXPECT_EQ(read.model.external_files[0].bytes, 12U);
  EXPECT_TRUE(read.log.issues().empty());
}

TEST(OnnxExternalData, APathOutsideTheFolderIsRefused) {
  const ReadText read("init e float32 [1] external \"../../etc/passwd\" 0 4\n");
  EXPECT_TRUE(read.model.external_files[0].refused);
  ASSERT_NE(read.Issue("onnx.external-outside"), nullptr);
  EXPECT_EQ(read.Issue("onnx.external-outside")->severity, Severity::kLoss);
}

TEST(OnnxExternalData, SizesAreCheckedAgainstTheFile) {
  const Siblings files = {{"w.bin", std::string(10, 'x')}};
  const ReadText beyond("init e int64 [1] external \"w.bin\" 4 8\n", files);
  ASSERT_NE(beyond.Issue("onnx.external-size"), nullptr);
  EXPECT_FALSE(beyond.payload("e").small);
  const ReadText short_of("init e int64 [1] external \"w.bin\" 0 7\n", files);
  EXPECT_NE(short_of.Issue("onnx.external-size"), nullptr);
  const ReadText huge(
      "init e int8 [1] external \"w.bin\" 9223372036854775807 9223372036854775807\n", files);
  EXPECT_NE(huge.Issue("onnx.external-size"), nullptr);
  const ReadText no_number("init e int8 [1] external \"w.bin\" ten\n", files);
  EXPECT_NE(no_number.Issue("onnx.external-entry"), nullptr);
}

}  // namespace
}  // namespace opscope
