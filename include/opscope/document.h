// The report: what every verb returns and every output shows.
//
// Text, CSV, Markdown, HTML and JSON are views of a Document and never disagree with it. Order is
// deterministic (graph order, then time order); absent knowledge is an absent value with a reason
// beside it, never 0. Keys and units: schema/opscope.report-1.schema.json.
#pragma once

#include "opscope/document/comparison.h"
#include "opscope/document/conditions.h"
#include "opscope/document/field.h"
#include "opscope/document/model.h"
#include "opscope/document/run.h"
#include "opscope/document/static.h"
#include "opscope/document/text.h"

namespace opscope::doc {

// Something odd in an input while reading went on.
struct DataQuality {
  static constexpr std::string_view kTitle = "DataQuality";

  std::string code;
  std::string severity;
  std::int64_t count = 1;
  std::optional<std::string> where;
  Text message;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("code", self.code, {"Stable"});
    v("severity", self.severity, {"", "", "notice|loss|error"});
    v("count", self.count, {"", "1"});
    v("where", self.where, {"The first place"});
    v("message", self.message, {"Of the first occurrence"});
  }
};

struct Document {
  static constexpr std::string_view kTitle = "Document";

  std::string schema = "opscope.report/1";
  Tool tool;
  std::optional<Conditions> conditions;
  std::optional<Model> model;
  std::vector<Text> assumptions;
  std::optional<Static> static_part;
  std::vector<Run> runs;
  std::vector<Joined> joined;
  std::optional<Comparison> comparison;
  std::vector<DataQuality> data_quality;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("schema", self.schema, {"", "", "opscope.report/1"});
    v("tool", self.tool);
    v("conditions", self.conditions, {"Null when nothing was run or read"});
    v("model", self.model, {"Null for a profile without its model"});
    v("assumptions", self.assumptions, {"What was taken for granted, such as sizes of free dims"});
    v("static", self.static_part, {"Null without a model"});
    v("runs", self.runs);
    v("joined", self.joined, {"Layers with their time, in graph order"});
    v.Part("comparison", self.comparison, {"Of two models"});
    v("data_quality", self.data_quality);
  }
};

// An input that gave no report.
struct Failure {
  static constexpr std::string_view kTitle = "Failure";

  std::string file;
  std::string code;
  std::string message;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("file", self.file);
    v("code", self.code);
    v("message", self.message);
  }
};

// Several models in one answer.
struct Reports {
  static constexpr std::string_view kTitle = "Reports";

  std::string schema = "opscope.reports/1";
  std::vector<Document> reports;
  std::vector<Failure> failed;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("schema", self.schema, {"", "", "opscope.reports/1"});
    v("reports", self.reports);
    v("failed", self.failed);
  }
};

}  // namespace opscope::doc
