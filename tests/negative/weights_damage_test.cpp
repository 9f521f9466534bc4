// safetensors and GGUF from hostile hands: cut at every byte, sizes that cannot be, places that
// overlap or lie outside. An error of ours or a sound model, never a crash or a huge allocation.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "model/formats/format.h"
#include "support/weights_bytes.h"

namespace opscope {
namespace {

using namespace testing;  // NOLINT

Result<Model> ReadAs(std::string bytes, std::string_view format) {
  Source source = Source::FromBytes("dir/m.bin", std::move(bytes));
  ImportLog log;
  return ReadModel({source, log, {}}, format);
}

std::string ErrorOf(std::string bytes, std::string_view format) {
  auto model = ReadAs(std::move(bytes), format);
  return model.has_value() ? "read" : model.error().code + ": " + model.error().message;
}

void ExpectError(const std::string& bytes, std::string_view format, std::string_view part) {
  const std::string error = ErrorOf(bytes, format);
  EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(error.rfind(std::string(format) + ".", 0), 0U) << error;
}

std::string SomeSafetensors() {
  return Safetensors({{"a.weight", "F32", {2, 3}, 24}, {"b", "BF16", {}, 2}, {"c", "U8", {0}, 0}});
}

std::string SomeGguf() {
  const std::string list = GgufString("tokens") + LittleEndian(9, 4) + LittleEndian(8, 4) +
                           LittleEndian(2, 8) + GgufString("a") + GgufString("bc");
  const std::string nested = GgufString("nest") + LittleEndian(9, 4) + LittleEndian(9, 4) +
                             LittleEndian(1, 8) + LittleEndian(0, 4) + LittleEndian(2, 8) + "xy";
  return Gguf(
      {GgufText("general.architecture", "llama"), GgufNumber("llama.block_count", 1), list, nested},
      {{"token_embd.weight", {256, 2}, 12, 0}, {"output_norm.weight", {256}, 0, 288}}, 288 + 1024);
}

TEST(WeightsDamage, CutAtEveryByte) {
  const std::pair<std::string, std::string> files[] = {{"safetensors", SomeSafetensors()},
                                                       {"gguf", SomeGguf()}};
  for (const auto& [format, whole] : files) {
    ASSERT_EQ(ErrorOf(whole, format), "read");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      auto model = ReadAs(whole.substr(0, length), format);
      ASSERT_FALSE(model.has_value()) << format << " " << length;
      EXPECT_EQ(model.error().code.rfind(format + ".", 0), 0U) << model.error().code;
    }
  }
}

TEST(WeightsDamage, AnyByteChanged) {
  const std::pair<std::string, std::string> files[] = {{"safetensors", SomeSafetensors()},
                                                       {"gguf", SomeGguf()}};
  for (const auto& [format, whole] : files)
    for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 400); ++at)
      for (const unsigned flip : {0x01U, 0x10U, 0x80U, 0xffU}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
        (void)ReadAs(std::move(bytes), format).has_value();
      }
}

TEST(WeightsDamage, HeaderLengths) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 40,
        std::uint64_t{0}, std::uint64_t{1}})
    ExpectError(LittleEndian(length, 8) + "{\"a\"", "safetensors", "the header is said to have");
  ExpectError(LittleEndian(5000, 8) + "{\"a\"", "safetensors", "it was cut");
  // The JSON runs on behind the length that it was given.
  std::string bytes = SomeSafetensors();
  bytes.replace(0, 8, LittleEndian(40, 8));
  ExpectError(bytes, "safetensors", "header does not end");
}

std::string OneTensor(const std::string& fields) { return Framed("{\"a\":{" + fields + "}}", 64); }

TEST(WeightsDamage, PlacesOfTensors) {
  const auto tensor = [](const char* shape, const char* offsets) {
    return OneTensor(std::string("\"dtype\":\"F32\",\"shape\":") + shape +
                     ",\"data_offsets\":" + offsets);
  };
  EXPECT_EQ(ErrorOf(tensor("[4]", "[0,16]"), "safetensors"), "read");
  ExpectError(tensor("[4]", "[0,1600]"), "safetensors", "the file was cut or damaged");
  ExpectError(tensor("[4]", "[16,0]"), "safetensors", "lies at 16 .. 0");
  ExpectError(tensor("[4]", "[0,12]"), "safetensors", "has 12 bytes, its shape and type need 16");
  ExpectError(tensor("[4]", "[-1,15]"), "safetensors", "'-1' is no size");
  ExpectError(tensor("[4]", "[0]"), "safetensors", "lacks dtype, shape or data_offsets");
  ExpectError(tensor("[4]", "[0,16,20]"), "safetensors", "there are too many");
  ExpectError(tensor("[9223372036854775807,9223372036854775807]", "[0,16]"), "safetensors",
              "more than there can be");
  ExpectError(tensor("[99999999999999999999]", "[0,16]"), "safetensors", "is no size");
  ExpectError(tensor("[1.5]", "[0,16]"), "safetensors", "'1.5' is no size");
  ExpectError(tensor("\"x\"", "[0,16]"), "safetensors", "safetensors.damaged");
  ExpectError(Framed("{\"a\":1}", 0), "safetensors", "is no object");
  ExpectError(Framed("[1,2]", 0), "safetensors", "not valid JSON");
  const std::string one = "{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":";
  ExpectError(Framed("{\"a\":" + one + "[0,8]},\"b\":" + one + "[4,12]}}", 16), "safetensors",
              "\"a\" and \"b\" overlap");
  ExpectError(Framed("{\"a\":" + one + "[0,8]},\"a\":" + one + "[8,16]}}", 16), "safetensors",
              "two tensors \"a\"");
  ExpectError(Framed("{\"a\":" + std::string(500, '['), 0), "safetensors", "safetensors.damaged");
}

TEST(WeightsDamage, AnIndexThatLeadsAstray) {
  EXPECT_EQ(ErrorOf("{\"weight_map\": 3, \"x\": \"m.safetensors\"}", "safetensors").substr(0, 12),
            "safetensors.");
  // Files that are not there cost their weights, not the report.
  EXPECT_EQ(ErrorOf("{\"weight_map\": {\"a\": \"../m.safetensors\"}}", "safetensors"), "read");
  std::string many = "{\"weight_map\": {";
  for (int i = 0; i < 5000; ++i)
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"" + std::to_string(i) +
            ".safetensors\"";
  ExpectError(many + "}}", "safetensors", "more than 4,096 files");
}

std::string GgufHead(std::uint64_t tensors, std::uint64_t pairs) {
  return "GGUF" + LittleEndian(3, 4) + LittleEndian(tensors, 8) + LittleEndian(pairs, 8);
}

TEST(WeightsDamage, CountsOfGguf) {
  const std::string rest(200, '\0');
  for (const std::uint64_t count : {std::uint64_t{1} << 60, std::uint64_t{1} << 63,
                                    std::numeric_limits<std::uint64_t>::max()}) {
    ExpectError(GgufHead(count, 0) + rest, "gguf", "cannot stand in");
    ExpectError(GgufHead(0, count) + rest, "gguf", "cannot stand in");
    const std::string list =
        GgufString("k") + LittleEndian(9, 4) + LittleEndian(8, 4) + LittleEndian(count, 8);
    ExpectError(GgufHead(0, 1) + list + rest, "gguf", "cannot stand in");
    ExpectError(GgufHead(0, 1) + LittleEndian(count, 8) + rest, "gguf", "gguf.");
    ExpectError(
        GgufHead(0, 1) + GgufString("k") + LittleEndian(8, 4) + LittleEndian(count, 8) + rest,
        "gguf", "the file ends in its header");
  }
  ExpectError("GGUF" + LittleEndian(4, 4) + rest, "gguf", "versions 1 to 3 are read");
  ExpectError("GGUF" + LittleEndian(0x03000000, 4) + rest, "gguf", "big-endian");
  ExpectError(GgufHead(0, 1) + GgufString("k") + LittleEndian(77, 4) + rest, "gguf", "type 77");
  std::string nested = GgufString("k") + LittleEndian(9, 4);
  for (int i = 0; i < 5000; ++i) nested += LittleEndian(9, 4) + LittleEndian(1, 8);
  ExpectError(GgufHead(0, 1) + nested, "gguf", "nests too deep");
}

TEST(WeightsDamage, TensorsOfGguf) {
  const auto tensor = [](std::vector<std::uint64_t> dims, std::uint32_t type,
                         std::uint64_t offset) {
    return Gguf({}, {{"a", std::move(dims), type, offset}}, 1024);
  };
  EXPECT_EQ(ErrorOf(tensor({256}, 0, 0), "gguf"), "read");
  ExpectError(tensor({100}, 12, 0), "gguf", "no multiple of the 256 elements");
  ExpectError(tensor({}, 12, 0), "gguf", "no multiple");
  ExpectError(tensor({256, 256}, 0, 0), "gguf", "beyond the end of the file");
  ExpectError(tensor({4}, 0, 1 << 20), "gguf", "beyond the end of the file");
  ExpectError(tensor({4}, 0, std::numeric_limits<std::uint64_t>::max() - 8), "gguf",
              "beyond the end");
  ExpectError(tensor({1ULL << 40, 1ULL << 40}, 0, 0), "gguf", "more elements than there can be");
  ExpectError(tensor({1ULL << 63}, 0, 0), "gguf", "more elements than there can be");
  ExpectError(tensor({1, 1, 1, 1, 1}, 0, 0), "gguf", "has 5 dims");
  ExpectError(Gguf({}, {{"a", {8}, 0, 0}, {"b", {8}, 0, 16}}, 64), "gguf", "overlap");
  ExpectError(Gguf({}, {{"a", {8}, 0, 0}, {"a", {8}, 0, 32}}, 64), "gguf", "two tensors \"a\"");
  ExpectError(Gguf({GgufNumber("general.alignment", 0)}, {{"a", {8}, 0, 0}}, 64), "gguf",
              "alignment of 0");
  ExpectError(Gguf({GgufNumber("split.count", 1 << 30)}, {{"a", {8}, 0, 0}}, 64), "gguf",
              "a split into");
}

}  // namespace
}  // namespace opscope
