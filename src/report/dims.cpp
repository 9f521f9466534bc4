#include "report/dims.h"

#include <optional>

namespace opscope {

doc::Count ToCount(const DimTable& dims, Dim dim) { return dims.Value(dim); }

doc::Extent ToExtent(const DimTable& dims, Dim dim) {
  if (dim.is_unknown()) return std::monostate{};
  if (dim.is_number()) return dim.number();
  return dims.ToText(dim);
}

doc::Shape ToShape(const DimTable& dims, const Shape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  std::vector<doc::Extent> out;
  out.reserve(shape.rank());
  for (const Dim dim : *shape.dims) out.push_back(ToExtent(dims, dim));
  return out;
}

doc::Count NumberNotes::operator()(std::string_view key, Dim dim) const {
  const auto value = dims_->Value(dim);
  if (!value && !dim.is_unknown()) formulas_->emplace_back(std::string(key), dims_->ToText(dim));
  return value;
}

}  // namespace opscope
