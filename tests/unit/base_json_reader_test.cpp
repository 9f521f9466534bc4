#include <gtest/gtest.h>

#include <limits>

#include "base/json_reader.h"

namespace opscope {
namespace {

// The tokens of a text as text: {k:"a"#1[]}. An error ends it as !code@place.
std::string Show(const JsonToken& token) {
  const std::string text(token.text);
  switch (token.kind) {
    case JsonKind::kBeginObject:
      return "{";
    case JsonKind::kEndObject:
      return "}";
    case JsonKind::kBeginArray:
      return "[";
    case JsonKind::kEndArray:
      return "]";
    case JsonKind::kKey:
      return text + ":";
    case JsonKind::kString:
      return "'" + text + "'";
    case JsonKind::kNumber:
      return "#" + text;
    case JsonKind::kBool:
      return token.boolean ? "T" : "F";
    case JsonKind::kNull:
      return "N";
    case JsonKind::kEnd:
      return ".";
  }
  return "?";
}

std::string Tokens(JsonReader& reader) {
  std::string out;
  while (true) {
    const auto token = reader.Next();
    if (!token) return out + "!" + token.error().code + "@" + token.error().place;
    out += Show(*token);
    if (token->kind == JsonKind::kEnd) return out;
  }
}
std::string Tokens(std::string_view text) {
  JsonReader reader(text);
  return Tokens(reader);
}

TEST(JsonReader, ReadsEveryKindOfToken) {
  EXPECT_EQ(Tokens(R"({"a": [1, -2.5e+3, "x"], "b": {"c": true, "d": false, "e": null}, "f": []})"),
            "{a:[#1#-2.5e+3'x']b:{c:Td:Fe:N}f:[]}.");
  EXPECT_EQ(Tokens(" 7 "), "#7.");
  EXPECT_EQ(Tokens("\t\r\n{}"), "{}.");
  EXPECT_EQ(Tokens("\"\""), "''.");
}

TEST(JsonReader, DecodesEscapes) {
  EXPECT_EQ(Tokens(R"("a\"b\\c\/d\n\t\r\b\f")"), "'a\"b\\c/d\n\t\r\b\f'.");
  EXPECT_EQ(Tokens(R"("\u7b97\u5b50")"), "'\u7b97\u5b50'.");
  EXPECT_EQ(Tokens(R"("\ud83d\ude80")"), "'\U0001f680'.");
  EXPECT_EQ(Tokens(R"({"\u0061": 1})"), "{a:#1}.");
}

struct Repaired {
  const char* text;
  const char* tokens;
  int repairs;
};

TEST(JsonReader, IsLenientWhereProfilersAreAndCounts) {
  const Repaired cases[] = {
      {"[1,2,]", "[#1#2].", 1},
      {R"({"a":1,})", "{a:#1}.", 1},
      {"[NaN, Infinity, -Infinity, inf, -nan]", "[#NaN#Infinity#-Infinity#inf#-nan].", 5},
      {"[\"a\nb\tc\"]", "['a\nb\tc'].", 2},
      {"\xef\xbb\xbf{}", "{}.", 1},
      {R"(["C:\models"])", "['C:\\models'].", 1},
      {R"(["\u12"])", "['\\u12'].", 1},
      {R"(["\ud83d!"])", "['\ufffd!'].", 1},            // half a pair
      {R"(["\ude80\ud83d"])", "['\ufffd\ufffd'].", 2},  // the wrong way round
      {"[\"\xff\"]", "['\xff'].", 0},                   // bytes pass as they are
  };
  for (const Repaired& c : cases) {
    JsonReader reader(c.text);
    EXPECT_EQ(Tokens(reader), c.tokens) << c.text;
    EXPECT_EQ(reader.repairs(), c.repairs) << c.text;
  }
}

TEST(JsonReader, SaysWhereATextIsBroken) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "!json.truncated@byte 0"},
      {"  ", "!json.truncated@byte 2"},
      {"[1, 2", "[#1#2!json.truncated@byte 5"},
      {R"({"a)", "{!json.truncated@byte 1"},
      {R"({"a")", "{a:!json.truncated@byte 4"},
      {R"({"a":tr)", "{a:!json.truncated@byte 5"},
      {R"(["\)", "[!json.truncated@byte 1"},
      {"[1 2]", "[#1!json.syntax@byte 3"},
      {"[1}", "[#1!json.syntax@byte 2"},
      {"{1:2}", "{!json.syntax@byte 1"},
      {R"({"a" 1})", "{a:!json.syntax@byte 5"},
      {"[,1]", "[!json.syntax@byte 1"},
      {"[1,,2]", "[#1!json.syntax@byte 3"},
      {"{,}", "{!json.syntax@byte 1"},
      {"]", "!json.syntax@byte 0"},
      {"{} {}", "{}!json.syntax@byte 3"},
      {"[01]", "[!json.syntax@byte 1"},
      {"[+1]", "[!json.syntax@byte 1"},
      {"[1.]", "[!json.syntax@byte 1"},
      {"[True]", "[!json.syntax@byte 1"},
      {R"({"name":"ab"s\p"})", "{name:'ab'!json.syntax@byte 12"},  // an unescaped name
  };
  for (const auto& [text, tokens] : cases) EXPECT_EQ(Tokens(text), tokens) << text;
  EXPECT_EQ(Tokens(std::string_view("[\0]", 3)), "[!json.syntax@byte 1");
}

TEST(JsonReader, LimitsTheNesting) {
  const std::string deep(256, '[');
  EXPECT_EQ(Tokens(deep), deep + "!json.truncated@byte 256");
  EXPECT_EQ(Tokens(std::string(100000, '[')), deep + "!json.depth@byte 256");
  const std::string deeper = "[" + std::string(100000, '[');
  JsonReader reader(deeper);
  const auto first = reader.Next();
  EXPECT_EQ(reader.Skip(*first).error().code, "json.depth");
}

TEST(JsonReader, LimitsStringsOfSources) {
  Source source = Source::FromBytes("x", "\"" + std::string((64 << 20) + 5, 'a') + "\"");
  JsonReader reader(source);
  EXPECT_EQ(Tokens(reader), "!json.string@byte 0");
}

TEST(JsonToken, NumbersAreExact) {
  const auto integer = [](const char* text) {
    JsonReader reader(text);
    return reader.Next()->AsInt64();
  };
  EXPECT_EQ(integer("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("18446744073709551615"), std::nullopt);
  EXPECT_EQ(integer("1e3"), 1000);
  EXPECT_EQ(integer("12.50e1"), 125);
  EXPECT_EQ(integer("12.0"), 12);
  EXPECT_EQ(integer("12.5"), std::nullopt);
  EXPECT_EQ(integer("1e-1"), std::nullopt);
  EXPECT_EQ(integer("NaN"), std::nullopt);
  EXPECT_EQ(integer("\"42\""), 42);
  EXPECT_EQ(integer("\"0x2a\""), std::nullopt);
  EXPECT_EQ(integer("true"), std::nullopt);
  EXPECT_EQ(integer("[]"), std::nullopt);
}

TEST(JsonToken, DoublesAreFinite) {
  const auto number = [](const char* text) {
    JsonReader reader(text);
    return reader.Next()->AsDouble();
  };
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("-1e300"), -1e300);
  EXPECT_EQ(number("\"2.5\""), 2.5);
  EXPECT_EQ(number("1e999"), std::nullopt);
  EXPECT_EQ(number("NaN"), std::nullopt);
  EXPECT_EQ(number("-inf"), std::nullopt);
  EXPECT_EQ(number("\"inf\""), std::nullopt);
  EXPECT_EQ(number("null"), std::nullopt);
}

TEST(JsonReader, SkipsWhatNobodyWants) {
  JsonReader reader(R"([{"a": [1, {"b": "]}"}]}, "x\"]", 3, [NaN,], 4])");
  ASSERT_EQ(reader.Next()->kind, JsonKind::kBeginArray);
  std::string seen;
  const auto done = reader.ForEachElement([&](const JsonToken& first) -> Result<void> {
    seen += Show(first);
    return reader.Skip(first);
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(seen, "{'x\"]'#3[#4");
  EXPECT_EQ(Tokens(reader), ".");
  EXPECT_EQ(reader.repairs(), 0);
}

TEST(JsonReader, FieldsLeaveNothingBehind) {
  JsonReader reader(R"({"a": {"x": [1]}, "b": 2, "c": [3, [4]], "d": "e"})");
  ASSERT_TRUE(reader.Expect(JsonKind::kBeginObject));
  std::string seen;
  const auto done = reader.ForEachField([&](std::string_view key) -> Result<void> {
    seen += key;
    if (key == "a") return {};  // left as it is
    TRY_ASSIGN(const JsonToken first, reader.Next());
    seen += Show(first);  // of "c", only the bracket is read
    return {};
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(seen, "ab#2c[d'e'");
  EXPECT_EQ(Tokens(reader), ".");
}

TEST(JsonReader, CallbacksMayStopWithAnError) {
  JsonReader reader("[1, 2, 3]");
  ASSERT_TRUE(reader.Expect(JsonKind::kBeginArray));
  const auto done = reader.ForEachElement([&](const JsonToken& first) -> Result<void> {
    if (first.text == "2") return Error{"x.two", "two", ""};
    return {};
  });
  EXPECT_EQ(done.error().code, "x.two");
}

TEST(JsonReader, ExpectNamesBothKinds) {
  JsonReader reader("{}");
  const auto token = reader.Expect(JsonKind::kBeginArray);
  EXPECT_EQ(token.error().code, "json.unexpected");
  EXPECT_EQ(token.error().ToString(), "byte 0: expected an array, found an object");
}

TEST(JsonReader, HandsValuesOn) {
  const auto raw = [](std::string_view text) {
    JsonReader reader(text);
    const JsonToken first = *reader.Next();
    return *reader.Raw(first);
  };
  EXPECT_EQ(raw(R"( { "a" : [ 1 , 2.50 , { } ] , "b" : "x\ty" , "c" : null } )"),
            R"({"a":[1,2.50,{}],"b":"x\ty","c":null})");
  EXPECT_EQ(raw("[NaN, true,]"), "[null,true]");
  EXPECT_EQ(raw("\":\""), "\":\"");
  EXPECT_EQ(raw(R"([":", "[", 1])"), R"([":","[",1])");
}

// Tokens that straddle the windows of a source come out whole.
TEST(JsonReader, ReadsSourcesThroughWindows) {
  std::string text = "[";
  std::string wanted = "[";
  for (int i = 0; text.size() < 3'000'000; ++i) {
    const std::string name(static_cast<std::size_t>(i * 7919 % 5000), 'n');
    text += "{\"" + name + "\":\"" + name + "\\u00e9\", \"i\": " + std::to_string(i) + "},\n";
    wanted += "{" + name + ":'" + name + "\u00e9'i:#" + std::to_string(i) + "}";
  }
  text += std::string(600'000, ' ') + "\"" + std::string(900'000, 'z') + "\"]";
  wanted += "'" + std::string(900'000, 'z') + "'].";
  Source source = Source::FromBytes("x.json", text);
  JsonReader reader(source);
  EXPECT_TRUE(Tokens(reader) == wanted);
  Source again = Source::FromBytes("x.json", "junk" + text);
  JsonReader from_offset(again, 4);
  EXPECT_TRUE(Tokens(from_offset) == wanted);
}

}  // namespace
}  // namespace opscope
