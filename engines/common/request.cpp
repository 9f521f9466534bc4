#include "engines/common/request.h"

#include <charconv>
#include <limits>

#include "base/json_fields.h"
#include "base/json_writer.h"
#include "base/sink.h"

namespace opscope::child {
namespace {

// --- requests ---

Result<void> ReadPairs(JsonFields& json, std::vector<KeyValue>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key != "key" && key != "value") return json.Skip();
                        TRY_ASSIGN((key == "key" ? out.back().key : out.back().value), json.Text());
                        return {};
                      });
}

Result<void> ReadProviders(JsonFields& json, std::vector<Provider>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key == "options") return ReadPairs(json, out.back().options);
                        if (key != "name") return json.Skip();
                        TRY_ASSIGN(out.back().name, json.Text());
                        return {};
                      });
}

Result<void> ReadPaths(JsonFields& json, std::vector<NamedPath>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key != "name" && key != "path") return json.Skip();
                        TRY_ASSIGN((key == "name" ? out.back().name : out.back().path),
                                   json.Text());
                        return {};
                      });
}

Result<void> ReadFreeDims(JsonFields& json, std::vector<FreeDim>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key == "name") {
                          TRY_ASSIGN(out.back().name, json.Text());
                          return {};
                        }
                        if (key != "size") return json.Skip();
                        TRY_ASSIGN(out.back().size, json.Integer());
                        return {};
                      });
}

Result<void> ReadShapes(JsonFields& json, std::vector<GivenShape>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key == "input") {
                          TRY_ASSIGN(out.back().input, json.Text());
                          return {};
                        }
                        if (key != "dims") return json.Skip();
                        TRY_ASSIGN(out.back().dims, json.Integers());
                        return {};
                      });
}

Result<void> ReadValues(JsonFields& json, std::vector<GivenValues>& out) {
  return json.Objects([&] { out.emplace_back(); },
                      [&](std::string_view key) -> Result<void> {
                        if (key == "input") {
                          TRY_ASSIGN(out.back().input, json.Text());
                          return {};
                        }
                        if (key == "upper_bound") {
                          TRY_ASSIGN(out.back().upper_bound, json.Integer());
                          return {};
                        }
                        if (key != "constant") return json.Skip();
                        TRY_ASSIGN(out.back().constant, json.Number());
                        return {};
                      });
}

Result<void> ReadSeed(JsonFields& json, std::uint64_t& seed) {
  TRY_ASSIGN(const std::string text, json.Text());
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code != std::errc{} || end != text.data() + text.size()) return json.Wrong("a bad seed");
  return {};
}

template <class T>
struct NamedField {
  std::string_view name;
  T LoadRequest::*field;
};

constexpr NamedField<std::string> kTexts[] = {
    {"model", &LoadRequest::model},
    {"library", &LoadRequest::library},
    {"level", &LoadRequest::level},
    {"inputs", &LoadRequest::inputs},
    {"profile_prefix", &LoadRequest::profile_prefix},
    {"optimized_model", &LoadRequest::optimized_model},
};
constexpr NamedField<std::int64_t> kNumbers[] = {
    {"threads", &LoadRequest::threads},
    {"inter_op_threads", &LoadRequest::inter_op_threads},
};
constexpr NamedField<bool> kFlags[] = {
    {"parallel", &LoadRequest::parallel},
    {"spinning", &LoadRequest::spinning},
    {"memory_pattern", &LoadRequest::memory_pattern},
    {"arena", &LoadRequest::arena},
};

Result<void> ReadLoadField(JsonFields& json, std::string_view key, LoadRequest& out) {
  for (const auto& [name, field] : kTexts)
    if (key == name) {
      TRY_ASSIGN(out.*field, json.Text());
      return {};
    }
  for (const auto& [name, field] : kNumbers)
    if (key == name) {
      TRY_ASSIGN(out.*field, json.Integer());
      return {};
    }
  for (const auto& [name, field] : kFlags)
    if (key == name) {
      TRY_ASSIGN(out.*field, json.Flag());
      return {};
    }
  if (key == "providers") return ReadProviders(json, out.providers);
  if (key == "provider_libraries") return ReadPaths(json, out.provider_libraries);
  if (key == "config") return ReadPairs(json, out.config);
  if (key == "free_dims") return ReadFreeDims(json, out.free_dims);
  if (key == "shapes") return ReadShapes(json, out.shapes);
  if (key == "values") return ReadValues(json, out.values);
  if (key == "seed") return ReadSeed(json, out.seed);
  if (key != "custom_ops") return json.Skip();
  TRY_ASSIGN(out.custom_ops, json.Texts());
  return {};
}

std::int64_t* RunField(std::string_view key, RunLimits& out) {
  return key == "lead_runs"     ? &out.lead_runs
         : key == "min_runs"    ? &out.min_runs
         : key == "max_runs"    ? &out.max_runs
         : key == "min_time_ns" ? &out.min_time_ns
         : key == "max_time_ns" ? &out.max_time_ns
                                : nullptr;
}

// --- answers ---

template <class Body>
std::string Line(std::int64_t id, std::string_view part, Body body) {
  std::string text;
  Sink sink(text);
  JsonWriter json(sink, JsonStyle::kCompact);
  json.BeginObject();
  json.Key("id");
  json.Integer(id);
  json.Key(part);
  json.BeginObject();
  body(json);
  json.EndObject();
  json.EndObject();
  sink.Append('\n');
  CHECK(sink.Finish().has_value());  // a string takes everything
  return text;
}

void Put(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
}

void Put(JsonWriter& json, std::string_view key, std::int64_t value) {
  json.Key(key);
  json.Integer(value);
}

void Put(JsonWriter& json, std::string_view key, const std::vector<std::int64_t>& values) {
  json.Key(key);
  json.BeginArray();
  for (const std::int64_t value : values) json.Integer(value);
  json.EndArray();
}

void Put(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void PutValues(JsonWriter& json, std::string_view key, const std::vector<Value>& values) {
  json.Key(key);
  json.BeginArray();
  for (const Value& value : values) {
    json.BeginObject();
    Put(json, "name", value.name);
    Put(json, "dtype", value.dtype);
    Put(json, "kind", value.kind);
    json.Key("shape");
    json.BeginArray();
    for (const Dim& dim : value.shape) {
      if (dim.size) {
        json.Integer(*dim.size);
      } else {
        json.String(dim.symbol);
      }
    }
    json.EndArray();
    if (!value.run_shape.empty() || !value.fill.empty()) {
      Put(json, "run_shape", value.run_shape);
      Put(json, "fill", value.fill);
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

Result<Request> ParseRequest(std::string_view line) {
  Request out;
  JsonFields json(line, "protocol");
  TRY(json.Whole([&](std::string_view key) -> Result<void> {
    if (key == "id") {
      TRY_ASSIGN(out.id, json.Integer());
      return {};
    }
    if (key == "op") {
      TRY_ASSIGN(out.op, json.Text());
      return {};
    }
    std::int64_t* number = RunField(key, out.run);
    if (!number) return ReadLoadField(json, key, out.load);
    TRY_ASSIGN(*number, json.Integer());
    return {};
  }));
  return out;
}

std::string HelloAnswer(std::int64_t id, std::string_view engine) {
  return Line(id, "ok", [&](JsonWriter& json) {
    Put(json, "protocol", kProtocol);
    Put(json, "engine", engine);
  });
}

std::string LoadAnswer(std::int64_t id, const Description& description, std::int64_t load_ns) {
  return Line(id, "ok", [&](JsonWriter& json) {
    Put(json, "name", description.name);
    Put(json, "version", description.version);
    Put(json, "build", description.build);
    Put(json, "library", description.library);
    Put(json, "available_providers", description.available_providers);
    Put(json, "providers", description.providers);
    PutValues(json, "inputs", description.inputs);
    PutValues(json, "outputs", description.outputs);
    Put(json, "notes", description.notes);
    Put(json, "load_ns", load_ns);
  });
}

std::string SamplesLine(std::int64_t id, const std::vector<std::int64_t>& wall_ns,
                        const std::vector<std::int64_t>& cpu_ns) {
  return Line(id, "samples", [&](JsonWriter& json) {
    Put(json, "wall_ns", wall_ns);
    Put(json, "cpu_ns", cpu_ns);
  });
}

std::string RunAnswer(std::int64_t id, std::optional<std::int64_t> waited_ns) {
  return Line(id, "ok", [&](JsonWriter& json) {
    json.Key("waited_ns");
    if (waited_ns) {
      json.Integer(*waited_ns);
    } else {
      json.Null();
    }
  });
}

std::string ProfileAnswer(std::int64_t id, const Profile& profile) {
  return Line(id, "ok", [&](JsonWriter& json) {
    Put(json, "path", profile.path);
    if (profile.start_ns) Put(json, "start_ns", *profile.start_ns);
  });
}

std::string OutputsAnswer(std::int64_t id, const std::vector<Output>& outputs) {
  return Line(id, "ok", [&](JsonWriter& json) {
    json.Key("outputs");
    json.BeginArray();
    for (const Output& output : outputs) {
      json.BeginObject();
      Put(json, "name", output.name);
      Put(json, "dtype", output.dtype);
      if (output.shape) Put(json, "shape", *output.shape);
      json.EndObject();
    }
    json.EndArray();
  });
}

std::string PlainAnswer(std::int64_t id) {
  return Line(id, "ok", [](JsonWriter&) {});
}

std::string ErrorAnswer(std::int64_t id, const Error& error) {
  return Line(id, "error", [&](JsonWriter& json) {
    Put(json, "code", error.code);
    Put(json, "message", error.ToString());
  });
}

}  // namespace opscope::child
