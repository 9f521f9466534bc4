// A trace of many pieces reads the same on one thread and on many, whole or damaged anywhere.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/trace_text.h"
#include "trace/formats/format.h"

namespace opscope::test {
namespace {

// Some 10 MB (five pieces) where `most` events are not less. Layouts as torch writes them, compact,
// and with the keys turned round.
std::string Made(int layout, int most = 1 << 30) {
  std::string text = "{\"schemaVersion\": 1, \"baseTimeNanoseconds\": 5, \"traceEvents\": [";
  const std::string sep = layout == 1 ? "" : "\n    ";
  for (int i = 0; i < most && text.size() < (10 << 20); ++i) {
    const std::string n = std::to_string(i);
    const std::string head = "\"ph\": \"X\"," + sep + "\"cat\": \"cpu_op\"," + sep;
    const std::string body = "\"name\": \"op_" + std::to_string(i % 1000) +
                             "\", \"pid\": 1, \"tid\": " + std::to_string(i % 3) +
                             ", \"ts\": " + n + "." + std::to_string(100 + i % 900) +
                             ", \"dur\": 0.5";
    const std::string args =
        "\"args\": {\"list\": [{\"name\": \"x\"}, {\"ph\": \"inner\"}], \"n\": " + n + "}";
    text += i == 0 ? "" : ",";
    text += layout == 2 ? "{" + args + "," + sep + body + "," + head + "\"id\": 1}"
                        : "{" + sep + head + body + "," + args + "}";
  }
  return text + "], \"traceName\": \"t\"}";
}

TEST(KinetoPieces, ThreadsChangeNothing) {
  for (int layout = 0; layout < 3; ++layout) {
    const std::string text = Made(layout);
    const std::string one = ReadTraceText(text, 1);
    EXPECT_GT(one.size(), 1'000'000U);
    EXPECT_EQ(one.find('!'), std::string::npos) << one.substr(one.find('!'));
    EXPECT_TRUE(ReadTraceText(text, 2) == one) << layout;
    EXPECT_TRUE(ReadTraceText(text, 5) == one) << layout;
  }
}

// What a damage costs is the event it hits, wherever it lies between pieces.
TEST(KinetoPieces, DamageChangesNothingElse) {
  const std::string text = Made(0);
  const auto lines = [](const std::string& read) {
    std::size_t count = 0;
    for (std::size_t at = read.find("op op_"); at != std::string::npos;
         at = read.find("op op_", at + 1))
      ++count;
    return count;
  };
  const std::size_t whole = lines(ReadTraceText(text, 1));
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    std::string damaged = text;
    const std::size_t at = 100 + random() % (text.size() - 200);
    damaged[at] = "\"{}[],\x01\xff"[round % 8];
    const std::string one = ReadTraceText(damaged, 1);
    EXPECT_GE(lines(one) + 3, whole) << "byte " << at;
    EXPECT_TRUE(ReadTraceText(damaged, 3) == one) << "byte " << at;
  }
}

// Two hundred random bytes of a trace: every event in front of the cut is there, and the place is
// named. All on a short text; on a long one, which is read in pieces, some.
void CutAnywhere(const std::string& text, int rounds) {
  constexpr std::string_view kEvent = "\"dur\": 0.5";  // once in each
  std::mt19937 random(11);
  for (int round = 0; round < rounds; ++round) {
    const std::string cut = text.substr(0, 200 + random() % (text.size() - 300));
    const std::string one = ReadTraceText(cut, 1);
    EXPECT_NE(one.find("! trace.cut x1 byte " + std::to_string(cut.size())), std::string::npos);
    EXPECT_TRUE(ReadTraceText(cut, 2) == one) << cut.size();
    std::size_t begun = 0, read = 0;
    for (std::size_t at = cut.find(kEvent); at != std::string::npos; at = cut.find(kEvent, at + 1))
      ++begun;
    for (std::size_t at = one.find("op op_"); at != std::string::npos;
         at = one.find("op op_", at + 1))
      ++read;
    EXPECT_LE(read, begun) << cut.size();
    EXPECT_GE(read + 1, begun) << cut.size();  // the last one may have been hit
  }
}

TEST(KinetoPieces, ACutKeepsWhatIsWhole) {
  CutAnywhere(Made(0, 300), 200);
  CutAnywhere(Made(0), 8);
}

}  // namespace
}  // namespace opscope::test
