// Any bytes that read as a model must be propagated, in time linear in the model, and what comes
// out must be coherent: elements fit shapes, sizes are not negative, bodies have trip counts.
#include "ops/propagate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/import_log.h"
#include "base/source.h"
#include "model/formats/format.h"

namespace {

using namespace opscope;

void CheckFact(const Model& model, const TensorFact& fact) {
  CHECK(fact.storage.valid() && fact.storage.index() < model.tensors.size());
  if (!fact.shape.known_rank()) {
    CHECK(!fact.ints.has_value() && !fact.floats.has_value());
    return;
  }
  std::size_t elements = 1;
  bool numbers = true;
  for (const Dim dim : *fact.shape.dims) {
    numbers = numbers && dim.is_number();
    if (numbers) elements *= static_cast<std::size_t>(dim.number());
  }
  if (fact.ints.has_value()) CHECK(numbers && fact.ints->size() == elements);
  if (fact.floats.has_value()) CHECK(numbers && fact.floats->size() == elements);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source source = Source::FromBytes("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  ImportLog log;
  Result<Model> model = ReadModel({source, log, {}});
  if (!model.has_value()) return 0;
  ExpandFunctions(*model, log);
  const Result<Propagation> result = Propagate(*model, {}, log);
  CHECK(result.has_value());
  CHECK(result->facts.size() == model->tensors.size());
  for (std::size_t n = 0; n < model->nodes.size(); ++n) {
    if (result->problems[n].empty()) continue;
    CHECK(std::holds_alternative<work::Unknown>(result->works[n]));
  }
  for (const TensorFact& fact : result->facts) CheckFact(*model, fact);
  return 0;
}
