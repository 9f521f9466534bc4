// Arenas and groups of fused layers on random graphs: nothing is overwritten before it is read, no
// group is left and entered again, and bytes add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/arena_check.h"
#include "support/cost_text.h"
#include "support/fusion_check.h"

namespace opscope {
namespace {

// Layers over tensors of 4x16, of one number a row, and of other sizes, each reading any earlier
// tensor, so that branches cross, views live long and some outputs are read by nobody.
class RandomGraph {
 public:
  RandomGraph(unsigned seed, std::string rows) : random_(seed), rows_(std::move(rows)) {}

  std::string Text() {
    text_ = "input x float32 [" + rows_ + ",16]\ninit w float32 [16,16]\ninit b float32 [16]\n" +
            "init flat int64 [2] = -1 16\ninit three int64 [3] = -1 4 4\n";
    whole_ = {"x"};
    for (int i = 0; i < 40; ++i) AddLayer();
    std::vector<std::string> made(whole_.begin() + 1, whole_.end());
    std::shuffle(made.begin(), made.end(), random_);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, made.size()); ++i)
      text_ += "output " + made[i] + " float32\n";
    return text_;
  }

 private:
  const std::string& Any(const std::vector<std::string>& of) {
    // Mostly what was made last: chains.
    const std::size_t back = random_() % 3 == 0 ? random_() % of.size()
                                                : random_() % std::min<std::size_t>(3, of.size());
    return of[of.size() - 1 - back];
  }

  void Node(const std::string& op, const std::string& in, const std::string& attributes,
            std::vector<std::string>& into) {
    const std::string out = "t" + std::to_string(++count_);
    text_ += "node " + op + " (" + in + ") -> (" + out + ") " + attributes + "\n";
    into.push_back(out);
  }

  void AddLayer() {
    switch (random_() % 11) {
      case 0:
        return Node("MatMul", Any(whole_) + ", w", "", whole_);
      case 1:
        return Node("Softmax", Any(whole_), "", whole_);
      case 2:
        return Node("Add", Any(whole_) + ", " + Any(whole_), "", whole_);
      case 3:
        return Node("Mul", Any(whole_) + ", b", "", whole_);
      case 4:
        return Node("ReduceMean", Any(whole_), "axes=[-1]", narrow_);
      case 5:
        if (narrow_.empty()) return;
        return Node("Sub", Any(whole_) + ", " + Any(narrow_), "", whole_);
      case 6:
        return Node("Reshape", Any(whole_) + ", three", "", other_);
      case 7:
        if (other_.empty()) return;
        return Node("Reshape", Any(other_) + ", flat", "", whole_);
      case 8:
        if (other_.empty()) return;
        return Node("Transpose", Any(other_), "perm=[0,2,1]", other_);
      case 9:
        if (other_.empty()) return;
        return Node("MatMul", Any(other_) + ", " + Any(other_), "", other_);
      default:
        return Node(random_() % 2 == 0 ? "Relu" : "Sigmoid", Any(whole_), "", whole_);
    }
  }

  std::mt19937 random_;
  std::string rows_;
  std::string text_;
  std::vector<std::string> whole_, narrow_, other_;
  int count_ = 0;
};

constexpr unsigned kSeeds = 150;

TEST(CostGroupsProperty, PlansHoldAndGroupsAddUp) {
  std::int64_t saved = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Analysed out = AnalyseText(RandomGraph(seed, "4").Text());
    SCOPED_TRACE("seed " + std::to_string(seed));
    const StaticTotals& totals = out.totals();
    EXPECT_EQ(ArenaCheck::Of(out, false), "");
    EXPECT_EQ(ArenaCheck::Of(out, true), "");
    EXPECT_GE(*totals.memory.arena_bytes, totals.memory.live_peak_bytes.number());
    EXPECT_LE(*totals.memory.arena_inplace_bytes, *totals.memory.arena_bytes);
    FusionCheck(out).Run();
    EXPECT_LE(totals.fused.read_bytes.number(), totals.read_bytes.number());
    EXPECT_LE(totals.fused.write_bytes.number(), totals.write_bytes.number());
    saved += totals.write_bytes.number() - totals.fused.write_bytes.number();
    if (HasFailure()) return;
  }
  EXPECT_GT(saved, 0);
}

TEST(CostGroupsProperty, FormulasAreTheNumbersOfBoundRuns) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Analysed free = AnalyseText(RandomGraph(seed, "N").Text());
    for (const std::int64_t n : {2, 7}) {
      const Analysed bound = AnalyseText(RandomGraph(seed, std::to_string(n)).Text());
      Bindings bindings;
      bindings["N"] = n;
      const FusedTraffic& formula = free.totals().fused;
      EXPECT_EQ(free.model.dims.Bind(formula.read_bytes, bindings),
                bound.totals().fused.read_bytes);
      EXPECT_EQ(free.model.dims.Bind(formula.write_bytes, bindings),
                bound.totals().fused.write_bytes);
      EXPECT_EQ(formula.groups, bound.totals().fused.groups);
    }
  }
}

}  // namespace
}  // namespace opscope
