// OpenVINO networks: the XML of the intermediate representation (versions 10 and 11) with its
// weights beside it, and execution graphs, which a compiled model writes.
#pragma once

#include "model/formats/format.h"

namespace opscope::openvino {

Match Probe(std::string_view prefix, std::uint64_t size);
// Errors: openvino.xml, openvino.damaged, openvino.old-version, openvino.new-version,
// openvino.not-a-network, openvino.too-large. Weights that are not there go to the log.
Result<Model> Read(const ModelReadContext& context);

constexpr ModelFormat kFormat = {{"openvino", "OpenVINO IR", ".xml",
                                  "layers, bodies, shapes of every port, weights in the .bin file "
                                  "beside it, execution graphs; IR 10 and 11"},
                                 &Probe,
                                 &Read};

}  // namespace opscope::openvino
