#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/sink.h"
#include "document/document_json.h"
#include "support/golden.h"
#include "support/sample_document.h"

namespace opscope {
namespace {

using nlohmann::json;

// As much of JSON Schema as our schemas use. Unlike the standard, unknown keys are faults.
class Validator {
 public:
  explicit Validator(json schema) : schema_(std::move(schema)) {}

  std::string FaultIn(const json& value) const { return Fault(value, schema_, ""); }

 private:
  std::string Fault(const json& value, const json& schema, const std::string& at) const {
    if (schema.contains("$ref")) {
      const auto pointer = schema["$ref"].get<std::string>().substr(1);
      return Fault(value, schema_.at(json::json_pointer(pointer)), at);
    }
    if (schema.contains("anyOf")) {
      // The second choice is null.
      return value.is_null() ? std::string() : Fault(value, schema["anyOf"][0], at);
    }
    if (!HasType(value, schema.at("type"))) return at + ": wrong type " + value.dump();
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return at + ": " + value.dump() + " is none of " + schema["enum"].dump();
    if (value.is_array()) return FaultInArray(value, schema, at);
    return value.is_object() ? FaultInObject(value, schema, at) : std::string();
  }

  static bool HasType(const json& value, const json& type) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(),
                         [&value](const json& one) { return HasType(value, one); });
    }
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  std::string FaultInArray(const json& value, const json& schema, const std::string& at) const {
    if (schema.contains("minItems") && value.size() != schema["minItems"].get<std::size_t>())
      return at + ": has " + std::to_string(value.size()) + " elements";
    for (const json& element : value) {
      std::string fault = Fault(element, schema.at("items"), at + "[]");
      if (!fault.empty()) return fault;
    }
    return {};
  }

  std::string FaultInObject(const json& value, const json& schema, const std::string& at) const {
    for (const auto& [key, member] : value.items()) {
      const std::string path = at + "." + key;
      std::string fault = path + ": unknown key";
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        fault = Fault(member, schema["properties"][key], path);
      } else if (schema.contains("additionalProperties")) {
        fault = Fault(member, schema["additionalProperties"], path);
      }
      if (!fault.empty()) return fault;
    }
    for (const json& key : schema.value("required", json::array())) {
      if (!value.contains(key.get<std::string>())) return at + ": needs " + key.dump();
    }
    return {};
  }

  json schema_;
};

template <class T>
json Written(const T& value) {
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink);
  WriteJson(value, writer);
  EXPECT_TRUE(sink.Finish());
  return json::parse(out);
}

TEST(DocumentSchema, FilesOfTheProjectAreWhatTheStructsSay) {
  testing::ExpectFile("schema/opscope.report-1.schema.json", ReportSchema());
  testing::ExpectFile("schema/opscope.reports-1.schema.json", ReportsSchema());
}

TEST(DocumentSchema, EveryDocumentIsValid) {
  const Validator validator(json::parse(ReportSchema()));
  for (const doc::Document& document :
       {testing::MeasuredDocument(), testing::SymbolicDocument(), testing::ProfileDocument(),
        testing::HostileDocument(), doc::Document()})
    EXPECT_EQ(validator.FaultIn(Written(document)), "");
  doc::Reports reports;
  reports.reports = {testing::MeasuredDocument()};
  reports.failed = {{"cut.onnx", "onnx.truncated", "ends inside a node"}};
  EXPECT_EQ(Validator(json::parse(ReportsSchema())).FaultIn(Written(reports)), "");
}

TEST(DocumentSchema, FaultsAreFound) {
  const Validator validator(json::parse(ReportSchema()));
  json document = Written(testing::MeasuredDocument());
  document["runs"][0]["role"] = "dreamt";
  EXPECT_NE(validator.FaultIn(document).find(".runs[].role"), std::string::npos);
  document = Written(testing::MeasuredDocument());
  document["static"]["totals"].erase("macs");
  EXPECT_NE(validator.FaultIn(document).find("needs \"macs\""), std::string::npos);
  document = Written(testing::MeasuredDocument());
  document["static"]["totals"]["macs"] = 1.5;
  EXPECT_NE(validator.FaultIn(document).find("wrong type"), std::string::npos);
}

// Keys of the contract stand in its order.
TEST(DocumentSchema, OrderOfTheContract) {
  const nlohmann::ordered_json schema = nlohmann::ordered_json::parse(ReportSchema());
  const auto keys = [&schema](const char* title) {
    std::string out;
    for (const auto& [key, value] : schema["$defs"][title]["properties"].items())
      out += (out.empty() ? "" : " ") + key;
    return out;
  };
  EXPECT_EQ(keys("Document"),
            "schema tool conditions model assumptions static runs joined comparison data_quality");
  EXPECT_EQ(keys("Model"),
            "file bytes structure_hash hash format producer opsets inputs outputs symbols "
            "external_files");
  EXPECT_EQ(keys("Joined"),
            "layer run wall_ns median_ns share gflops_per_s gbytes_per_s bound roof_ns roof_share "
            "shared_with state because messages");
}

}  // namespace
}  // namespace opscope
