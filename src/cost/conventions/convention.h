// Conventions: what other tools would print for the same model. A convention is a table of weights
// on what a layer has (measures.h), by group of ops, and never a second counter: the exact count
// plus one difference a group is what the tool prints.
//
// A new one is a file with a constexpr Convention and one line in registry.cpp
// (docs/conventions.md).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/static_analysis.h"

namespace opscope {

// How often each measure of a layer counts.
struct Weights {
  int mac = 0;           // multiply-accumulates as opscope counts them
  int bias = 0;          // additions of a bias, one an output element
  int in = 0;            // elements of the first input
  int out = 0;           // elements of the first output
  int row = 0;           // rows that are normalised over, or that a softmax runs along
  int affine = 0;        // elements that are scaled and shifted after a normalisation
  int tap = 0;           // output elements * points of the window
  int pair = 0;          // output elements * (operands - 1)
  int cell = 0;          // elements of the hidden state, over all steps and directions
  int cell_one_way = 0;  // the same for one direction
  // Transposed convolutions in ways that other tools use; right is N*Cin*in*(Cout/g)*k.
  int deconv_by_output = 0;  // output elements * (Cin/g) * k
  int deconv_reduced = 0;    // output elements * (Cout/g) * k
  int deconv_grouped = 0;    // the right number, divided by the groups once more
  int score = 0;             // elements of the scores of attention: one a query, key and head
};
// How often the elements of constants count that a layer is the first reader of.
struct ParamWeights {
  int parameters = 0;
  int statistics = 0;    // running mean and variance
  int constants = 0;     // masks, tables, shape values
  int folded = 0;        // what stays of a BatchNormalization when it is folded into a convolution
  int initializers = 0;  // of the file, where a node that computes is the first to read them
};

// `key`: an op ("Softmax"), which goes before the group it stands in ("softmax").
struct Rule {
  std::string_view key;
  Weights weights;
  std::string_view because = {};  // message id; empty = the weights say it
};
struct ParamRule {
  std::string_view key;
  ParamWeights weights;
  std::string_view because = {};
};

// How a call of `function` ("torch.matmul") outside of modules of torch.nn counts; `group` = the
// only one of its ops that does, empty = every op.
struct FunctionRule {
  std::string_view function;
  std::string_view group;
  Weights weights;
};

enum class ConventionUnit : std::uint8_t { kMac, kFlop };

struct Convention {
  std::string_view id;
  ConventionUnit unit = ConventionUnit::kMac;
  std::span<const Rule> rules;
  Weights otherwise = {};  // where no rule fits
  bool prints_params = true;
  std::span<const ParamRule> param_rules = {};
  ParamWeights params_otherwise = {.parameters = 1};
  std::string_view params_because = {};  // message id for those that no rule fits
  // A tool that sees modules of torch.nn and certain functions instead of ops. Where the model says
  // what an op was called through (origin.h), `rules` hold for those modules alone, the others here
  // elsewhere, and what is in none of them counts nothing.
  bool by_call = false;
  std::span<const Rule> in_attention = {};  // inside of nn.MultiheadAttention
  std::span<const FunctionRule> functions = {};
  // A tool that prints FLOPs and MACs: rules of the latter; empty = it prints its unit alone.
  std::span<const Rule> mac_rules = {};
  // Message id about models whose attention runs as one fused call, with {value}: what the tool
  // prints then; empty = the same.
  std::string_view fused_attention = {};
  std::string_view note = {};  // message id
  // The op at which the tool stops with an error, or empty. Hangs on the op and on which of its
  // first eight inputs are there.
  std::string_view (*stops_at)(const Model& model, const Node& node) = nullptr;
};

// In the order of the report.
std::span<const Convention* const> Conventions();
const Convention* FindConvention(std::string_view id);  // nullptr: there is none
std::string ConventionNames();                          // "thop, ptflops, …"

struct ConventionRow {
  std::string_view key;  // of the rule, or the group
  Dim amount = 0;        // in the unit of the convention
  Dim params = 0;
  std::string weights;  // "mac + bias": how the tool counts these ops; empty = not at all
  std::string_view because;
};

// exact + the sum of `rows` = value; likewise for the parameters.
struct ConventionCounts {
  const Convention* convention = nullptr;
  std::string stopped_at;  // the op; then nothing is printed and no number is known
  Dim value;
  Dim macs;  // of a tool that prints both
  Dim params;
  std::vector<ConventionRow> rows;
  bool undercounts = false;  // a row takes multiply-accumulates away
  Dim fused_attention;       // the value for fused attention; unknown where that is no question
};

// "2*in + 2*affine"; empty for no weights at all.
std::string WeightsText(const Weights& weights);
std::string WeightsText(const ParamWeights& weights);

// What every convention of the list makes of the model. Linear in layers: they are summed by group
// first.
std::vector<ConventionCounts> ApplyConventions(Model& model, const StaticAnalysis& analysis);
// One convention, which need not be in the list.
ConventionCounts ApplyConvention(Model& model, const StaticAnalysis& analysis,
                                 const Convention& convention);

}  // namespace opscope
