// Documents made by hand: small, realistic, and adding up.
#pragma once

#include <cstddef>
#include <string>

#include "opscope/document.h"

namespace opscope::testing {

// A small detector, measured and profiled: 12 layers, two of them in one fused row, one folded, one
// unmatched row, a runtime row; two notes of data quality.
doc::Document MeasuredDocument();
// The same model without a run, its batch free, one op unknown.
doc::Document SymbolicDocument();
// A profile that came without its model.
doc::Document ProfileDocument();
// MeasuredDocument with every name replaced by something that means harm.
doc::Document HostileDocument();
// A measured document of many layers.
doc::Document LargeDocument(std::size_t layers);

}  // namespace opscope::testing
