// Dims as the report holds them: exact numbers, formulas beside absent numbers, reasons for those
// that are unknown.
#pragma once

#include <string>
#include <string_view>

#include "model/model.h"
#include "opscope/document.h"

namespace opscope {

doc::Count ToCount(const DimTable& dims, Dim dim);
doc::Extent ToExtent(const DimTable& dims, Dim dim);
doc::Shape ToShape(const DimTable& dims, const Shape& shape);

// Collects the formulas of the numbers that hang on a free symbol, and reasons for the unknown.
class NumberNotes {
 public:
  NumberNotes(const DimTable& dims, doc::Map<std::string>& formulas)
      : dims_(&dims), formulas_(&formulas) {}
  // The number, and its formula under `key` when it has none.
  doc::Count operator()(std::string_view key, Dim dim) const;

 private:
  const DimTable* dims_;
  doc::Map<std::string>* formulas_;
};

}  // namespace opscope
