// Any profile against any model: names that fit, half fit or do not, with and without an optimised
// model. Whatever is matched, the sums agree and the same input gives the same answer.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "join/join.h"
#include "model/formats/format.h"
#include "support/join_text.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

constexpr std::string_view kModel = R"(
opset com.acme 1
input x float32 [1,4,8,8]
input c bool []
init w float32 [4,4,3,3]
init m float32 [8,8]
init trips int64 [] = 2
init go bool [] = 1
node Conv (x, w) -> (r0) name="n0" pads=[1,1,1,1]
node Relu (r0) -> (r1) name="n1"
node MatMul (r1, m) -> (r2) name="mm"
node Add (r2, r1) -> (r3) name="add"
node Block (r3, m) -> (r4) name="call" domain="com.acme"
node If (c) -> (r5) name="my_if" then_branch=graph:t else_branch=graph:e
node Loop (trips, go, r5) -> (r6) name="my_loop" body=graph:b
node Transpose (r6) -> (r7) name="" perm=[0,2,3,1]
node Erf (r7) -> (y) name="dead end"
output y float32
graph t
node Sin (r4) -> (t1) name="inner"
output t1 float32
end
graph e
node Cos (r4) -> (e1) name="inner"
output e1 float32
end
graph b
input n int64 []
input cin bool []
input v float32 [1,4,8,8]
node Identity (cin) -> (cout)
node Conv (v, w) -> (v2) name="inner" pads=[1,1,1,1]
output cout bool []
output v2 float32 [1,4,8,8]
end
function com.acme Block (a, d) -> (o) opset 17
node Softmax (a) -> (h) name="soft"
node MatMul (h, d) -> (o) name="mm"
end
)";

class Names {
 public:
  explicit Names(std::mt19937& random) : random_(&random) {}

  std::string Name() {
    constexpr const char* kBases[] = {"n0",    "n1",      "mm",       "add",       "call",
                                      "my_if", "my_loop", "r1",       "r3",        "r7",
                                      "inner", "soft",    "dead end", "Transpose", "Erf",
                                      "Gelu",  "o",       "other",    "Conv_0"};
    constexpr const char* kEndings[] = {"",
                                        "",
                                        "",
                                        "_nchwc",
                                        "_bn_nchwc",
                                        "_token_3",
                                        "/MatMulAddFusion",
                                        "/LayerNormFusion/",
                                        "_new_reshape",
                                        "_cast"};
    constexpr const char* kBeginnings[] = {
        "", "", "", "", "_inlfunc_Block_", "fused ", "DmlFusedNode_"};
    return kBeginnings[Upto(6)] + (kBases[Upto(18)] + std::string(kEndings[Upto(9)]));
  }
  std::string Op() {
    constexpr const char* kOps[] = {
        "Conv", "FusedConv", "MatMul",    "Gemm",        "If",
        "Loop", "Gelu",      "Transpose", "Cast",        "SkipLayerNormalization",
        "Erf",  "Sin",       "Cos",       "ReorderInput"};
    return kOps[Upto(13)];
  }
  int Upto(int n) { return std::uniform_int_distribution<int>(0, n)(*random_); }

 private:
  std::mt19937* random_;
};

std::string Escaped(std::string name) {
  for (char& c : name)
    if (c == ' ') c = '~';
  return name;
}

// Ops one after the other, some with an execution inside.
std::string RandomProfile(Names& names) {
  std::string text;
  for (int run = 0; run < 3; ++run) {
    const int begin = 1000 * run;
    int at = begin + 10;
    for (int i = names.Upto(20); i >= 0; --i) {
      const int length = names.Upto(20);
      const auto op = [&](int from, int duration) {
        text += "op " + std::to_string(from) + " +" + std::to_string(duration) + " " +
                Escaped(names.Name()) + " " + names.Op() +
                " index=" + std::to_string(names.Upto(12)) + "\n";
      };
      if (names.Upto(3) == 0 && length > 3) {
        op(at + 1, length - 2);
        text += "exec " + std::to_string(at + 1) + " +" + std::to_string(length - 2) + "\n";
      }
      op(at, length);
      at += length + names.Upto(2);
    }
    text += "exec " + std::to_string(begin + 9) + " +" + std::to_string(at - begin) + "\n";
    text += "run " + std::to_string(begin) + " +" + std::to_string(at - begin + 20) + "\n";
  }
  return text;
}

// An optimised model: some nodes of the model's main line, some renamed, some left out.
std::string RandomOptimized(Names& names) {
  std::string text = "opset com.microsoft 1\ninput x float32 [1,4,8,8]\ninit w float32 [4,4,3,3]\n";
  std::string last = "x";
  for (const char* tensor : {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "y"}) {
    if (names.Upto(3) == 0 && std::string(tensor) != "y") continue;
    std::string written = names.Upto(3) == 0 ? std::string(tensor) + "_new" : tensor;
    if (std::string(tensor) == "y") written = "y";
    text += "node " + names.Op() + " (" + last + ", w) -> (" + written + ") name=\"" +
            names.Name() + "\" domain=\"com.microsoft\"\n";
    last = written;
  }
  return text + "output y float32\n";
}

std::string Text(const Joined& joined) {
  return joined.Rows() + joined.Absent() + SumsText(joined.run);
}

TEST(JoinAnyProfile, SumsAgree) {
  std::mt19937 random(11);
  Names names(random);
  for (int round = 0; round < 400; ++round) {
    const std::string profile = RandomProfile(names);
    const std::string optimized = round % 2 == 0 ? "" : RandomOptimized(names);
    const Joined joined = JoinTexts(kModel, profile, optimized);  // expects that sums agree
    ASSERT_EQ(joined.run.layers.size(), joined.model.analysis.layers.size());
    for (const LayerTime& time : joined.run.layers)
      for (const std::uint32_t row : time.rows) ASSERT_LT(row, joined.run.rows.size());
    if (round % 20 == 0) {
      ASSERT_EQ(Text(JoinTexts(kModel, profile, optimized)), Text(joined));
    }
    ASSERT_FALSE(HasFailure()) << "round " << round << "\n" << profile << "\n" << optimized;
  }
}

}  // namespace
}  // namespace opscope
