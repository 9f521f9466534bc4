// Inputs that engine programs make by type or read from an .npz file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "engines/common/bind.h"
#include "engines/common/convert.h"
#include "engines/common/npz.h"
#include "engines/common/random.h"
#include "support/packed.h"

namespace opscope::child {
namespace {

Value Input(const std::string& name, const std::string& dtype, std::vector<std::int64_t> shape) {
  Value out;
  out.name = name;
  out.dtype = dtype;
  out.run_shape = shape;
  for (const std::int64_t dim : shape)
    out.shape.push_back(dim < 0 ? Dim{std::nullopt, "N"} : Dim{dim, ""});
  return out;
}

template <class T>
std::vector<T> Elements(const Array& array) {
  std::vector<T> out(array.bytes.size() / sizeof(T));
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

Array Make(const Value& input, const GivenValues* given = nullptr, std::uint64_t seed = 0) {
  auto made = MakeArray(input, given, seed);
  EXPECT_TRUE(made.has_value());
  return made.has_value() ? *made : Array{};
}

TEST(Random, IsTheSameEverywhere) {
  // First outputs of SplitMix64 from state 1234567, as published with the algorithm.
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317U);
  EXPECT_EQ(random.Next(), 3203168211198807973U);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(1);
  double sum = 0, squares = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.Normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(Convert, HalfAndBrainFloats) {
  EXPECT_EQ(HalfBits(1.0F), 0x3c00);
  EXPECT_EQ(HalfBits(-2.0F), 0xc000);
  EXPECT_EQ(HalfBits(65504.0F), 0x7bff);
  EXPECT_EQ(HalfBits(65520.0F), 0x7c00);
  EXPECT_EQ(HalfBits(std::ldexp(1.0F, -14)), 0x0400);
  EXPECT_EQ(HalfBits(std::ldexp(1.0F, -24)), 0x0001);
  EXPECT_EQ(HalfBits(std::ldexp(1.0F, -25)), 0x0000);  // a tie, to even
  EXPECT_EQ(HalfBits(std::ldexp(1.5F, -25)), 0x0001);
  EXPECT_EQ(HalfBits(1.0F + std::ldexp(1.0F, -11)), 0x3c00);  // a tie, to even
  EXPECT_EQ(HalfBits(1.0F + std::ldexp(3.0F, -11)), 0x3c02);
  EXPECT_EQ(HalfBits(NAN) & 0x7c00, 0x7c00);
  EXPECT_EQ(BrainBits(1.0F), 0x3f80);
  EXPECT_EQ(BrainBits(1.00390625F), 0x3f80);  // a tie, to even
  EXPECT_NE(BrainBits(NAN) & 0x007f, 0);
}

TEST(Inputs, ImagesLieBetweenZeroAndOne) {
  const Array image = Make(Input("x", "float32", {1, 3, 16, 16}));
  for (const float value : Elements<float>(image)) {
    EXPECT_GE(value, 0.0F);
    EXPECT_LT(value, 1.0F);
  }
  EXPECT_EQ(image.fill, "uniform 0 .. 1 (an image)");
  EXPECT_EQ(Make(Input("x", "float32", {2, 16, 16, 3})).fill, image.fill);
  EXPECT_EQ(Make(Input("x", "float32", {1, 8, 16, 64})).fill, "standard normal");
}

TEST(Inputs, TheSeedAndTheNameDecide) {
  const Value x = Input("x", "float32", {2, 3});
  EXPECT_EQ(Make(x, nullptr, 5).bytes, Make(x, nullptr, 5).bytes);
  EXPECT_NE(Make(x, nullptr, 5).bytes, Make(x, nullptr, 6).bytes);
  EXPECT_NE(Make(x, nullptr, 5).bytes, Make(Input("y", "float32", {2, 3}), nullptr, 5).bytes);
}

TEST(Inputs, IdsLieWithinTheVocabulary) {
  const GivenValues given{"input_ids", 7, std::nullopt};
  const Array ids = Make(Input("input_ids", "int64", {4, 50}), &given);
  for (const std::int64_t id : Elements<std::int64_t>(ids)) {
    EXPECT_GE(id, 0);
    EXPECT_LT(id, 7);
  }
  EXPECT_EQ(ids.fill, "integers 0 .. 6");
  EXPECT_EQ(Make(Input("input_ids", "int64", {4, 50})).fill, "integers 0 .. 99");
}

TEST(Inputs, NamesThatSayWhatTheyAre) {
  EXPECT_EQ(Make(Input("attention_mask", "int64", {1, 3})).fill, "ones (a mask)");
  EXPECT_EQ(Elements<float>(Make(Input("mask", "float32", {2})))[1], 1.0F);
  EXPECT_EQ(Elements<std::int64_t>(Make(Input("sr", "int64", {})))[0], 16000);
  EXPECT_EQ(Elements<std::int64_t>(Make(Input("token_type_ids", "int64", {1, 3})))[2], 0);
  EXPECT_EQ(Elements<std::int32_t>(Make(Input("position_ids", "int32", {2, 3})))[5], 2);
  EXPECT_EQ(Make(Input("flag", "bool", {})).bytes, std::string(1, '\1'));
  const GivenValues half{"scale", std::nullopt, 0.5};
  EXPECT_EQ(Elements<double>(Make(Input("scale", "float64", {1}), &half))[0], 0.5);
}

TEST(Inputs, NarrowTypesArePackedAndBounded) {
  EXPECT_EQ(Make(Input("x", "int4", {3})).bytes.size(), 2U);
  EXPECT_EQ(Make(Input("x", "float8e4m3fn", {5})).bytes.size(), 5U);
  EXPECT_EQ(Make(Input("x", "float16", {2})).bytes.size(), 4U);
  EXPECT_EQ(Make(Input("x", "uint8", {1, 3, 8, 8})).fill, "integers 0 .. 255");
  EXPECT_EQ(Make(Input("x", "int8", {1, 3, 8, 8})).fill, "integers -128 .. 127");
  EXPECT_EQ(Make(Input("x", "string", {2})).strings.size(), 2U);
}

TEST(Inputs, AShapeThatIsTooLargeIsRefused) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_FALSE(MakeArray(Input("x", "float32", {big, big}), nullptr, 0).has_value());
  EXPECT_FALSE(MakeArray(Input("x", "float32", {big}), nullptr, 0).has_value());
  EXPECT_TRUE(Make(Input("x", "float32", {0, big})).bytes.empty());
}

TEST(Bind, FreeDimsWithoutAValueAreNamed) {
  std::vector<Value> inputs = {Input("x", "float32", {-1, 3, -1}), Input("y", "float32", {2})};
  inputs[0].shape[2].symbol = "";
  for (Value& input : inputs) input.run_shape.clear();
  const auto bound = BindInputs(inputs, {});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, "shape");
  EXPECT_NE(bound.error().message.find("x: dim 0 (N), dim 2; "), std::string::npos);
  EXPECT_NE(bound.error().message.find("--shape x=1x3x128"), std::string::npos);
}

Result<std::vector<Array>> BindOne(Value input, const LoadRequest& request) {
  input.run_shape.clear();
  std::vector<Value> inputs = {std::move(input)};
  return BindInputs(inputs, request);
}

std::string CodeOf(const Result<std::vector<Array>>& result) {
  return result.has_value() ? "ok" : result.error().code;
}

TEST(Bind, ShapesMustFit) {
  LoadRequest request;
  const auto with = [&](std::vector<std::int64_t> dims) {
    request.shapes = {{"x", std::move(dims)}};
    return CodeOf(BindOne(Input("x", "float32", {-1, 3}), request));
  };
  EXPECT_EQ(with({4, 3}), "ok");
  EXPECT_EQ(with({4, 5}), "option");
  EXPECT_EQ(with({4}), "option");
  request.shapes = {{"z", {1}}};
  EXPECT_EQ(CodeOf(BindOne(Input("x", "float32", {1}), request)), "option");
}

TEST(Bind, ALengthIsThatOfTheSequence) {
  std::vector<Value> inputs = {Input("input", "int64", {1, 50}),
                               Input("input_lengths", "int64", {1})};
  for (Value& input : inputs) input.run_shape.clear();
  const auto bound = BindInputs(inputs, {});
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(Elements<std::int64_t>((*bound)[1])[0], 50);
}

TEST(Bind, SequencesAreRefused) {
  Value input = Input("s", "", {});
  input.kind = "sequence";
  const auto bound = BindOne(input, {});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, "refused");
  EXPECT_NE(bound.error().message.find("is a sequence"), std::string::npos);
}

std::string Npy(const std::string& header, const std::string& data, char version = 1) {
  std::string text = header + "\n";
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  if (version > 1) out += std::string(2, '\0');
  return out + text + data;
}

template <class T>
std::string Bytes(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

class NpzFile : public testing::Test {
 protected:
  ~NpzFile() override { unlink(path_.c_str()); }
  // The array x of a file whose only member is `npy`.
  Result<Array> Read(const std::string& npy, const std::string& dtype) {
    std::ofstream(path_, std::ios::binary) << Zip({{.name = "x.npy", .content = npy}});
    TRY_ASSIGN(Npz file, Npz::Open(path_));
    return file.Read("x", dtype);
  }
  std::string path_ = testing::TempDir() + "/inputs-" + std::to_string(getpid()) + ".npz";
};

TEST_F(NpzFile, RowMajorAsItIs) {
  const auto read = Read(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
                             Bytes<float>({1, 2, 3, 4})),
                         "float32");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(Elements<float>(*read), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(NpzFile, ColumnMajorIsTurned) {
  const auto read = Read(Npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
                             Bytes<std::int32_t>({1, 4, 2, 5, 3, 6}), 2),
                         "int32");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(Elements<std::int32_t>(*read), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpzFile, BigEndianScalarAndStrings) {
  const auto scalar = Read(
      Npy("{'descr': '>i2', 'fortran_order': False, 'shape': (), }", std::string("\x01\x02", 2), 3),
      "int16");
  ASSERT_TRUE(scalar.has_value());
  EXPECT_EQ(Elements<std::int16_t>(*scalar)[0], 0x0102);
  const auto texts = Read(Npy("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
                              Bytes<std::uint32_t>({'a', 0, 0x6a21, 'b'})),
                          "string");
  ASSERT_TRUE(texts.has_value());
  EXPECT_EQ(texts->strings, (std::vector<std::string>{"a", "模b"}));
}

TEST_F(NpzFile, WhatDoesNotFitIsNamed) {
  const std::string good =
      Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", Bytes<double>({1}));
  const auto type = Read(good, "float32");
  ASSERT_FALSE(type.has_value());
  EXPECT_EQ(type.error().code, "input");
  EXPECT_NE(type.error().message.find("array 'x' has the type '<f8', the model needs float32"),
            std::string::npos)
      << type.error().message;
  EXPECT_FALSE(Read(good.substr(0, good.size() - 1), "float64").has_value());
  EXPECT_FALSE(Read(Npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "x"), "float32")
                   .has_value());
  EXPECT_FALSE(Read(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(4611686018427387904, 4), }",
                        ""),
                    "float32")
                   .has_value());
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(Read(good.substr(0, size), "float64").has_value()) << size;
}

TEST_F(NpzFile, AMissingArrayNamesThoseThereAre) {
  std::ofstream(path_, std::ios::binary) << Zip({{.name = "y.npy", .content = ""}});
  auto file = Npz::Open(path_);
  ASSERT_TRUE(file.has_value());
  const auto read = file->Read("x", "float32");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("no array 'x'"), std::string::npos);
  EXPECT_NE(read.error().message.find("has: y"), std::string::npos);
}

TEST_F(NpzFile, NoZipIsSaid) {
  std::ofstream(path_) << "hello";
  const auto file = Npz::Open(path_);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, "input");
}

}  // namespace
}  // namespace opscope::child
