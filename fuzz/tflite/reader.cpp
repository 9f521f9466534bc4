// The TFLite reader on any bytes: an error or a model that keeps its promises, and that can be
// propagated.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "model/formats/tflite/tflite.h"
#include "ops/propagate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  tflite::Probe(bytes, size);
  Source source = Source::FromBytes("m.tflite", bytes);
  ImportLog log;
  auto model = tflite::Read({source, log, {}});
  if (!model.has_value()) return 0;
  for (const Node& node : model->nodes)
    for (const TensorId id : node.inputs) CHECK(!id.valid() || id.index() < model->tensors.size());
  for (const Payload& payload : model->payloads) {
    IntegersOf(payload);
    FloatsOf(payload);
    CHECK(payload.place == Payload::Place::kExternal ||
          (payload.offset <= size && payload.length <= size - payload.offset));
  }
  const auto propagated = Propagate(*model, {}, log);
  CHECK(propagated.has_value());
  return 0;
}
