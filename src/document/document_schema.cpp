#include <map>

#include "base/sink.h"
#include "document/document_json.h"
#include "document/traits.h"

namespace opscope {
namespace {

// The members of a Described type in the words of JSON Schema. Every struct becomes one entry of
// "$defs"; those met while one is written are written after it.
class SchemaWriter {
 public:
  explicit SchemaWriter(JsonWriter& writer) : writer_(writer) {}

  template <Described T>
  void Document(std::string_view id, std::string_view about) {
    writer_.BeginObject();
    Text("$schema", "https://json-schema.org/draft/2020-12/schema");
    Text("$id", id);
    Text("description", about);
    Text("$ref", Reference<T>());
    writer_.Key("$defs");
    writer_.BeginObject();
    while (!pending_.empty()) {
      const auto [title, write] = pending_.back();
      pending_.pop_back();
      writer_.Key(title);
      (this->*write)();
    }
    Integer();
    Sentences();
    writer_.EndObject();
    writer_.EndObject();
  }

 private:
  // One struct: properties, and which of them are always there.
  struct Fields {
    template <class T>
    void operator()(std::string_view key, const T& member, const doc::Note& note = {}) {
      required.push_back(key);
      Part(key, member, note);
    }
    template <class T>
    void Part(std::string_view key, const T& member, const doc::Note& note = {}) {
      schema->writer_.Key(key);
      schema->Member(member, note);
      has_sentence = has_sentence || HoldsSentence(member);
    }

    SchemaWriter* schema;
    std::vector<std::string_view> required = {};
    bool has_sentence = false;
  };

  template <class T>
  static bool HoldsSentence(const T&) {
    return false;
  }
  static bool HoldsSentence(const doc::Text&) { return true; }
  static bool HoldsSentence(const std::optional<doc::Text>&) { return true; }
  static bool HoldsSentence(const doc::Map<doc::Text>&) { return true; }

  template <Described T>
  void Struct() {
    writer_.BeginObject();
    Text("type", "object");
    Text("title", T::kTitle);
    writer_.Key("properties");
    writer_.BeginObject();
    Fields fields{this};
    const T empty{};
    T::Visit(fields, empty);
    if (fields.has_sentence) {
      writer_.Key("messages");
      Ref("#/$defs/Messages");
    }
    writer_.EndObject();
    writer_.Key("required");
    writer_.BeginArray();
    for (const std::string_view key : fields.required) writer_.String(key);
    writer_.EndArray();
    writer_.EndObject();
  }

  template <Described T>
  std::string Reference() {
    const auto [at, is_new] = seen_.try_emplace(T::kTitle);
    if (is_new) pending_.emplace_back(T::kTitle, &SchemaWriter::Struct<T>);
    return "#/$defs/" + std::string(T::kTitle);
  }

  // The schema of one member with its note.
  template <class T>
  void Member(const T& member, const doc::Note& note) {
    writer_.BeginObject();
    if (!note.about.empty()) Text("description", note.about);
    if (!note.unit.empty()) Text("x-unit", note.unit);
    Body(member, note);
    writer_.EndObject();
  }
  template <class T>
  void Element(const T& element, const doc::Note& note) {
    writer_.BeginObject();
    Body(element, note);
    writer_.EndObject();
  }

  void Body(const std::string&, const doc::Note& note) {
    Text("type", "string");
    if (note.one_of.empty()) return;
    writer_.Key("enum");
    writer_.BeginArray();
    std::string_view rest = note.one_of;
    while (true) {
      const std::size_t bar = rest.find('|');
      writer_.String(rest.substr(0, bar));
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
    writer_.EndArray();
  }
  void Body(const doc::Text&, const doc::Note&) { Text("type", "string"); }
  void Body(std::int64_t, const doc::Note&) { Text("$ref", "#/$defs/Integer"); }
  void Body(Int128, const doc::Note&) { Text("$ref", "#/$defs/Integer"); }
  void Body(double, const doc::Note&) { Text("type", "number"); }
  void Body(bool, const doc::Note&) { Text("type", "boolean"); }
  void Body(const doc::Extent&, const doc::Note&) { Types({"integer", "string", "null"}); }
  void Body(const doc::Arg&, const doc::Note&) { Types({"string", "number"}); }
  template <Described T>
  void Body(const T&, const doc::Note&) {
    Text("$ref", Reference<T>());
  }
  template <class T>
  void Body(const std::optional<T>&, const doc::Note& note) {
    writer_.Key("anyOf");
    writer_.BeginArray();
    Element(T{}, note);
    writer_.BeginObject();
    Text("type", "null");
    writer_.EndObject();
    writer_.EndArray();
  }
  template <class T, std::size_t N>
  void Body(const std::array<T, N>&, const doc::Note& note) {
    Text("type", "array");
    writer_.Key("items");
    Element(T{}, note);
    for (const std::string_view key : {"minItems", "maxItems"}) {
      writer_.Key(key);
      writer_.Integer(N);
    }
  }
  template <class T>
  void Body(const std::vector<T>&, const doc::Note& note) {
    Text("type", "array");
    writer_.Key("items");
    Element(T{}, note);
  }
  template <class T>
  void Body(const doc::Map<T>&, const doc::Note& note) {
    Text("type", "object");
    writer_.Key("additionalProperties");
    Element(T{}, note);
  }
  void Body(const std::vector<doc::Text>&, const doc::Note&) {
    Text("type", "array");
    writer_.Key("items");
    Ref("#/$defs/Sentence");
  }

  // Exact: a JSON integer up to 2^53 in size, a decimal string beyond.
  void Integer() {
    writer_.Key("Integer");
    writer_.BeginObject();
    Text("description", "Exact: an integer up to 2^53 in size, a decimal string beyond");
    Types({"integer", "string"});
    writer_.Key("minimum");
    writer_.Integer(-(Int128{1} << 53));
    writer_.Key("maximum");
    writer_.Integer(Int128{1} << 53);
    Text("pattern", "^-?[0-9]+$");
    writer_.EndObject();
  }

  void Sentences() {
    writer_.Key("Message");
    MessageBody(false);
    writer_.Key("Sentence");
    MessageBody(true);
    writer_.Key("Messages");
    writer_.BeginObject();
    Text("description", "By key: the sentences of this object, so that they can be translated");
    Text("type", "object");
    writer_.Key("additionalProperties");
    Ref("#/$defs/Message");
    writer_.EndObject();
  }
  void MessageBody(bool with_text) {
    writer_.BeginObject();
    Text("type", "object");
    writer_.Key("properties");
    writer_.BeginObject();
    if (with_text) {
      writer_.Key("text");
      Member(std::string(), {"In English"});
    }
    writer_.Key("id");
    Member(std::string(), {"Of the message catalogue"});
    writer_.Key("args");
    writer_.BeginObject();
    Text("type", "object");
    writer_.Key("additionalProperties");
    writer_.BeginObject();
    Types({"string", "number"});
    writer_.EndObject();
    writer_.EndObject();
    writer_.EndObject();
    writer_.Key("required");
    writer_.BeginArray();
    writer_.String(with_text ? "text" : "id");
    writer_.EndArray();
    writer_.EndObject();
  }

  void Text(std::string_view key, std::string_view value) {
    writer_.Key(key);
    writer_.String(value);
  }
  void Ref(std::string_view target) {
    writer_.BeginObject();
    Text("$ref", target);
    writer_.EndObject();
  }
  void Types(std::initializer_list<std::string_view> types) {
    writer_.Key("type");
    writer_.BeginArray();
    for (const std::string_view type : types) writer_.String(type);
    writer_.EndArray();
  }

  JsonWriter& writer_;
  std::map<std::string_view, bool> seen_;
  std::vector<std::pair<std::string_view, void (SchemaWriter::*)()>> pending_;
};

template <Described T>
std::string SchemaOf(std::string_view id, std::string_view about) {
  std::string out;
  Sink sink(out);
  JsonWriter writer(sink);
  SchemaWriter(writer).Document<T>(id, about);
  sink.Append('\n');
  static_cast<void>(sink.Finish());  // a string takes everything
  return out;
}

constexpr std::string_view kAbout =
    "Keys are English in every language. Absent knowledge is null, with a reason beside it. A new "
    "minor version only adds keys. Units stand in the names or under x-unit.";

}  // namespace

std::string ReportSchema() { return SchemaOf<doc::Document>("opscope.report/1", kAbout); }

std::string ReportsSchema() { return SchemaOf<doc::Reports>("opscope.reports/1", kAbout); }

}  // namespace opscope
