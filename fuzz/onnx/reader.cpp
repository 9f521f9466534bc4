// The ONNX reader on any bytes: an error or a model that keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "model/formats/foreign.h"
#include "model/formats/onnx/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  onnx::Probe(bytes, size);
  DescribeForeign({bytes, size, "m.mnn"});
  Source source = Source::FromBytes("m.onnx", bytes);
  ImportLog log;
  const auto sibling = [](const std::string& name) -> Result<Source> {
    if (name == "w.bin") return Source::FromBytes(name, std::string(64, '\x01'));
    return Error{"input.missing", "no such file", name};
  };
  auto model = onnx::Read({source, log, sibling});
  if (!model.has_value()) return 0;
  for (const Node& node : model->nodes)
    for (const TensorId id : node.inputs) CHECK(!id.valid() || id.index() < model->tensors.size());
  for (const Payload& payload : model->payloads) {
    IntegersOf(payload);
    FloatsOf(payload);
  }
  for (const Tensor& tensor : model->tensors) {
    CHECK(tensor.name.index() < model->strings.size());
    if (!tensor.declared.shape.dims) continue;
    for (const Dim& dim : *tensor.declared.shape.dims) model->dims.ToText(dim);
  }
  return 0;
}
