// Every output of the sample documents, as files for review in tests/unit/golden.

#include <gtest/gtest.h>

#include "report/emit/emitter.h"
#include "support/golden.h"
#include "support/sample_document.h"

namespace opscope {
namespace {

std::string Emit(std::string_view format, const doc::Document& document,
                 const EmitOptions& options = {}) {
  std::string out;
  Sink sink(out);
  EXPECT_TRUE(FindEmitter(format)->emit(document, options, sink));
  EXPECT_TRUE(sink.Finish());
  return out;
}

std::string EmitAll(std::string_view format, const doc::Reports& reports) {
  std::string out;
  Sink sink(out);
  EXPECT_TRUE(FindEmitter(format)->emit_all(reports, {}, sink));
  EXPECT_TRUE(sink.Finish());
  return out;
}

EmitOptions Chinese() {
  EmitOptions options;
  options.language = Language::kChinese;
  return options;
}

doc::Reports Several() {
  doc::Reports reports;
  reports.reports = {testing::MeasuredDocument(), testing::SymbolicDocument()};
  reports.failed = {{"cut.onnx", "onnx.truncated", "ends inside a node at byte 1023"}};
  return reports;
}

void ExpectGolden(const std::string& name, const std::string& actual) {
  testing::ExpectFile("tests/unit/golden/" + name, actual);
}

TEST(EmitGolden, Text) {
  ExpectGolden("measured.txt", Emit("text", testing::MeasuredDocument()));
  ExpectGolden("measured.zh.txt", Emit("text", testing::MeasuredDocument(), Chinese()));
  ExpectGolden("symbolic.txt", Emit("text", testing::SymbolicDocument()));
  ExpectGolden("profile.txt", Emit("text", testing::ProfileDocument()));
  ExpectGolden("hostile.txt", Emit("text", testing::HostileDocument()));
  EmitOptions narrow;
  narrow.width = 80;
  ExpectGolden("measured.80.txt", Emit("text", testing::MeasuredDocument(), narrow));
  EmitOptions piped;
  piped.wide = true;
  piped.bars = false;
  piped.written = {"detector.report.html"};
  ExpectGolden("measured.piped.txt", Emit("text", testing::MeasuredDocument(), piped));
  ExpectGolden("several.txt", EmitAll("text", Several()));
}

TEST(EmitGolden, Json) {
  ExpectGolden("measured.json", Emit("json", testing::MeasuredDocument()));
  ExpectGolden("symbolic.json", Emit("json", testing::SymbolicDocument()));
}

TEST(EmitGolden, Csv) {
  ExpectGolden("measured.csv", Emit("csv", testing::MeasuredDocument()));
  ExpectGolden("symbolic.csv", Emit("csv", testing::SymbolicDocument()));
  ExpectGolden("profile.csv", Emit("csv", testing::ProfileDocument()));
  ExpectGolden("hostile.csv", Emit("csv", testing::HostileDocument()));
  ExpectGolden("several.csv", EmitAll("csv", Several()));
}

TEST(EmitGolden, Markdown) {
  ExpectGolden("measured.md", Emit("md", testing::MeasuredDocument()));
  ExpectGolden("measured.zh.md", Emit("md", testing::MeasuredDocument(), Chinese()));
  ExpectGolden("symbolic.md", Emit("md", testing::SymbolicDocument()));
  ExpectGolden("hostile.md", Emit("md", testing::HostileDocument()));
  ExpectGolden("several.md", EmitAll("md", Several()));
}

TEST(EmitGolden, Html) {
  ExpectGolden("measured.html", Emit("html", testing::MeasuredDocument()));
  ExpectGolden("symbolic.html", Emit("html", testing::SymbolicDocument(), Chinese()));
  ExpectGolden("several.html", EmitAll("html", Several()));
}

}  // namespace
}  // namespace opscope
