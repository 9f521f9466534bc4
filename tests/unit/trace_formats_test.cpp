// The registry of trace formats.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/source.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

Error ReadError(std::string bytes, std::string_view as = "") {
  ImportLog log;
  Source source = Source::FromBytes("dir/p.json", std::move(bytes));
  Result<Trace> trace = ReadTrace({source, log}, as);
  EXPECT_FALSE(trace.has_value());
  return trace.has_value() ? Error{} : trace.error();
}

TEST(TraceFormats, HasAnEntryForEveryFolder) {
  std::size_t folders = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(OPSCOPE_SOURCE_DIR "/src/trace/formats"))
    folders += std::filesystem::exists(entry.path() / "format.h") && entry.is_directory() ? 1 : 0;
  EXPECT_EQ(TraceFormats().size(), folders);
  std::set<std::string_view> ids;
  for (const TraceFormat& format : TraceFormats()) ids.insert(format.info.id);
  EXPECT_EQ(ids.size(), folders) << "two formats share an id";
}

TEST(TraceFormats, AnEmptyFileIsASessionThatWasNotEnded) {
  const Error error = ReadError("");
  EXPECT_EQ(error.code, "trace.empty");
  EXPECT_EQ(error.place, "p.json");
  EXPECT_NE(error.message.find("session was not ended"), std::string::npos);
}

TEST(TraceFormats, OtherFilesAreNamedForWhatTheyLookLike) {
  EXPECT_NE(ReadError("{\"a\": 1}").message.find("JSON"), std::string::npos);
  EXPECT_NE(ReadError("hello").message.find("text"), std::string::npos);
  EXPECT_NE(ReadError(std::string("\x08\x01\x12\x00", 4)).message.find("binary"),
            std::string::npos);
  EXPECT_NE(ReadError(" \n ").message.find("blanks"), std::string::npos);
  EXPECT_EQ(ReadError("[]").code, "trace.unknown-format");
}

TEST(TraceFormats, FilesOfOtherToolsAreAnsweredWithTheirExport) {
  const auto answer = [](std::string bytes, const std::string& name = "p") {
    ImportLog log;
    Source source = Source::FromBytes(name, std::move(bytes));
    const Result<Trace> trace = ReadTrace({source, log});
    return trace.has_value() ? std::string() : trace.error().message;
  };
  const auto holds = [&](const std::string& text, std::string_view words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  holds(answer("NVIDIA Tegra Profiler Report 2026@4@1"), "nsys export --type sqlite");
  holds(answer("PERFILE2\x68"), "perf script");
  holds(answer(std::string("NVR\0\1", 5)), "ncu --import");
  holds(answer(std::string("\x0a\0\1", 3), "host.xplane.pb"), "create_perfetto_trace");
}

TEST(TraceFormats, AnUnknownNameListsTheKnownOnes) {
  const Error error = ReadError("[]", "kinetto");
  EXPECT_EQ(error.code, "trace.format-name");
  EXPECT_NE(error.message.find("ort-profile"), std::string::npos);
}

TEST(TraceFormats, OtherListsOfEventsAreNotTakenForOnnxRuntime) {
  ImportLog log;
  Source source = Source::FromBytes(
      "p.json", R"([{"name": "aten::add", "cat": "cpu_op", "ph": "X", "ts": 1, "dur": 2}])");
  const Result<Trace> trace = ReadTrace({source, log});
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->format, "kineto");
  EXPECT_EQ(ReadError(R"([{"count": 3}, {"name": "conv1", "averageMs": 1.5}])").code,
            "trace.unknown-format");
}

TEST(TraceFormats, AForcedFormatReadsWhatLooksLikeNothing) {
  ImportLog log;
  Source source = Source::FromBytes("p.json", "[]");
  const Result<Trace> trace = ReadTrace({source, log}, "ort-profile");
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->size(), 0U);
}

}  // namespace
}  // namespace opscope
