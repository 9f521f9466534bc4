#include "support/graph_text.h"

#include <map>
#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "support/graph_text_line.h"
#include "support/graph_text_tensor.h"

namespace opscope {

namespace {

using protozero::pbf_writer;

struct Block {
  std::vector<GraphTextLine> lines;  // the first is the head: "graph g1", "function …"
};

// AttributeProto.AttributeType, the field of one value and of a list.
struct AttributeKind {
  int type;
  std::uint32_t one;
  int list_type;
  std::uint32_t list;
};
constexpr AttributeKind kFloat{1, 2, 6, 7}, kInt{2, 3, 7, 8}, kString{3, 4, 8, 9},
    kTensor{4, 5, 9, 10}, kGraph{5, 6, 10, 11}, kSparse{11, 22, 12, 23}, kType{13, 14, 14, 15};

std::string Entry(const std::string& key, const std::string& value) {
  std::string bytes;
  pbf_writer entry(bytes);
  entry.add_string(1, key);
  entry.add_string(2, value);
  return bytes;
}

std::string OpsetId(const std::string& domain, std::int64_t version) {
  std::string bytes;
  pbf_writer opset(bytes);
  if (domain != "ai.onnx") opset.add_string(1, domain);
  opset.add_int64(2, version);
  return bytes;
}

class Writer {
 public:
  Result<std::string> Write(std::string_view text) {
    TRY(Split(text));
    TRY(CollectTensors());
    return WriteModel();
  }

 private:
  Result<void> Split(std::string_view text) {
    Block* block = &main_;
    int number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      GraphTextLine line(text.substr(0, end), ++number);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.AtEnd()) continue;
      GraphTextLine head = line;
      const std::string word = head.Word();
      if (word == "graph") {
        TRY_ASSIGN(const std::string name, head.Name());
        block = &graphs_[name];
      } else if (word == "function") {
        functions_.emplace_back();
        block = &functions_.back();
      } else if (word == "end") {
        block = &main_;
        continue;
      }
      block->lines.push_back(line);
    }
    return {};
  }

  Result<void> CollectTensors() {
    std::vector<const Block*> blocks = {&main_};
    for (const auto& [name, block] : graphs_) blocks.push_back(&block);
    for (const Block* block : blocks) {
      for (GraphTextLine line : block->lines) {
        const std::string word = line.Word();
        if (word != "init" && word != "tensor" && word != "sparse-init") continue;
        TRY_ASSIGN(TextTensor tensor,
                   word == "sparse-init" ? ReadTextSparseTensor(line) : ReadTextTensor(line));
        tensors_[tensor.name] = std::move(tensor);
      }
    }
    return {};
  }

  // ModelProto: ir_version 1, producer 2 and 3, graph 7, opset_import 8, metadata_props 14,
  // functions 25.
  Result<std::string> WriteModel() {
    std::string bytes;
    std::string tail;
    std::string graph_name = "g";
    pbf_writer model(bytes);
    pbf_writer after(tail);
    std::int64_t ir_version = 8;
    bool has_opset = false;
    for (GraphTextLine line : main_.lines) {
      const std::string word = line.Word();
      if (word == "ir") {
        TRY_ASSIGN(ir_version, line.Integer());
      } else if (word == "opset") {
        TRY_ASSIGN(const std::string opset, ReadOpset(line));
        after.add_message(8, opset);
        has_opset = true;
      } else if (word == "producer") {
        TRY_ASSIGN(const std::string name, line.Quoted());
        after.add_string(2, name);
        if (!line.AtEnd()) {
          TRY_ASSIGN(const std::string version, line.Name());
          after.add_string(3, version);
        }
      } else if (word == "metadata") {
        TRY_ASSIGN(const std::string key, line.Quoted());
        TRY_ASSIGN(const std::string value, line.Quoted());
        after.add_message(14, Entry(key, value));
      } else if (word == "graph-name") {
        TRY_ASSIGN(graph_name, line.Name());
      }
    }
    if (!has_opset) after.add_message(8, OpsetId("ai.onnx", 17));
    model.add_int64(1, ir_version);
    TRY_ASSIGN(const std::string graph, WriteGraph(main_, graph_name));
    model.add_message(7, graph);
    bytes += tail;
    for (const Block& block : functions_) {
      TRY_ASSIGN(const std::string function, WriteFunction(block));
      model.add_message(25, function);
    }
    return bytes;
  }

  // "17", "ai.onnx.ml 3"
  static Result<std::string> ReadOpset(GraphTextLine& line) {
    const std::size_t begin = line.position();
    if (const auto version = line.Integer(); version.has_value())
      return OpsetId("ai.onnx", *version);
    line.Rewind(begin);
    TRY_ASSIGN(const std::string domain, line.Name());
    TRY_ASSIGN(const std::int64_t version, line.Integer());
    return OpsetId(domain, version);
  }

  // GraphProto: node 1, name 2, initializer 5, input 11, output 12, value_info 13,
  // sparse_initializer 15.
  Result<std::string> WriteGraph(const Block& block, const std::string& name) {
    std::string bytes;
    pbf_writer graph(bytes);
    graph.add_string(2, name);
    for (GraphTextLine line : block.lines) {
      const std::string word = line.Word();
      if (word == "node") {
        TRY_ASSIGN(const std::string node, WriteNode(line));
        graph.add_message(1, node);
      } else if (word == "init" || word == "sparse-init") {
        TRY_ASSIGN(const std::string tensor, line.Name());
        graph.add_message(word == "init" ? 5 : 15, tensors_[tensor].bytes);
      } else if (word == "input" || word == "output" || word == "value") {
        TRY_ASSIGN(const std::string info, WriteValueInfo(line));
        graph.add_message(word == "input" ? 11 : word == "output" ? 12 : 13, info);
      } else if (!IsModelLine(word)) {
        return line.Problem("unknown word '" + word + "'");
      }
    }
    return bytes;
  }

  static bool IsModelLine(std::string_view word) {
    for (const std::string_view known :
         {"ir", "opset", "producer", "metadata", "graph-name", "tensor", "graph", "function"})
      if (word == known) return true;
    return false;
  }

  // ValueInfoProto: name 1, type 2.
  static Result<std::string> WriteValueInfo(GraphTextLine& line) {
    std::string bytes;
    pbf_writer info(bytes);
    TRY_ASSIGN(const std::string name, line.Name());
    info.add_string(1, name);
    if (line.AtEnd()) return bytes;
    TRY_ASSIGN(const std::string type, ReadTextType(line));
    info.add_message(2, type);
    if (!line.AtEnd()) return line.Problem("unexpected text");
    return bytes;
  }

  // NodeProto: input 1, output 2, name 3, op_type 4, attribute 5, domain 7, overload 8,
  // metadata_props 9.
  Result<std::string> WriteNode(GraphTextLine& line) {
    std::string bytes;
    pbf_writer node(bytes);
    TRY_ASSIGN(const std::string op, line.Name());
    TRY_ASSIGN(const std::vector<std::string> inputs, line.Names());
    if (!line.AcceptWord("->")) return line.Problem("expected '->'");
    TRY_ASSIGN(const std::vector<std::string> outputs, line.Names());
    for (const std::string& input : inputs) node.add_string(1, input);
    for (const std::string& output : outputs) node.add_string(2, output);
    node.add_string(4, op);
    while (!line.AtEnd()) {
      TRY_ASSIGN(const std::string key, line.Name());
      TRY(line.Expect('='));
      const std::uint32_t tag = key == "name" ? 3 : key == "domain" ? 7 : key == "overload" ? 8 : 0;
      if (tag != 0) {
        TRY_ASSIGN(const std::string value, line.Quoted());
        node.add_string(tag, value);
      } else if (key.rfind("meta:", 0) == 0) {
        TRY_ASSIGN(const std::string value, line.Quoted());
        node.add_message(9, Entry(key.substr(5), value));
      } else {
        TRY_ASSIGN(const std::string attribute, WriteAttribute(line, key));
        node.add_message(5, attribute);
      }
    }
    return bytes;
  }

  // AttributeProto: name 1, type 20, ref_attr_name 21, values as in AttributeKind.
  Result<std::string> WriteAttribute(GraphTextLine& line, const std::string& name) {
    std::string bytes;
    pbf_writer attribute(bytes);
    attribute.add_string(1, name);
    if (line.Peek() == '@') {
      attribute.add_string(21, line.Word().substr(1));
      attribute.add_enum(20, kFloat.type);
      return bytes;
    }
    if (!line.Accept('[')) {
      TRY_ASSIGN(const AttributeKind kind, WriteValue(line, attribute, false));
      attribute.add_enum(20, kind.type);
      return bytes;
    }
    AttributeKind kind = ListNeedsFloats(line) ? kFloat : kInt;
    while (!line.Accept(']')) {
      TRY_ASSIGN(kind, WriteValue(line, attribute, true, kind.type == kFloat.type));
      line.Accept(',');
    }
    attribute.add_enum(20, kind.list_type);
    return bytes;
  }

  static bool IsFloatWord(const std::string& word) {
    return word.find_first_of(".en") != std::string::npos;
  }

  // [1, 0.5] holds floats, however the first is written.
  static bool ListNeedsFloats(GraphTextLine line) {
    while (!line.AtEnd() && !line.Accept(']')) {
      if (line.Peek() == '"') return false;
      const std::string word = line.Word();
      if (word.find(':') != std::string::npos) return false;
      if (IsFloatWord(word)) return true;
      line.Accept(',');
    }
    return false;
  }

  Result<AttributeKind> WriteValue(GraphTextLine& line, pbf_writer& attribute, bool list,
                                   bool floats = false) {
    const auto tag = [list](const AttributeKind& kind) { return list ? kind.list : kind.one; };
    if (line.Peek() == '"') {
      TRY_ASSIGN(const std::string text, line.Quoted());
      attribute.add_bytes(tag(kString), text);
      return kString;
    }
    const std::size_t begin = line.position();
    const std::string word = line.Word();
    if (word.rfind("graph:", 0) == 0) {
      TRY_ASSIGN(const std::string graph, WriteBody(line, word.substr(6)));
      attribute.add_message(tag(kGraph), graph);
      return kGraph;
    }
    if (word.rfind("init:", 0) == 0) {
      const auto tensor = tensors_.find(word.substr(5));
      if (tensor == tensors_.end()) return line.Problem("no such tensor: " + word);
      const AttributeKind& kind = tensor->second.sparse ? kSparse : kTensor;
      attribute.add_message(tag(kind), tensor->second.bytes);
      return kind;
    }
    if (word == "type") {
      TRY(line.Expect('('));
      TRY_ASSIGN(const std::string type, ReadTextType(line));
      TRY(line.Expect(')'));
      attribute.add_message(tag(kType), type);
      return kType;
    }
    line.Rewind(begin);
    if (floats || IsFloatWord(word)) {
      TRY_ASSIGN(const double value, line.Float());
      attribute.add_float(tag(kFloat), static_cast<float>(value));
      return kFloat;
    }
    TRY_ASSIGN(const std::int64_t value, line.Integer());
    attribute.add_int64(tag(kInt), value);
    return kInt;
  }

  Result<std::string> WriteBody(GraphTextLine& line, const std::string& name) {
    const auto graph = graphs_.find(name);
    if (graph == graphs_.end()) return line.Problem("no such graph: '" + name + "'");
    if (++depth_ > 40) return line.Problem("graph '" + name + "' holds itself");
    auto bytes = WriteGraph(graph->second, name);
    --depth_;
    return bytes;
  }

  // FunctionProto: name 1, input 4, output 5, attribute 6, node 7, opset_import 9, domain 10,
  // attribute_proto 11, overload 13.
  Result<std::string> WriteFunction(const Block& block) {
    std::string bytes;
    pbf_writer function(bytes);
    GraphTextLine head = block.lines[0];
    head.Word();
    TRY_ASSIGN(const std::string domain, head.Name());
    TRY_ASSIGN(const std::string name, head.Name());
    TRY_ASSIGN(const std::vector<std::string> inputs, head.Names());
    if (!head.AcceptWord("->")) return head.Problem("expected '->'");
    TRY_ASSIGN(const std::vector<std::string> outputs, head.Names());
    function.add_string(1, name);
    function.add_string(10, domain);
    for (const std::string& input : inputs) function.add_string(4, input);
    for (const std::string& output : outputs) function.add_string(5, output);
    bool has_opset = false;
    while (!head.AtEnd()) {
      const std::string word = head.Word();
      if (word == "attrs") {
        TRY(WriteFunctionAttributes(head, function));
      } else if (word == "overload") {
        TRY_ASSIGN(const std::string overload, head.Name());
        function.add_string(13, overload);
      } else if (word == "opset") {
        TRY_ASSIGN(const std::string opset, ReadOpset(head));
        function.add_message(9, opset);
        has_opset = true;
      } else {
        return head.Problem("unknown word '" + word + "'");
      }
    }
    if (!has_opset) function.add_message(9, OpsetId("ai.onnx", 17));
    for (std::size_t i = 1; i < block.lines.size(); ++i) {
      GraphTextLine line = block.lines[i];
      if (line.Word() != "node") return line.Problem("expected a node");
      TRY_ASSIGN(const std::string node, WriteNode(line));
      function.add_message(7, node);
    }
    return bytes;
  }

  // "(alpha, beta=1)"
  Result<void> WriteFunctionAttributes(GraphTextLine& head, pbf_writer& function) {
    TRY(head.Expect('('));
    while (!head.Accept(')')) {
      TRY_ASSIGN(const std::string name, head.Name());
      if (head.Accept('=')) {
        TRY_ASSIGN(const std::string attribute, WriteAttribute(head, name));
        function.add_message(11, attribute);
      } else {
        function.add_string(6, name);
      }
      head.Accept(',');
    }
    return {};
  }

  Block main_;
  std::map<std::string, Block> graphs_;
  std::vector<Block> functions_;
  std::map<std::string, TextTensor> tensors_;
  int depth_ = 0;
};

}  // namespace

Result<std::string> OnnxFromText(std::string_view text) { return Writer().Write(text); }

}  // namespace opscope
