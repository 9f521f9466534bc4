// The arguments of PyTorch's ops: their names and kinds, in order (data/aten_schemas.txt).
//
//   conv2d input:T weight:T bias:T stride:I padding:I dilation:I groups:i
//   mean.dim self:T dim:I keepdim:b dtype:d*
//   T tensor  L tensors  i integer  I integers  f float  F floats  b flag  s number  S text
//   d element type  - what no shape hangs on (device, layout …)  ? anything else  * by keyword only
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opscope::aten {

struct SchemaArgument {
  std::string_view name;
  char kind = '?';
  bool keyword_only = false;
};

struct Schema {
  std::string_view overload;
  std::vector<SchemaArgument> arguments;
};

class Schemas {
 public:
  Schemas();
  // Every overload of an op; empty when it is not known. Ops of ATen stand without a domain, others
  // as "quantized_decomposed::quantize_per_tensor".
  const std::vector<Schema>& Overloads(std::string_view domain, std::string_view op) const;
  // The overload of that name, else the only one that there is; nullptr = not known.
  const Schema* Find(std::string_view domain, std::string_view op, std::string_view overload) const;

 private:
  std::unordered_map<std::string_view, std::vector<Schema>> by_op_;
};

}  // namespace opscope::aten
