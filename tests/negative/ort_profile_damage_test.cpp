// Damaged profiles: whatever is done to the bytes, reading ends, and the sums still add up.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "base/source.h"
#include "join/join.h"
#include "support/profile_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

constexpr std::string_view kProfile = R"(
setup 0 +90 session_initialization
op    104 +20 n0 Conv index=0 in=float:1,3,8,8;int64: out=float:1,8,8,8 ep=CPUExecutionProvider
op    131 +5 inner Sin index=0
exec  130 +8
op    126 +14 my_if If index=1
exec  102 +45
run   100 +50
op    204 +20 n0 Conv index=0 in=float:1,3,8,8;int64: out=float:1,8,8,8 ep=CPUExecutionProvider
exec  202 +45
run   200 +50
kernel 206 +4 gemm parent=n0 stream=7
)";

// Events kept; -1 when the file was refused.
std::int64_t Try(std::string bytes, ImportLog& log) {
  Source source = Source::FromBytes("p.json", std::move(bytes));
  const Result<Trace> trace = ReadTrace({source, log}, "ort-profile");
  if (!trace.has_value()) {
    EXPECT_FALSE(trace.error().message.empty());
    EXPECT_FALSE(trace.error().place.empty());
    return -1;
  }
  const RunAnalysis run = Summarise(*trace);
  EXPECT_GE(run.reconciliation.wall_ns(), 0);
  return static_cast<std::int64_t>(trace->size());
}

TEST(OrtProfileDamage, CutAtEveryByteKeepsTheCompleteEvents) {
  for (const std::string& whole : {ProfileFromText(kProfile), PrettyProfileFromText(kProfile)}) {
    std::int64_t kept = -1;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ImportLog log;
      const std::int64_t events = Try(whole.substr(0, size), log);
      EXPECT_GE(events, kept) << "byte " << size;
      EXPECT_LE(events, kept + 1) << "byte " << size;
      kept = events;
      if (events > 0 && whole.find(']', size) + 2 == whole.size() && size + 2 < whole.size()) {
        ASSERT_EQ(log.issues().size(), 1U) << "byte " << size;
        EXPECT_EQ(log.issues()[0].code, "trace.cut");
      }
    }
    EXPECT_EQ(kept, 11);
  }
}

TEST(OrtProfileDamage, FlippedBytesCostAtMostTheirEvents) {
  for (const std::string& whole : {ProfileFromText(kProfile), PrettyProfileFromText(kProfile)}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char value : {'\0', '"', '{', '}', ']', ',', '-', '9', '\n', '\xff'}) {
        std::string bytes = whole;
        bytes[at] = value;
        ImportLog log;
        EXPECT_GE(Try(bytes, log), 9) << "byte " << at << " = " << int{value};
      }
    }
  }
}

TEST(OrtProfileDamage, RandomDamageEnds) {
  std::mt19937 random(3);
  const std::string whole = ProfileFromText(kProfile);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 20; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    ImportLog log;
    Try(bytes, log);
  }
}

TEST(OrtProfileDamage, ManyTinyAndFewHugeEvents) {
  ImportLog log;
  // Starts of events only, names without an end, nests without an end.
  std::string starts = "[";
  for (int i = 0; i < 200'000; ++i) starts += "{\"ts\":";
  EXPECT_EQ(Try(starts, log), 0);
  std::string open =
      "[\n{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :1,\"ts\" :1,\"ph\" : \"X\","
      "\"name\" :\"";
  EXPECT_EQ(Try(open + std::string(9 << 20, 'x'), log), 0);
  EXPECT_EQ(Try(open + "n_kernel_time\",\"args\" : {\"a\" : " + std::string(5 << 20, '['), log), 0);
  EXPECT_EQ(Try("[{\"cat\":" + std::string(1 << 20, '['), log), 0);
}

TEST(OrtProfileDamage, DeepNestsAreCutNotFollowed) {
  std::string text;
  for (int depth = 0; depth < 5'000; ++depth) {
    const std::string interval = std::to_string(depth) + " +" + std::to_string(20'000 - 2 * depth);
    text += "exec " + interval + "\nop " + interval + " n" + std::to_string(depth) + " If\n";
  }
  ImportLog log;
  EXPECT_EQ(Try(ProfileFromText(text + "run 0 +20000\n"), log), 10'001);
}

TEST(OrtProfileDamage, TimesAtTheEdgeOfTheirType) {
  for (const std::string at :
       {"0", "-1", "2305843009213693", "2305843009213694", "-2305843009213693",
        "9223372036854775807", "-9223372036854775808"}) {
    for (const std::string duration : {"0", "1", "2305843009213693", "9223372036854775807"}) {
      ImportLog log;
      std::string text;
      for (int i = 0; i < 5; ++i) text += "op " + at + " +" + duration + " n If\n";
      Try(ProfileFromText(text + "exec " + at + " +" + duration + "\nrun " + at + " +" + duration +
                          "\n"),
          log);
    }
  }
}

}  // namespace
}  // namespace opscope
