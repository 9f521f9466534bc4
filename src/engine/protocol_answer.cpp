#include <array>
#include <utility>

#include "base/json_reader.h"
#include "base/text.h"
#include "engine/protocol.h"

namespace opscope {
namespace {

Error Strange(std::string_view said, std::string_view what) {
  constexpr std::size_t kShown = 120;
  return {"engine.protocol",
          "it said something that is not the protocol (" + std::string(what) + "): '" +
              CutMiddle(Printable(said.substr(0, 1000)), kShown) + "'",
          ""};
}

// Answers are our own protocol: lenient reading of other people's JSON ends here.
class Answer {
 public:
  explicit Answer(std::string_view text) : text_(text), reader_(text) {}

  // Calls field(key) for the keys of the whole text, which is one object.
  template <class Field>
  Result<void> Object(Field field) {
    TRY_ASSIGN(const JsonToken first, Token());
    if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
    TRY(Fields(field));
    TRY_ASSIGN(const JsonToken end, Token());
    if (end.kind != JsonKind::kEnd) return Wrong("more than one value");
    return {};
  }
  template <class Field>
  Result<void> Fields(Field field) {
    return Own(reader_.ForEachField(field));
  }
  template <class Element>
  Result<void> Objects(Element element) {
    return Array([&](const JsonToken& first) -> Result<void> {
      if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
      return element();
    });
  }
  template <class Element>
  Result<void> Array(Element element) {
    TRY_ASSIGN(const JsonToken first, Token());
    if (first.kind != JsonKind::kBeginArray) return Wrong("not an array");
    return Own(reader_.ForEachElement(element));
  }
  Result<std::string> Text() {
    TRY_ASSIGN(const JsonToken token, Token());
    if (token.kind != JsonKind::kString) return Wrong("not a string");
    return std::string(token.text);
  }
  Result<std::vector<std::string>> Texts() {
    std::vector<std::string> out;
    TRY(Array([&](const JsonToken& token) -> Result<void> {
      if (token.kind != JsonKind::kString) return Wrong("not a string");
      out.emplace_back(token.text);
      return {};
    }));
    return out;
  }
  Result<std::optional<std::int64_t>> MaybeNumber() {
    TRY_ASSIGN(const JsonToken token, Token());
    if (token.kind == JsonKind::kNull) return std::optional<std::int64_t>();
    TRY_ASSIGN(const std::int64_t value, Integer(token));
    return std::optional(value);
  }
  Result<std::int64_t> Integer(const JsonToken& token) {
    const auto value = token.AsInt64();
    if (!value) return Wrong("not an integer");
    return *value;
  }
  Result<std::int64_t> Number() {
    TRY_ASSIGN(const JsonToken token, Token());
    return Integer(token);
  }
  Result<std::vector<std::int64_t>> Numbers() {
    std::vector<std::int64_t> out;
    TRY(Array([&](const JsonToken& token) -> Result<void> {
      TRY_ASSIGN(const std::int64_t value, Integer(token));
      out.push_back(value);
      return {};
    }));
    return out;
  }
  Result<std::string> RawObject() {
    TRY_ASSIGN(const JsonToken first, Token());
    if (first.kind != JsonKind::kBeginObject) return Wrong("not an object");
    auto raw = reader_.Raw(first);
    if (!raw.has_value()) return Wrong(raw.error().message);
    return raw;
  }
  Result<void> Skip() {
    TRY_ASSIGN(const JsonToken first, Token());
    return Own(reader_.Skip(first));
  }
  Error Wrong(std::string_view what) const { return Strange(text_, what); }

 private:
  Result<JsonToken> Token() {
    auto token = reader_.Next();
    if (!token.has_value()) return Wrong(token.error().message);
    return token;
  }
  Result<void> Own(Result<void> result) const {
    if (result.has_value() || result.error().code == "engine.protocol") return result;
    return Wrong(result.error().message);
  }

  std::string_view text_;
  JsonReader reader_;
};

// Error codes an engine may send; anything else is a refusal.
std::string EngineCode(std::string_view code) {
  constexpr std::array kKnown = {"missing", "option", "shape", "input", "refused", "memory"};
  for (const char* known : kKnown)
    if (code == known) return "engine." + std::string(code);
  return "engine.refused";
}

Result<void> ReadError(Answer& answer, std::optional<Error>& out) {
  out = Error{"engine.refused", "", ""};
  TRY_ASSIGN(const std::string raw, answer.RawObject());
  Answer error(raw);
  TRY(error.Object([&](std::string_view key) -> Result<void> {
    if (key == "code") {
      TRY_ASSIGN(const std::string code, error.Text());
      out->code = EngineCode(code);
      return {};
    }
    if (key != "message") return error.Skip();
    TRY_ASSIGN(const std::string message, error.Text());
    out->message = Printable(message);
    return {};
  }));
  return {};
}

Result<RunSamples> ReadSamples(Answer& answer) {
  RunSamples out;
  TRY_ASSIGN(const std::string raw, answer.RawObject());
  Answer samples(raw);
  TRY(samples.Object([&](std::string_view key) -> Result<void> {
    if (key != "wall_ns" && key != "cpu_ns") return samples.Skip();
    std::vector<Nanos>& list = key == "wall_ns" ? out.wall : out.cpu;
    TRY_ASSIGN(const std::vector<std::int64_t> values, samples.Numbers());
    for (const std::int64_t value : values) {
      if (value < 0) return samples.Wrong("a negative time");
      list.push_back({value});
    }
    return {};
  }));
  if (out.wall.size() != out.cpu.size())
    return samples.Wrong("wall and CPU times differ in number");
  return out;
}

Result<EngineDim> ReadDim(Answer& answer, const JsonToken& token) {
  EngineDim out;
  if (token.kind == JsonKind::kString) {
    out.symbol = std::string(token.text);
  } else if (token.kind != JsonKind::kNull) {
    TRY_ASSIGN(out.size, answer.Integer(token));
  }
  return out;
}

Result<EngineValue> ReadValue(Answer& answer) {
  EngineValue out;
  TRY(answer.Fields([&](std::string_view key) -> Result<void> {
    if (key == "shape") {
      return answer.Array([&](const JsonToken& token) -> Result<void> {
        TRY_ASSIGN(EngineDim dim, ReadDim(answer, token));
        out.shape.push_back(std::move(dim));
        return {};
      });
    }
    if (key == "run_shape") {
      TRY_ASSIGN(out.run_shape, answer.Numbers());
      return {};
    }
    std::string* text = key == "name"    ? &out.name
                        : key == "dtype" ? &out.dtype
                        : key == "kind"  ? &out.kind
                        : key == "fill"  ? &out.fill
                                         : nullptr;
    if (!text) return answer.Skip();
    TRY_ASSIGN(*text, answer.Text());
    return {};
  }));
  return out;
}

Result<void> ReadValues(Answer& answer, std::vector<EngineValue>& out) {
  return answer.Objects([&]() -> Result<void> {
    TRY_ASSIGN(EngineValue value, ReadValue(answer));
    out.push_back(std::move(value));
    return {};
  });
}

Result<OutputShape> ReadOutput(Answer& answer) {
  OutputShape out;
  TRY(answer.Fields([&](std::string_view key) -> Result<void> {
    if (key == "name") {
      TRY_ASSIGN(out.name, answer.Text());
    } else if (key == "dtype") {
      TRY_ASSIGN(out.dtype, answer.Text());
    } else if (key == "shape") {
      TRY_ASSIGN(out.shape, answer.Numbers());
    } else {
      return answer.Skip();
    }
    return {};
  }));
  return out;
}

}  // namespace

Result<EngineLine> ParseEngineLine(std::string_view line) {
  EngineLine out;
  Answer answer(line);
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    if (key == "id") {
      TRY_ASSIGN(out.id, answer.Number());
    } else if (key == "ok") {
      TRY_ASSIGN(out.ok, answer.RawObject());
    } else if (key == "error") {
      return ReadError(answer, out.error);
    } else if (key == "samples") {
      TRY_ASSIGN(out.samples, ReadSamples(answer));
    } else {
      return answer.Skip();
    }
    return {};
  }));
  if (out.ok.has_value() + out.error.has_value() + out.samples.has_value() != 1)
    return Strange(line, "no answer");
  return out;
}

Result<EngineHello> ParseHello(std::string_view json) {
  EngineHello out;
  Answer answer(json);
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    if (key == "protocol") {
      TRY_ASSIGN(out.protocol, answer.Number());
    } else if (key == "engine") {
      TRY_ASSIGN(out.engine, answer.Text());
    } else {
      return answer.Skip();
    }
    return {};
  }));
  return out;
}

Result<EngineDescription> ParseDescription(std::string_view json) {
  EngineDescription out;
  Answer answer(json);
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    if (key == "inputs") return ReadValues(answer, out.inputs);
    if (key == "outputs") return ReadValues(answer, out.outputs);
    if (key == "load_ns") {
      TRY_ASSIGN(out.load_time.value, answer.Number());
      return {};
    }
    std::vector<std::string>* list = key == "available_providers" ? &out.available_providers
                                     : key == "providers"         ? &out.providers
                                     : key == "notes"             ? &out.notes
                                                                  : nullptr;
    if (list) {
      TRY_ASSIGN(*list, answer.Texts());
      return {};
    }
    std::string* text = key == "name"      ? &out.name
                        : key == "version" ? &out.version
                        : key == "build"   ? &out.build
                        : key == "library" ? &out.library
                                           : nullptr;
    if (!text) return answer.Skip();
    TRY_ASSIGN(*text, answer.Text());
    return {};
  }));
  return out;
}

Result<ProfileFile> ParseProfile(std::string_view json) {
  ProfileFile out;
  Answer answer(json);
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    if (key == "path") {
      TRY_ASSIGN(out.path, answer.Text());
      return {};
    }
    if (key != "start_ns") return answer.Skip();
    TRY_ASSIGN(const auto start, answer.MaybeNumber());
    if (start) out.start = Nanos{*start};
    return {};
  }));
  return out;
}

Result<std::vector<OutputShape>> ParseOutputs(std::string_view json) {
  std::vector<OutputShape> out;
  Answer answer(json);
  const auto read_output = [&]() -> Result<void> {
    TRY_ASSIGN(OutputShape output, ReadOutput(answer));
    out.push_back(std::move(output));
    return {};
  };
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    return key == "outputs" ? answer.Objects(read_output) : answer.Skip();
  }));
  return out;
}

Result<std::optional<Nanos>> ParseRunEnd(std::string_view json) {
  std::optional<Nanos> out;
  Answer answer(json);
  TRY(answer.Object([&](std::string_view key) -> Result<void> {
    if (key != "waited_ns") return answer.Skip();
    TRY_ASSIGN(const auto waited, answer.MaybeNumber());
    if (waited) out = Nanos{*waited};
    return {};
  }));
  return out;
}

}  // namespace opscope
