// Internal to the format: layers become nodes.
#pragma once

#include <string>
#include <vector>

#include "base/import_log.h"
#include "model/formats/tensorrt/layer.h"
#include "model/model.h"

namespace opscope::tensorrt {

struct Binding {
  TensorInfo tensor;
  bool input = false;
  bool mode_known = false;  // false: a name alone (before TensorRT 11)
};

struct Engine {
  std::vector<LayerInfo> layers;
  std::vector<Binding> bindings;
};

void BuildGraph(const Engine& engine, Model& model, ImportLog& log);

}  // namespace opscope::tensorrt
