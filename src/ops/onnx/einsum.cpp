// Einsum: an equation over index letters.
#include <algorithm>
#include <array>
#include <limits>

#include "ops/onnx/common.h"
#include "ops/onnx/families.h"

namespace opscope::onnx {

namespace {

// "ab,bc->ac" parsed. Letters stand for themselves; the dims under an ellipsis get digits, aligned
// at the last one.
struct Equation {
  std::vector<std::string> operands;
  std::string output;
};

constexpr std::size_t kMaxHidden = 10;    // dims under an ellipsis, a digit each
constexpr std::size_t kMaxOperands = 32;  // beyond is damage

std::string Trimmed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ') out.push_back(c);
  }
  return out;
}

// An ellipsis stands for `hidden` dims: the last of at most `most`.
std::string Spelled(const std::string& term, std::size_t hidden, std::size_t most) {
  const std::size_t dots = term.find("...");
  if (dots == std::string::npos) return term;
  std::string letters;
  for (std::size_t i = most - hidden; i < most; ++i) letters.push_back(static_cast<char>('0' + i));
  return term.substr(0, dots) + letters + term.substr(dots + 3);
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Without "->" the output has the ellipsis, then every letter that occurs once, sorted.
std::string ImpliedOutput(const std::string& left) {
  std::string out = left.find("...") == std::string::npos ? "" : "...";
  std::string letters;
  for (const char c : left) {
    if (IsLetter(c) && std::count(left.begin(), left.end(), c) == 1) letters.push_back(c);
  }
  std::sort(letters.begin(), letters.end());
  return out + letters;
}

std::vector<std::string> SplitTerms(const std::string& left) {
  std::vector<std::string> terms = {""};
  for (const char c : left) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back().push_back(c);
    }
  }
  return terms;
}

// Every operand's rank is known.
Result<Equation> ReadEquation(const OpContext& op) {
  const std::string text = Trimmed(op.String("equation").value_or(""));
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  const std::string right =
      arrow == std::string::npos ? ImpliedOutput(left) : text.substr(arrow + 2);
  const std::vector<std::string> terms = SplitTerms(left);
  if (terms.size() != op.inputs()) {
    return op.Problem("equation \"" + text + "\" has " + std::to_string(terms.size()) +
                      " terms for " + std::to_string(op.inputs()) + " inputs");
  }
  std::vector<std::size_t> hidden;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::size_t rank = op.in(i).shape.rank();
    const bool dots = terms[i].find("...") != std::string::npos;
    const auto letters =
        static_cast<std::size_t>(std::count_if(terms[i].begin(), terms[i].end(), IsLetter));
    const bool fits = dots ? letters <= rank && rank - letters <= kMaxHidden : letters == rank;
    if (!fits || letters + (dots ? 3 : 0) != terms[i].size()) {
      return op.Problem("term \"" + terms[i] + "\" for an input of rank " + std::to_string(rank));
    }
    hidden.push_back(rank - letters);
  }
  const std::size_t most = *std::max_element(hidden.begin(), hidden.end());
  Equation equation;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    equation.operands.push_back(Spelled(terms[i], hidden[i], most));
  }
  equation.output = Spelled(right, most, most);
  return equation;
}

using Sizes = std::array<Dim, 256>;  // by letter

// 1 under an ellipsis broadcasts; equal letters must agree.
Result<Sizes> ReadSizes(const OpContext& op, const Equation& equation) {
  Sizes sizes{};
  std::array<bool, 256> seen{};
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    const std::string& term = equation.operands[i];
    for (std::size_t d = 0; d < term.size(); ++d) {
      const auto letter = static_cast<unsigned char>(term[d]);
      const Dim dim = (*op.in(i).shape.dims)[d];
      if (!seen[letter] || sizes[letter] == Dim(1)) {
        sizes[letter] = dim;
      } else if (dim != Dim(1)) {
        TRY_ASSIGN(sizes[letter], SameDim(op, sizes[letter], dim, "sizes of one index"));
      }
      seen[letter] = true;
    }
  }
  for (const char c : equation.output) {
    if (!seen[static_cast<unsigned char>(c)]) {
      return op.Problem(std::string("index '") + c + "' of the output is in no input");
    }
  }
  return sizes;
}

bool RanksKnown(const OpContext& op) {
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    if (!op.in(i).shape.known_rank()) return false;
  }
  return op.inputs() > 0 && op.inputs() <= kMaxOperands;
}

Result<void> InferEinsum(OpContext& op) {
  SetOutput(op, 0, CommonDType(op), {});
  if (!RanksKnown(op)) return {};
  TRY_ASSIGN(const Equation equation, ReadEquation(op));
  TRY_ASSIGN(const Sizes sizes, ReadSizes(op, equation));
  Dims out;
  for (const char c : equation.output) out.push_back(sizes[static_cast<unsigned char>(c)]);
  op.out(0).shape = ShapeOf(std::move(out));
  return {};
}

// --- cost: pairwise contractions ---

std::string Union(const std::string& a, const std::string& b) {
  std::string out;
  for (const char c : a + b) {
    if (out.find(c) == std::string::npos) out.push_back(c);
  }
  return out;
}

Dim ProductOfSizes(DimTable& dims, const std::string& letters, const Sizes& sizes) {
  Dim product = 1;
  for (const char c : letters) product = dims.Mul(product, sizes[static_cast<unsigned char>(c)]);
  return product;
}

// The letters of a pair that some other operand or the output still needs.
std::string Kept(const std::string& pair, const std::vector<std::string>& terms, std::size_t a,
                 std::size_t b, const std::string& output) {
  std::string out;
  for (const char c : pair) {
    bool needed = output.find(c) != std::string::npos;
    for (std::size_t i = 0; i < terms.size() && !needed; ++i) {
      needed = i != a && i != b && terms[i].find(c) != std::string::npos;
    }
    if (needed) out.push_back(c);
  }
  return out;
}

struct Plan {
  Dim macs = 0;
  std::string order;
};

// Compares sizes that are numbers; a formula never beats the order of the equation.
bool Cheaper(const Plan& a, const Plan& b) {
  return a.macs.is_number() && b.macs.is_number() && a.macs.number() < b.macs.number();
}

// Each contraction costs the product of all indices of its two operands. The best order is found
// by trying all of them (at most kMaxOrdered operands: 180 orders), else left to right.
constexpr std::size_t kMaxOrdered = 5;

Plan Best(DimTable& dims, const std::vector<std::string>& terms, const std::string& output,
          const Sizes& sizes) {
  if (terms.size() < 2) return {};
  std::optional<Plan> best;
  for (std::size_t a = 0; a < terms.size(); ++a) {
    for (std::size_t b = a + 1; b < terms.size(); ++b) {
      const std::string pair = Union(terms[a], terms[b]);
      const std::string kept = terms.size() == 2 ? output : Kept(pair, terms, a, b, output);
      std::vector<std::string> rest;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        if (i != b) rest.push_back(i == a ? kept : terms[i]);
      }
      Plan plan = Best(dims, rest, output, sizes);
      plan.macs = dims.Add(plan.macs, ProductOfSizes(dims, pair, sizes));
      plan.order = "(" + terms[a] + "," + terms[b] + "->" + kept + ")" +
                   (plan.order.empty() ? "" : "," + plan.order);
      if (!best || Cheaper(plan, *best)) best = std::move(plan);
      if (terms.size() > kMaxOrdered) return *best;
    }
  }
  return *best;
}

Work EinsumWork(const OpContext& op) {
  if (!RanksKnown(op)) return work::Contraction{};
  const Result<Equation> equation = ReadEquation(op);
  if (!equation.has_value()) return work::Contraction{};
  const Result<Sizes> sizes = ReadSizes(op, *equation);
  if (!sizes.has_value()) return work::Contraction{};
  Plan plan = Best(op.dims(), equation->operands, equation->output, *sizes);
  return work::Contraction{plan.macs, std::move(plan.order)};
}

constexpr OpEntry kOps[] = {
    {.op = "Einsum", .infer = InferEinsum, .work = EinsumWork, .rule = "einsum"},
};

}  // namespace

std::span<const OpEntry> EinsumOps() { return kOps; }

}  // namespace opscope::onnx
