#include <array>
#include <utility>

#include "base/json_fields.h"
#include "base/text.h"
#include "engine/protocol.h"

namespace opscope {
namespace {

constexpr std::string_view kStrange = "engine.protocol";

JsonFields Answer(std::string_view json) { return {json, std::string(kStrange)}; }

// Error codes an engine may send; anything else is a refusal.
std::string EngineCode(std::string_view code) {
  constexpr std::array kKnown = {"missing", "option", "shape", "input", "refused", "memory"};
  for (const char* known : kKnown)
    if (code == known) return "engine." + std::string(code);
  return "engine.refused";
}

Result<void> ReadError(std::string_view json, std::optional<Error>& out) {
  out = Error{"engine.refused", "", ""};
  JsonFields error = Answer(json);
  return error.Whole([&](std::string_view key) -> Result<void> {
    if (key != "code" && key != "message") return error.Skip();
    TRY_ASSIGN(const std::string text, error.Text());
    (key == "code" ? out->code : out->message) = key == "code" ? EngineCode(text) : Printable(text);
    return {};
  });
}

Result<RunSamples> ReadSamples(std::string_view json) {
  RunSamples out;
  JsonFields samples = Answer(json);
  TRY(samples.Whole([&](std::string_view key) -> Result<void> {
    if (key != "wall_ns" && key != "cpu_ns") return samples.Skip();
    std::vector<Nanos>& list = key == "wall_ns" ? out.wall : out.cpu;
    TRY_ASSIGN(const std::vector<std::int64_t> values, samples.Integers());
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

// A size, a symbol, or null.
Result<void> ReadShape(JsonFields& answer, std::vector<EngineDim>& shape) {
  return answer.Elements([&](const JsonToken& token) -> Result<void> {
    EngineDim dim;
    if (token.kind == JsonKind::kString) {
      dim.symbol = std::string(token.text);
    } else if (token.kind != JsonKind::kNull) {
      dim.size = token.AsInt64();
      if (!dim.size) return answer.Wrong("a dim that is no integer");
    }
    shape.push_back(std::move(dim));
    return {};
  });
}

Result<void> ReadValueField(JsonFields& answer, std::string_view key, EngineValue& out) {
  if (key == "shape") return ReadShape(answer, out.shape);
  if (key == "run_shape") {
    TRY_ASSIGN(out.run_shape, answer.Integers());
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
}

Result<void> ReadOutputField(JsonFields& answer, std::string_view key, OutputShape& out) {
  if (key == "name") {
    TRY_ASSIGN(out.name, answer.Text());
  } else if (key == "dtype") {
    TRY_ASSIGN(out.dtype, answer.Text());
  } else if (key == "shape") {
    TRY_ASSIGN(out.shape, answer.Integers());
  } else {
    return answer.Skip();
  }
  return {};
}

// An array of objects, one list element each.
template <class T>
Result<void> ReadList(JsonFields& answer, std::vector<T>& list,
                      Result<void> (*read)(JsonFields&, std::string_view, T&)) {
  return answer.Objects([&] { list.emplace_back(); },
                        [&](std::string_view key) { return read(answer, key, list.back()); });
}

Result<void> ReadDescriptionField(JsonFields& answer, std::string_view key,
                                  EngineDescription& out) {
  if (key == "inputs") return ReadList(answer, out.inputs, ReadValueField);
  if (key == "outputs") return ReadList(answer, out.outputs, ReadValueField);
  if (key == "load_ns") {
    TRY_ASSIGN(out.load_time.value, answer.Integer());
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
}

}  // namespace

Result<EngineLine> ParseEngineLine(std::string_view line) {
  EngineLine out;
  JsonFields answer = Answer(line);
  TRY(answer.Whole([&](std::string_view key) -> Result<void> {
    if (key == "id") {
      TRY_ASSIGN(out.id, answer.Integer());
      return {};
    }
    if (key != "ok" && key != "error" && key != "samples") return answer.Skip();
    TRY_ASSIGN(std::string object, answer.RawObject());
    if (key == "error") return ReadError(object, out.error);
    if (key == "ok") {
      out.ok = std::move(object);
    } else {
      TRY_ASSIGN(out.samples, ReadSamples(object));
    }
    return {};
  }));
  if (out.ok.has_value() + out.error.has_value() + out.samples.has_value() != 1)
    return answer.Wrong("no answer");
  return out;
}

Result<EngineHello> ParseHello(std::string_view json) {
  EngineHello out;
  JsonFields answer = Answer(json);
  TRY(answer.Whole([&](std::string_view key) -> Result<void> {
    if (key == "protocol") {
      TRY_ASSIGN(out.protocol, answer.Integer());
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
  JsonFields answer = Answer(json);
  TRY(answer.Whole([&](std::string_view key) { return ReadDescriptionField(answer, key, out); }));
  return out;
}

Result<ProfileFile> ParseProfile(std::string_view json) {
  ProfileFile out;
  JsonFields answer = Answer(json);
  TRY(answer.Whole([&](std::string_view key) -> Result<void> {
    if (key == "path") {
      TRY_ASSIGN(out.path, answer.Text());
      return {};
    }
    if (key != "start_ns") return answer.Skip();
    TRY_ASSIGN(const auto start, answer.IntegerOrNull());
    if (start) out.start = Nanos{*start};
    return {};
  }));
  return out;
}

Result<std::vector<OutputShape>> ParseOutputs(std::string_view json) {
  std::vector<OutputShape> out;
  JsonFields answer = Answer(json);
  TRY(answer.Whole([&](std::string_view key) -> Result<void> {
    return key == "outputs" ? ReadList(answer, out, ReadOutputField) : answer.Skip();
  }));
  return out;
}

Result<std::optional<Nanos>> ParseRunEnd(std::string_view json) {
  std::optional<Nanos> out;
  JsonFields answer = Answer(json);
  TRY(answer.Whole([&](std::string_view key) -> Result<void> {
    if (key != "waited_ns") return answer.Skip();
    TRY_ASSIGN(const auto waited, answer.IntegerOrNull());
    if (waited) out = Nanos{*waited};
    return {};
  }));
  return out;
}

}  // namespace opscope
