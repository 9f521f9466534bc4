#include "compare/compare.h"

#include "compare/side_index.h"
#include "compare/steps.h"

namespace opscope {

LayerComparison CompareLayers(const Side& a, const Side& b) {
  const SideIndex index_a(a), index_b(b);
  LayerComparison out;
  out.matching = MatchLayers(index_a, index_b);
  out.changes = FindChanges(index_a, index_b, out.matching);
  out.fates = FindFates(index_a, index_b, out.matching);
  return out;
}

}  // namespace opscope
