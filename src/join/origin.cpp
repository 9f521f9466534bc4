#include "join/origin.h"

#include <array>
#include <string_view>

#include "join/origin_rules.h"

namespace opscope {

namespace {

// Rows of other formats carry the names of nodes.
RowOrigin PlainOrigin(const OriginContext& context, const RuntimeRow& row) {
  RowOrigin origin;
  origin.nodes.emplace_back(context.text(row.name));
  return origin;
}

struct Rule {
  std::string_view format;  // id of the trace's format
  RowOrigin (*origin)(const OriginContext& context, const RuntimeRow& row);
};
constexpr std::array kRules = {
    Rule{"tensorrt-profile", &TensorrtOrigin},
    Rule{"trtexec-log", &TensorrtOrigin},
    Rule{"trtexec-times", &TensorrtTimesOrigin},
    Rule{"tflite-profile", &TfliteOrigin},
    Rule{"armnn", &ArmnnOrigin},
    Rule{"openvino-counters", &OpenvinoOrigin},
};

}  // namespace

OriginContext::OriginContext(const Trace& trace, const Model* engine)
    : trace_(&trace), engine_(engine) {
  if (engine == nullptr) return;
  for (std::uint32_t node = 0; node < engine->nodes.size(); ++node)
    layers_.emplace(engine->text(engine->nodes[node].name), node);
}

std::vector<std::string> OriginContext::Listed(std::string_view layer) const {
  std::vector<std::string> names;
  const auto found = layers_.find(layer);
  if (found == layers_.end()) return names;
  for (const auto& [key, value] : engine_->nodes[found->second].metadata)
    if (engine_->text(key) == "onnx layer") names.emplace_back(engine_->text(value));
  return names;
}

void MarkRuntime(Row& row, const std::string& what) {
  row.kind = RowKind::kRuntime;
  row.method = MatchMethod::kRuntimeName;
  row.confidence = Confidence::kExact;
  row.because = what;
}

std::vector<RowOrigin> OriginsOf(const Trace& trace, const Model* engine) {
  const OriginContext context(trace, engine);
  auto origin = &PlainOrigin;
  for (const Rule& rule : kRules)
    if (rule.format == trace.format) origin = rule.origin;
  std::vector<RowOrigin> origins;
  origins.reserve(trace.profile->rows.size());
  for (const RuntimeRow& row : trace.profile->rows) origins.push_back(origin(context, row));
  return origins;
}

}  // namespace opscope
