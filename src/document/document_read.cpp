#include <map>

#include "base/checked.h"
#include "document/document_json.h"
#include "document/traits.h"

namespace opscope {
namespace {

// The id and args of a sentence, as "messages" holds them.
struct MessageParts {
  std::string id;
  doc::Args args;
};
using MessageMap = std::map<std::string, MessageParts, std::less<>>;

class DocumentReader {
 public:
  DocumentReader(JsonReader& reader, ImportLog& log) : reader_(reader), log_(log) {}

  // The object that begins with `first`.
  template <Described T>
  Result<void> Object(const JsonToken& first, T& out);

 private:
  // Looks for the field `key` among those of a struct and reads it.
  struct FieldFinder {
    template <class T>
    void operator()(std::string_view name, T& member, const doc::Note& = {}) {
      if (found || name != key) return;
      found = true;
      outcome = reader->Field(name, member);
    }
    template <class T>
    void Part(std::string_view name, T& member, const doc::Note& = {}) {
      (*this)(name, member);
    }

    DocumentReader* reader;
    std::string_view key;
    bool found = false;
    Result<void> outcome = {};
  };

  // Gives the sentences of a struct the ids and args that stood in "messages".
  struct MessageSetter {
    template <class T>
    void operator()(std::string_view, T&, const doc::Note& = {}) {}
    void operator()(std::string_view key, doc::Text& text, const doc::Note& = {}) {
      const auto found = messages.find(key);
      if (found == messages.end()) return;
      text.id = found->second.id;
      text.args = found->second.args;
    }
    void operator()(std::string_view key, std::optional<doc::Text>& text, const doc::Note& = {}) {
      if (text) (*this)(key, *text);
    }
    void operator()(std::string_view key, doc::Map<doc::Text>& map, const doc::Note& = {}) {
      for (auto& [name, text] : map) (*this)(std::string(key) + "." + name, text);
    }
    template <class T>
    void Part(std::string_view key, T& member, const doc::Note& = {}) {
      (*this)(key, member);
    }

    const MessageMap& messages;
  };

  template <class T>
  Result<void> Field(std::string_view key, T& member) {
    TRY_ASSIGN(const JsonToken first, reader_.Next());
    Result<void> outcome = Value(first, member);
    if (!outcome) return WithContext(std::move(outcome.error()), "\"" + std::string(key) + "\"");
    return {};
  }

  Error WrongType(std::string_view wanted, const JsonToken& found) const {
    return {"document.type", "needs " + std::string(wanted),
            "byte " + std::to_string(found.offset)};
  }

  Result<void> Value(const JsonToken& first, std::string& out) {
    if (first.kind != JsonKind::kString) return WrongType("a string", first);
    out = first.text;
    return {};
  }
  Result<void> Value(const JsonToken& first, doc::Text& out) { return Value(first, out.text); }
  Result<void> Value(const JsonToken& first, std::int64_t& out) {
    const std::optional<std::int64_t> value = first.AsInt64();
    if (!value) return WrongType("a 64-bit integer", first);
    out = *value;
    return {};
  }
  Result<void> Value(const JsonToken& first, Int128& out) {
    const bool scalar = first.kind == JsonKind::kNumber || first.kind == JsonKind::kString;
    const std::optional<Int128> value = scalar ? ParseInt128(first.text) : std::nullopt;
    if (!value) return WrongType("an integer", first);
    out = *value;
    return {};
  }
  Result<void> Value(const JsonToken& first, double& out) {
    const std::optional<double> value =
        first.kind == JsonKind::kNumber ? first.AsDouble() : std::nullopt;
    if (!value) return WrongType("a number", first);
    out = *value;
    return {};
  }
  Result<void> Value(const JsonToken& first, bool& out) {
    if (first.kind != JsonKind::kBool) return WrongType("true or false", first);
    out = first.boolean;
    return {};
  }
  // A dim. Symbols are never all digits, so a string of digits is a number beyond 2^53.
  Result<void> Value(const JsonToken& first, doc::Extent& out) {
    if (first.kind == JsonKind::kNull) {
      out = std::monostate{};
    } else if (const auto number = first.AsInt64()) {
      out = *number;
    } else if (first.kind == JsonKind::kString) {
      out = std::string(first.text);
    } else {
      return WrongType("an integer, a string or null", first);
    }
    return {};
  }
  Result<void> Value(const JsonToken& first, doc::Arg& out) {
    if (first.kind == JsonKind::kString) {
      out = std::string(first.text);
    } else if (const auto number = first.AsInt64()) {
      out = *number;
    } else if (const auto fraction = first.AsDouble()) {
      out = *fraction;
    } else {
      return WrongType("a string or a number", first);
    }
    return {};
  }
  template <class T>
  Result<void> Value(const JsonToken& first, std::optional<T>& out) {
    if (first.kind == JsonKind::kNull) {
      out.reset();
      return {};
    }
    return Value(first, out.emplace());
  }
  template <Described T>
  Result<void> Value(const JsonToken& first, T& out) {
    return Object(first, out);
  }
  template <class T, std::size_t N>
  Result<void> Value(const JsonToken& first, std::array<T, N>& out) {
    std::vector<T> list;
    TRY(Value(first, list));
    if (list.size() != N) return WrongType(std::to_string(N) + " elements", first);
    std::copy(list.begin(), list.end(), out.begin());
    return {};
  }
  template <class T>
  Result<void> Value(const JsonToken& first, std::vector<T>& out) {
    if (first.kind != JsonKind::kBeginArray) return WrongType("a list", first);
    out.clear();
    return reader_.ForEachElement([this, &out](const JsonToken& element) {
      T value{};
      Result<void> outcome = Value(element, value);
      if (outcome) out.push_back(std::move(value));
      return outcome;
    });
  }
  template <class T>
  Result<void> Value(const JsonToken& first, doc::Map<T>& out) {
    if (first.kind != JsonKind::kBeginObject) return WrongType("an object", first);
    out.clear();
    return reader_.ForEachField([this, &out](std::string_view key) {
      std::string name(key);
      T value{};
      Result<void> outcome = Field(name, value);
      if (outcome) out.emplace_back(std::move(name), std::move(value));
      return outcome;
    });
  }
  Result<void> Value(const JsonToken& first, std::vector<doc::Text>& out) {
    if (first.kind != JsonKind::kBeginArray) return WrongType("a list", first);
    out.clear();
    return reader_.ForEachElement([this, &out](const JsonToken& element) -> Result<void> {
      doc::Text text;
      if (element.kind != JsonKind::kBeginObject) return WrongType("an object", element);
      TRY(Sentence(text));
      out.push_back(std::move(text));
      return {};
    });
  }
  // {"text": …, "id": …, "args": …}, of which some may be missing.
  Result<void> Sentence(doc::Text& out) {
    return reader_.ForEachField([this, &out](std::string_view key) -> Result<void> {
      if (key == "text") return Field("text", out.text);
      if (key == "id") return Field("id", out.id);
      if (key == "args") return Field("args", out.args);
      return {};
    });
  }
  Result<void> Messages(MessageMap& out) {
    TRY_ASSIGN(const JsonToken first, reader_.Expect(JsonKind::kBeginObject));
    static_cast<void>(first);
    return reader_.ForEachField([this, &out](std::string_view key) -> Result<void> {
      std::string name(key);
      TRY_ASSIGN(const JsonToken begin, reader_.Next());
      if (begin.kind != JsonKind::kBeginObject) return WrongType("an object", begin);
      doc::Text text;
      TRY(Sentence(text));
      out[std::move(name)] = {std::move(text.id), std::move(text.args)};
      return {};
    });
  }

  JsonReader& reader_;
  ImportLog& log_;
};

template <Described T>
Result<void> DocumentReader::Object(const JsonToken& first, T& out) {
  if (first.kind != JsonKind::kBeginObject) return WrongType("an object", first);
  MessageMap messages;
  TRY(reader_.ForEachField([this, &out, &messages](std::string_view key) -> Result<void> {
    if (key == "messages") return Messages(messages);
    FieldFinder finder{this, key};
    T::Visit(finder, out);
    if (!finder.found) {
      log_.Add("document.unknown-key", Severity::kNotice, T::kTitle,
               "\"" + std::string(key) + "\" is not known to this version and was skipped");
    }
    return std::move(finder.outcome);
  }));
  MessageSetter setter{messages};
  if (!messages.empty()) T::Visit(setter, out);
  return {};
}

template <Described T>
Result<T> ReadWhole(JsonReader& reader, ImportLog& log) {
  T out;
  const std::string wanted = out.schema;
  out.schema.clear();
  TRY_ASSIGN(const JsonToken first, reader.Next());
  TRY(DocumentReader(reader, log).Object(first, out));
  if (out.schema == wanted) return out;
  return Error{"document.schema",
               out.schema.empty() ? "not a report: it has no \"schema\""
                                  : "\"" + out.schema + "\" cannot be read here, only \"" + wanted +
                                        "\"; write it again with this version",
               "\"schema\""};
}

}  // namespace

Result<doc::Document> ReadJson(JsonReader& reader, ImportLog& log) {
  return ReadWhole<doc::Document>(reader, log);
}

Result<doc::Reports> ReadReportsJson(JsonReader& reader, ImportLog& log) {
  return ReadWhole<doc::Reports>(reader, log);
}

}  // namespace opscope
