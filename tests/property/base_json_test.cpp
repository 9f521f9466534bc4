// JSON: what the writer writes the reader reads; a text is the same through any window; a cut text
// is an error at the cut.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace opscope {
namespace {

using Random = std::mt19937;

int Below(Random& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

std::string RandomText(Random& random) {
  static const char* const kParts[] = {"a",      "layers.0/", "\"",         "\\", "\n",     "\x01",
                                       "\u00e9", "\u7b97",    "\U0001f680", "/",  "{}[],:", "\x7f"};
  std::string out;
  for (int i = Below(random, 12); i > 0; --i) out += kParts[Below(random, 12)];
  return out;
}

// Writes a random value and gives it back as compact JSON text, made without the writer.
std::string WriteRandom(Random& random, JsonWriter& writer, int depth) {
  const int kind = Below(random, depth > 6 ? 5 : 7);
  std::string text;
  switch (kind) {
    case 0:
      writer.Null();
      return "null";
    case 1:
      writer.Bool(true);
      return "true";
    case 2: {
      const auto value = static_cast<std::int64_t>(random()) * 4096 - (1LL << 40);
      writer.Integer(value);
      return std::to_string(value);
    }
    case 3:
      writer.Number(0.1);
      return "0.1";
    case 4:
      text = RandomText(random);
      writer.String(text);
      return JsonQuote(text);
    case 5:
      writer.BeginArray();
      for (int i = Below(random, 5); i > 0; --i)
        text += (text.empty() ? "" : ",") + WriteRandom(random, writer, depth + 1);
      writer.EndArray();
      return "[" + text + "]";
    default:
      writer.BeginObject();
      for (int i = Below(random, 5); i > 0; --i) {
        const std::string key = RandomText(random);
        writer.Key(key);
        text += (text.empty() ? "" : ",") + JsonQuote(key) + ":";
        text += WriteRandom(random, writer, depth + 1);
      }
      writer.EndObject();
      return "{" + text + "}";
  }
}

std::string Written(unsigned seed, JsonStyle style, std::string* expected) {
  Random random(seed);
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink, style);
  *expected = WriteRandom(random, writer, 0);
  EXPECT_TRUE(sink.Finish());
  return out;
}

TEST(JsonRoundTrip, WhatIsWrittenIsRead) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::string expected;
    EXPECT_EQ(Written(seed, JsonStyle::kCompact, &expected), expected);
    const std::string text = Written(seed, JsonStyle::kIndented, &expected);
    JsonReader reader(text);
    const auto first = reader.Next();
    ASSERT_TRUE(first);
    const auto raw = reader.Raw(*first);
    ASSERT_TRUE(raw) << text;
    EXPECT_EQ(*raw, expected);
    EXPECT_EQ(reader.Next()->kind, JsonKind::kEnd);
    EXPECT_EQ(reader.repairs(), 0);
  }
}

// All tokens with their places, or the error.
std::string Walk(JsonReader& reader) {
  std::string out;
  while (true) {
    const auto token = reader.Next();
    if (!token) return out + token.error().code + " " + token.error().ToString();
    out += std::to_string(static_cast<int>(token->kind)) + "@" + std::to_string(token->offset) +
           std::string(token->text) + "\n";
    if (token->kind == JsonKind::kEnd) return out;
  }
}

TEST(JsonDamage, ACutIsAnErrorAndAFlipEnds) {
  Random random(7);
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::string text;
    Written(seed, JsonStyle::kIndented, &text);
    text = "[" + text + "]";
    for (std::size_t size = 0; size < text.size(); ++size) {
      JsonReader reader(std::string_view(text).substr(0, size));
      const std::string seen = Walk(reader);
      EXPECT_NE(seen.find("json.truncated byte"), std::string::npos) << text.substr(0, size);
    }
    for (int i = 0; i < 50; ++i) {
      std::string flipped = text;
      flipped[random() % flipped.size()] = static_cast<char>(random());
      JsonReader reader(flipped);
      EXPECT_LE(Walk(reader).size(), 100 * flipped.size() + 100);
    }
  }
}

// The windows of a file end anywhere: inside names, escapes, numbers and blanks.
TEST(JsonWindows, AFileReadsLikeItsText) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("opscope-json-" + std::to_string(::getpid()) + ".json");
  for (unsigned seed = 0; seed < 6; ++seed) {
    Random random(seed);
    std::string text = "[";
    while (text.size() < 700'000) {
      std::string value;
      Written(static_cast<unsigned>(random()), JsonStyle::kCompact, &value);
      text += (text.size() > 1 ? "," : "") + std::string(random() % 40, ' ') + value;
      if (random() % 50 == 0) text += ",\"" + std::string(random() % 200'000, 'x') + "\\n\"";
    }
    text += "]";
    std::ofstream(path, std::ios::binary) << text;
    JsonReader by_text(text);
    auto source = Source::Open(path.string());
    ASSERT_TRUE(source);
    JsonReader by_file(*source);
    EXPECT_TRUE(Walk(by_text) == Walk(by_file)) << seed;

    JsonReader skipping(*source);
    const auto first = skipping.Next();
    EXPECT_TRUE(skipping.Skip(*first));
    EXPECT_EQ(skipping.Next()->kind, JsonKind::kEnd);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace opscope
