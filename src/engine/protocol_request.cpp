#include <utility>

#include "base/json_writer.h"
#include "base/sink.h"
#include "engine/protocol.h"

namespace opscope {
namespace {

class Request {
 public:
  Request(std::int64_t id, std::string_view op) : sink_(text_), json_(sink_, JsonStyle::kCompact) {
    json_.BeginObject();
    Number("id", id);
    Text("op", op);
  }
  void Number(std::string_view key, std::int64_t value) {
    json_.Key(key);
    json_.Integer(value);
  }
  void Text(std::string_view key, std::string_view value) {
    json_.Key(key);
    json_.String(value);
  }
  void Flag(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }
  template <class List, class Each>
  void Objects(std::string_view key, const List& list, Each each) {
    json_.Key(key);
    json_.BeginArray();
    for (const auto& item : list) {
      json_.BeginObject();
      each(item);
      json_.EndObject();
    }
    json_.EndArray();
  }
  void Texts(std::string_view key, const std::vector<std::string>& list) {
    json_.Key(key);
    json_.BeginArray();
    for (const std::string& item : list) json_.String(item);
    json_.EndArray();
  }
  void Numbers(std::string_view key, const std::vector<std::int64_t>& list) {
    json_.Key(key);
    json_.BeginArray();
    for (const std::int64_t item : list) json_.Integer(item);
    json_.EndArray();
  }
  void Pairs(std::string_view key, const std::vector<KeyValue>& list) {
    Objects(key, list, [&](const KeyValue& item) {
      Text("key", item.first);
      Text("value", item.second);
    });
  }
  JsonWriter& json() { return json_; }

  std::string Finish() {
    json_.EndObject();
    CHECK(sink_.Finish().has_value());  // a string takes everything
    return std::move(text_);
  }

 private:
  std::string text_;
  Sink sink_;
  JsonWriter json_;
};

void WriteSession(Request& out, const EngineOptions& options) {
  out.Number("threads", options.threads);
  out.Number("inter_op_threads", options.inter_op_threads);
  out.Flag("parallel", options.parallel);
  out.Text("level", ToString(options.level));
  out.Flag("spinning", options.spinning);
  out.Flag("memory_pattern", options.memory_pattern);
  out.Flag("arena", options.arena);
  out.Objects("providers", options.providers, [&](const EngineProvider& provider) {
    out.Text("name", provider.name);
    out.Pairs("options", provider.options);
  });
  out.Objects("provider_libraries", options.provider_libraries, [&](const ProviderLibrary& item) {
    out.Text("name", item.name);
    out.Text("path", item.path);
  });
  out.Texts("custom_ops", options.custom_ops);
  out.Pairs("config", options.config);
  out.Objects("free_dims", options.free_dims, [&](const auto& dim) {
    out.Text("name", dim.first);
    out.Number("size", dim.second);
  });
}

void WriteInputs(Request& out, const EngineOptions& options) {
  out.Objects("shapes", options.shapes, [&](const InputShape& shape) {
    out.Text("input", shape.input);
    out.Numbers("dims", shape.dims);
  });
  out.Objects("values", options.values, [&](const InputValues& values) {
    out.Text("input", values.input);
    if (values.upper_bound) out.Number("upper_bound", *values.upper_bound);
    if (values.constant) {
      out.json().Key("constant");
      out.json().Number(*values.constant);
    }
  });
  out.Text("inputs", options.inputs);
  out.Text("seed", std::to_string(options.seed));  // 64 bits are more than JSON numbers hold
}

}  // namespace

std::string HelloRequest(std::int64_t id) {
  Request out(id, "hello");
  out.Number("protocol", kEngineProtocol);
  return out.Finish();
}

std::string LoadRequest(std::int64_t id, const EngineOptions& options) {
  Request out(id, "load");
  out.Text("model", options.model);
  out.Text("library", options.library);
  WriteSession(out, options);
  WriteInputs(out, options);
  out.Text("profile_prefix", options.profile_prefix);
  out.Text("optimized_model", options.optimized_model);
  return out.Finish();
}

std::string AboutRequest(std::int64_t id, const std::string& library) {
  Request out(id, "about");
  out.Text("library", library);
  return out.Finish();
}

std::string RunRequestLine(std::int64_t id, const RunRequest& request) {
  Request out(id, "run");
  out.Number("lead_runs", request.lead_runs);
  out.Number("min_runs", request.min_runs);
  out.Number("max_runs", request.max_runs);
  out.Number("min_time_ns", request.min_time.value);
  out.Number("max_time_ns", request.max_time.value);
  return out.Finish();
}

std::string PlainRequest(std::int64_t id, std::string_view op) { return Request(id, op).Finish(); }

}  // namespace opscope
