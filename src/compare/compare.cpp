#include "compare/compare.h"

#include <utility>

#include "compare/side_index.h"
#include "compare/steps.h"

namespace opscope {

LayerComparison CompareLayers(const Side& a, const Side& b) {
  SamplePoint sample = SampleSymbols(a, b);
  const SideIndex index_a(a, std::move(sample.a)), index_b(b, std::move(sample.b));
  LayerComparison out;
  out.matching = MatchLayers(index_a, index_b);
  out.fates = FindFates(index_a, index_b, out.matching);
  out.changes = FindChanges(index_a, index_b, out.matching, out.fates);
  return out;
}

}  // namespace opscope
