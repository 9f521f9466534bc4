// What an op was called through in a program of PyTorch, as far as the model says it. Tools that
// hook modules or replace functions see some of these and not others.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/model.h"

namespace opscope {

struct Origin {
  enum class Form : std::uint8_t {
    kUnknown,    // the model does not say
    kModule,     // a module of torch.nn that computes itself: nn.Linear, nn.GELU
    kAttention,  // nn.MultiheadAttention
    kCall        // anywhere else: `function`, or an operator
  };
  Form form = Form::kUnknown;
  // "torch.nn.functional.relu", "torch.matmul", "torch.Tensor.add", "operator.add"; empty =
  // unknown.
  std::string_view function = {};

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

// From the metadata "pkg.torch.onnx.class_hierarchy", which exporters to ONNX write as well
// ("['__main__.Net', 'torch.nn.modules.linear.Linear', 'aten.linear.default']"), and
// "torch.function".
Origin OriginOf(const Model& model, const Node& node);

}  // namespace opscope
