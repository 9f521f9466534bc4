#include "document/document_json.h"
#include "document/traits.h"

namespace opscope {
namespace {

// Writes one object. Sentences go out as English text; what is needed to say them in another
// language follows at the end of the object, under "messages".
class ObjectWriter {
 public:
  explicit ObjectWriter(JsonWriter& writer) : writer_(writer) {}

  template <Described T>
  static void Write(JsonWriter& writer, const T& value) {
    writer.BeginObject();
    ObjectWriter self(writer);
    T::Visit(self, value);
    self.WriteMessages();
    writer.EndObject();
  }

  template <class T>
  void operator()(std::string_view key, const T& value, const doc::Note& = {}) {
    writer_.Key(key);
    Value(value);
    Remember(key, value);
  }
  template <class T>
  void Part(std::string_view key, const T& value, const doc::Note& = {}) {
    if (!Absent(value)) (*this)(key, value);
  }

 private:
  void Value(const std::string& value) { writer_.String(value); }
  void Value(const doc::Text& value) { writer_.String(value.text); }
  void Value(std::int64_t value) { writer_.Integer(value); }
  void Value(Int128 value) { writer_.Integer(value); }
  void Value(double value) { writer_.Number(value); }
  void Value(bool value) { writer_.Bool(value); }
  void Value(std::monostate) { writer_.Null(); }
  template <class... T>
  void Value(const std::variant<T...>& value) {
    std::visit([this](const auto& v) { this->Value(v); }, value);
  }
  template <class T>
  void Value(const std::optional<T>& value) {
    if (value) {
      Value(*value);
    } else {
      writer_.Null();
    }
  }
  template <Described T>
  void Value(const T& value) {
    Write(writer_, value);
  }
  template <class T, std::size_t N>
  void Value(const std::array<T, N>& value) {
    Elements(value);
  }
  template <class T>
  void Value(const std::vector<T>& value) {
    Elements(value);
  }
  template <class List>
  void Elements(const List& list) {
    writer_.BeginArray();
    for (const auto& element : list) Value(element);
    writer_.EndArray();
  }
  template <class T>
  void Value(const doc::Map<T>& map) {
    writer_.BeginObject();
    for (const auto& [key, value] : map) {
      writer_.Key(key);
      Value(value);
    }
    writer_.EndObject();
  }
  // In a list there is no key to hang the message on.
  void Value(const std::vector<doc::Text>& list) {
    writer_.BeginArray();
    for (const doc::Text& text : list) {
      writer_.BeginObject();
      (*this)("text", text.text);
      if (!text.id.empty()) IdAndArgs(text);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  template <class T>
  void Remember(std::string_view, const T&) {}
  void Remember(std::string_view key, const doc::Text& text) {
    if (!text.id.empty()) messages_.emplace_back(std::string(key), &text);
  }
  void Remember(std::string_view key, const std::optional<doc::Text>& text) {
    if (text) Remember(key, *text);
  }
  void Remember(std::string_view key, const doc::Map<doc::Text>& map) {
    for (const auto& [name, text] : map) {
      if (!text.id.empty()) messages_.emplace_back(std::string(key) + "." + name, &text);
    }
  }

  void IdAndArgs(const doc::Text& text) {
    (*this)("id", text.id);
    (*this)("args", text.args);
  }
  void WriteMessages() {
    if (messages_.empty()) return;
    writer_.Key("messages");
    writer_.BeginObject();
    for (const auto& [key, text] : messages_) {
      writer_.Key(key);
      writer_.BeginObject();
      IdAndArgs(*text);
      writer_.EndObject();
    }
    writer_.EndObject();
  }

  JsonWriter& writer_;
  std::vector<std::pair<std::string, const doc::Text*>> messages_;
};

}  // namespace

void WriteJson(const doc::Document& document, JsonWriter& writer) {
  ObjectWriter::Write(writer, document);
}

void WriteJson(const doc::Reports& reports, JsonWriter& writer) {
  ObjectWriter::Write(writer, reports);
}

}  // namespace opscope
