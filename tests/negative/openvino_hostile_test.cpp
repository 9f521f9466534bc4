// OpenVINO networks from hostile hands: entities, nests without end, cycles, ids twice, ports that
// are not there, sizes that cannot be. An error that says what, never a crash, in linear time.
#include <gtest/gtest.h>

#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/openvino_text.h"

namespace opscope {
namespace {

using namespace testing;  // NOLINT

// The error, or what the log says.
std::string Read(std::string xml) {
  Source source = Source::FromBytes("net.xml", std::move(xml));
  ImportLog log;
  auto model = ReadModel({source, log, {}}, "openvino");
  if (!model.has_value()) return model.error().code + ": " + model.error().message;
  auto analysis = AnalyzeStatic(*model, {}, log);
  if (!analysis.has_value()) return analysis.error().code;
  std::string out = "read ";
  for (const ImportIssue& issue : log.issues()) out += issue.code + " ";
  return out;
}

std::string Net(const std::string& layers, const std::string& edges = "") {
  return "<net version=\"11\"><layers>" + layers + "</layers><edges>" + edges + "</edges></net>";
}

std::string Some() {
  return OpenVinoNet(R"(
Parameter x -> f32 [1,3,8,8]
Const w -> f32 [4,3,3,3]
Convolution c (x, w) strides="1, 1" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0" -> f32 [1,4,6,6]
Result r (c)
)")
      .xml;
}

void Expect(const std::string& said, std::string_view part) {
  EXPECT_NE(said.find(part), std::string::npos) << said.substr(0, 300);
}

TEST(OpenVinoHostile, CutAtEveryByte) {
  const std::string whole = Some();
  Expect(Read(whole), "read");
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    ASSERT_EQ(Read(whole.substr(0, length)).rfind("openvino.", 0), 0U) << length;
}

TEST(OpenVinoHostile, EveryByteChanged) {
  const std::string whole = Some();
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char c : {'<', '"', '0', '\xff'}) {
      std::string changed = whole;
      changed[i] = c;
      (void)Read(std::move(changed));
    }
}

TEST(OpenVinoHostile, Markup) {
  Expect(Read("<!DOCTYPE net [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><net version=\"11\"/>"),
         "document type declaration");
  Expect(Read("<net version=\"11\" name=\"&lol;\"/>"), "entity &lol; is not defined");
  Expect(Read("<net version=\"11\" name=\"&#0;\"/>"), "is not defined");
  Expect(Read("<net version=\"11\" name=\"\xff\xfe\"/>"), "UTF-8");
  Expect(Read("<?xml version=\"1.0\" encoding=\"UTF-16\"?><net version=\"11\"/>"), "UTF-8");
  Expect(Read("<net version=\"11\" version=\"11\"/>"), "stands twice");
  Expect(Read("<net version=\"11\"></layers></net>"), "closes");
  Expect(Read("<net version=\"11\"/><net/>"), "second root");
}

TEST(OpenVinoHostile, SizesOfMarkupAreBounded) {
  std::string nest;
  for (int i = 0; i < 1'000'000; ++i) nest += "<a>";
  Expect(Read("<net version=\"11\">" + nest), "nest more than");
  std::string bodies;
  for (int i = 0; i < 200'000; ++i) bodies += "<layers><layer id=\"0\" type=\"Loop\"><body>";
  Expect(Read("<net version=\"11\">" + bodies), "nest more than");
  std::string attributes = "<net version=\"11\"";
  for (int i = 0; i < 1'000'000; ++i) attributes += " a" + std::to_string(i) + "=\"\"";
  Expect(Read(attributes + "/>"), "more than");
  Expect(Read("<net version=\"11\" name=\"" + std::string(20 << 20, 'a') + "\"/>"), "16 MiB");
}

TEST(OpenVinoHostile, LayersAndEdges) {
  const std::string a =
      R"(<layer id="0" type="ReLU" version="opset1"><input><port id="0"/></input>)"
      R"(<output><port id="1"/></output></layer>)";
  Expect(Read(Net(a + a)), "two layers have the id 0");
  const auto edge = [](int from, int out, int to, int in) {
    return "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" + std::to_string(out) +
           "\" to-layer=\"" + std::to_string(to) + "\" to-port=\"" + std::to_string(in) + "\"/>";
  };
  Expect(Read(Net(a)), "openvino.no-edge");
  Expect(Read(Net(a, edge(0, 1, 0, 0))), "ops.cycle");
  Expect(Read(Net(a, edge(0, 1, 7, 0))), "does not exist");
  Expect(Read(Net(a, edge(0, 2, 0, 0))), "no output port 2");
  Expect(Read(Net(a, edge(0, 1, 0, 5))), "no input port 5");
  Expect(Read(Net(a, edge(0, 1, 0, 0) + edge(0, 1, 0, 0))), "two edges");
  Expect(Read(Net("<layer id=\"x\" type=\"ReLU\"/>")), "not an integer");
  Expect(Read(Net("<layer id=\"0\"/>")), "without a type");
  Expect(Read(Net("<layer id=\"0\" type=\"Loop\" version=\"opset5\"><body><layers/></body>"
                  "<port_map><input external_port_id=\"0\" internal_layer_id=\"3\"/></port_map>"
                  "</layer>")),
         "port map names");
}

TEST(OpenVinoHostile, HugeSizes) {
  const std::string huge = "9223372036854775807";
  Expect(Read(Net("<layer id=\"0\" type=\"Const\" version=\"opset1\"><data element_type=\"f32\" "
                  "shape=\"" +
                  huge + "," + huge + "\" offset=\"" + huge + "\" size=\"" + huge +
                  "\"/><output><port id=\"0\"/></output></layer>")),
         "openvino.damaged");
  Expect(
      Read(Net("<layer id=\"0\" type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\" "
               "shape=\"" +
               huge + "," + huge + "\"/><output><port id=\"0\"/></output></layer>")),
      "read");
  Expect(Read(Net("<layer id=\"0\" type=\"Parameter\" version=\"opset1\"><output><port id=\"0\">"
                  "<dim>99999999999999999999</dim></port></output></layer>")),
         "not an integer");
}

}  // namespace
}  // namespace opscope
