// ATen ops caught as they are dispatched, as JSON (docs/aten.md):
//   {"opscope": "aten", "version": 1, "graph": {…}, "parameters": {"w": "fc.weight"}, …}
#pragma once

#include "model/formats/format.h"

namespace opscope::aten_json {

Match Probe(std::string_view prefix, std::uint64_t size);
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {
    {"aten_json", "captured ATen ops", ".json",
     "graph, module paths, symbolic sizes, shapes of all values; no weights"},
    &Probe,
    &Read};

}  // namespace opscope::aten_json
