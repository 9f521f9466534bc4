#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json_writer.h"

namespace opscope {
namespace {

std::string Written(JsonStyle style, const std::function<void(JsonWriter&)>& write) {
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink, style);
  write(writer);
  EXPECT_TRUE(sink.Finish());
  return out;
}

void WriteExample(JsonWriter& writer) {
  writer.BeginObject();
  writer.Key("name");
  writer.String("conv1");
  writer.Key("shape");
  writer.BeginArray();
  writer.Integer(1);
  writer.Integer(-3);
  writer.EndArray();
  writer.Key("none");
  writer.BeginArray();
  writer.EndArray();
  writer.Key("empty");
  writer.BeginObject();
  writer.EndObject();
  writer.Key("flag");
  writer.Bool(true);
  writer.Key("because");
  writer.Null();
  writer.Key("raw");
  writer.Raw("{\"x\":1}");
  writer.EndObject();
}

TEST(JsonWriter, Indents) {
  EXPECT_EQ(Written(JsonStyle::kIndented, WriteExample),
            R"({
  "name": "conv1",
  "shape": [
    1,
    -3
  ],
  "none": [],
  "empty": {},
  "flag": true,
  "because": null,
  "raw": {"x":1}
})");
}

TEST(JsonWriter, WritesCompact) {
  EXPECT_EQ(Written(JsonStyle::kCompact, WriteExample),
            R"({"name":"conv1","shape":[1,-3],"none":[],"empty":{},"flag":true,)"
            R"("because":null,"raw":{"x":1}})");
}

std::string Integer(Int128 value) {
  return Written(JsonStyle::kCompact, [&](JsonWriter& writer) { writer.Integer(value); });
}
std::string Number(double value) {
  return Written(JsonStyle::kCompact, [&](JsonWriter& writer) { writer.Number(value); });
}

TEST(JsonWriter, IntegersStayExact) {
  EXPECT_EQ(Integer(0), "0");
  EXPECT_EQ(Integer(9007199254740992), "9007199254740992");
  EXPECT_EQ(Integer(-9007199254740992), "-9007199254740992");
  EXPECT_EQ(Integer(9007199254740993), "\"9007199254740993\"");
  EXPECT_EQ(Integer(static_cast<Int128>(1) << 100), "\"1267650600228229401496703205376\"");
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(3), "3");
  EXPECT_EQ(Number(-1e300), "-1e+300");
  EXPECT_EQ(Number(std::nan("")), "null");
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonQuote, EscapesHostileText) {
  EXPECT_EQ(JsonQuote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonQuote("\n\r\t\x01\x1b"), R"("\n\r\t\u0001\u001b")");
  EXPECT_EQ(JsonQuote(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(JsonQuote("\u7b97\U0001f680"), "\"\u7b97\U0001f680\"");
  EXPECT_EQ(JsonQuote("\xff\xe7\xae"), "\"\ufffd\ufffd\"");
}

TEST(JsonWriterDeathTest, MisuseIsABugOfOurs) {
  std::string out;
  Sink sink(out);
  EXPECT_DEATH(
      {
        JsonWriter writer(sink);
        writer.BeginObject();
        writer.String("a value without a key");
      },
      "CHECK");
  EXPECT_DEATH(
      {
        JsonWriter writer(sink);
        writer.BeginArray();
        writer.EndObject();
      },
      "CHECK");
  EXPECT_DEATH(
      {
        JsonWriter writer(sink);
        writer.Null();
        writer.Null();
      },
      "CHECK");
}

// What turns the direction of text on a terminal, or ends it, is written as an escape.
TEST(JsonWriter, BidiAndControlCharactersAreEscaped) {
  EXPECT_EQ(JsonQuote("a\xe2\x80\xae"
                      "b"),
            "\"a\\u202eb\"");
  EXPECT_EQ(JsonQuote("\xe2\x81\xa6"), "\"\\u2066\"");
  EXPECT_EQ(JsonQuote("\x7f\xc2\x9b"), "\"\\u007f\\u009b\"");
  EXPECT_EQ(JsonQuote("\xe5\xb1\x82"), "\"\xe5\xb1\x82\"");
}

}  // namespace
}  // namespace opscope
