// The rules by which formats name their rows: one function each, in a file of its own.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "join/origin.h"

namespace opscope {

class OriginContext {
 public:
  OriginContext(const Trace& trace, const Model* engine);

  std::string_view text(Str id) const { return trace_->text(id); }
  // Nodes of the original model that the engine's own list names for the layer; none = not said.
  std::vector<std::string> Listed(std::string_view layer) const;

 private:
  const Trace* trace_;
  const Model* engine_;
  std::unordered_map<std::string_view, std::uint32_t> layers_;
};

RowOrigin TensorrtOrigin(const OriginContext& context, const RuntimeRow& row);
RowOrigin TensorrtTimesOrigin(const OriginContext& context, const RuntimeRow& row);
RowOrigin TfliteOrigin(const OriginContext& context, const RuntimeRow& row);
RowOrigin ArmnnOrigin(const OriginContext& context, const RuntimeRow& row);
RowOrigin OpenvinoOrigin(const OriginContext& context, const RuntimeRow& row);

}  // namespace opscope
