#include "document/document_json.h"

#include <gtest/gtest.h>

#include "base/sink.h"
#include "document/messages.h"
#include "support/sample_document.h"

namespace opscope {
namespace {

template <class T>
std::string Json(const T& value) {
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink);
  WriteJson(value, writer);
  EXPECT_TRUE(sink.Finish());
  return out;
}

Result<doc::Document> Read(const std::string& json, ImportLog& log) {
  JsonReader reader{std::string_view(json)};
  return ReadJson(reader, log);
}

doc::Document MustRead(const std::string& json) {
  ImportLog log;
  Result<doc::Document> document = Read(json, log);
  EXPECT_TRUE(document) << document.error().ToString();
  EXPECT_TRUE(log.issues().empty());
  return document ? *document : doc::Document();
}

std::string ErrorOf(const std::string& json) {
  ImportLog log;
  Result<doc::Document> document = Read(json, log);
  return document ? "no error" : document.error().code + " | " + document.error().ToString();
}

TEST(DocumentJson, WhatWasReadIsWrittenAgainByteByByte) {
  for (const doc::Document& document :
       {testing::MeasuredDocument(), testing::SymbolicDocument(), testing::ProfileDocument(),
        testing::LargeDocument(500), doc::Document()}) {
    const std::string json = Json(document);
    EXPECT_EQ(Json(MustRead(json)), json);
  }
  // Names that are no UTF-8 are mended once.
  const std::string hostile = Json(testing::HostileDocument());
  EXPECT_EQ(Json(MustRead(hostile)), hostile);
}

TEST(DocumentJson, SeveralReportsAndFailures) {
  doc::Reports reports;
  reports.reports = {testing::MeasuredDocument(), testing::SymbolicDocument()};
  reports.failed = {{"cut.onnx", "onnx.truncated", "ends inside a node"}};
  const std::string json = Json(reports);
  JsonReader reader{std::string_view(json)};
  ImportLog log;
  const Result<doc::Reports> read = ReadReportsJson(reader, log);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(Json(*read), json);
}

TEST(DocumentJson, IntegersAreExactAtAnySize) {
  doc::Document document = testing::MeasuredDocument();
  doc::Totals& totals = document.static_part->totals;
  totals.counts.macs = (Int128{1} << 53);
  totals.counts.flops = (Int128{1} << 53) + 1;
  totals.counts.operations = (Int128{1} << 100) + 12345;
  document.static_part->layers[0].outputs[0].shape = {{(std::int64_t{1} << 60) + 7}};
  const std::string json = Json(document);
  EXPECT_NE(json.find("\"macs\": 9007199254740992,"), std::string::npos);
  EXPECT_NE(json.find("\"flops\": \"9007199254740993\""), std::string::npos);
  const doc::Document read = MustRead(json);
  EXPECT_TRUE(read.static_part->totals.counts.operations == totals.counts.operations);
  EXPECT_EQ(read.static_part->layers[0].outputs[0].shape,
            document.static_part->layers[0].outputs[0].shape);
}

TEST(DocumentJson, UnknownKnownAndAbsentDimsStayApart) {
  doc::Document document = testing::MeasuredDocument();
  document.model->inputs[0].shape = {{std::monostate{}, std::int64_t{0}, std::string("N")}};
  document.model->outputs[0].shape.reset();
  const std::string json = Json(document);
  const doc::Document read = MustRead(json);
  EXPECT_EQ(read.model->inputs[0].shape, document.model->inputs[0].shape);
  EXPECT_FALSE(read.model->outputs[0].shape.has_value());
}

TEST(DocumentJson, SentencesKeepTheirIdsBesideTheEnglishText) {
  doc::Document document = testing::MeasuredDocument();
  document.assumptions = {
      Say("assumption.dim-role", {{"dim", "N"}, {"value", std::int64_t{1}}, {"role", "batch"}}),
      "plain words"};
  document.runs[0].latency->why = Say("reason.varies", {{"value", "5 %"}, {"limit", "3 %"}});
  document.conditions->state->because = {{"energy", Say("reason.no-energy")}};
  const std::string json = Json(document);
  EXPECT_NE(json.find("\"why\": \"runs vary by 5 % (limit 3 %)\""), std::string::npos);
  const doc::Document read = MustRead(json);
  EXPECT_EQ(read.assumptions, document.assumptions);
  EXPECT_EQ(read.runs[0].latency->why, document.runs[0].latency->why);
  EXPECT_EQ(read.conditions->state->because, document.conditions->state->because);
  EXPECT_EQ(Render(read.assumptions[0], Language::kChinese), "N 取为 1（batch）");
}

TEST(DocumentJson, KeysOfALaterVersionAreSkippedAndNoted) {
  ImportLog log;
  const Result<doc::Document> document = Read(
      R"({"schema": "opscope.report/1", "novel": {"a": [1, {"b": 2}]},
          "tool": {"name": "opscope", "version": "9", "colour": "blue", "weight": 3}})",
      log);
  ASSERT_TRUE(document) << document.error().ToString();
  EXPECT_EQ(document->tool.version, "9");
  ASSERT_EQ(log.issues().size(), 1u);
  EXPECT_EQ(log.issues()[0].code, "document.unknown-key");
  EXPECT_EQ(log.issues()[0].count, 3);
}

TEST(DocumentJson, ErrorsNameKeyAndPlace) {
  EXPECT_EQ(ErrorOf(R"({"schema": "opscope.report/2"})").substr(0, 15), "document.schema");
  EXPECT_EQ(ErrorOf(R"({"tool": {"name": "x", "version": "1"}})"),
            "document.schema | \"schema\": not a report: it has no \"schema\"");
  EXPECT_EQ(ErrorOf(R"([1])"), "document.type | byte 0: needs an object");
  EXPECT_EQ(ErrorOf(R"({"schema": "opscope.report/1", "tool": {"version": 3}})"),
            "document.type | \"tool\": \"version\": byte 51: needs a string");
  EXPECT_EQ(ErrorOf(R"({"runs": [{"latency_ns": {"ci95": [1]}}]})"),
            "document.type | \"runs\": \"latency_ns\": \"ci95\": byte 34: needs 2 elements");
  EXPECT_EQ(ErrorOf(R"({"schema": "opscope.report/1", "runs": [{"id": 1.5}]})"),
            "document.type | \"runs\": \"id\": byte 47: needs a 64-bit integer");
  EXPECT_EQ(ErrorOf(R"({"schema": "opscope.report/1", "runs": [)").substr(0, 14), "json.truncated");
}

TEST(DocumentJson, EveryCutGivesAnErrorAndNoCrash) {
  const std::string json = Json(testing::MeasuredDocument());
  const std::size_t end = json.find_last_of('}');
  for (std::size_t length = 0; length < end; length += 97)
    EXPECT_NE(ErrorOf(json.substr(0, length)), "no error") << length;
}

}  // namespace
}  // namespace opscope
