// Expressions as text.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "model/dim_ring.h"

namespace opscope {

namespace {

// Text and how loosely its outermost operator binds.
enum class Binding { kWord, kProduct, kSum };
struct Piece {
  std::string text;
  Binding binding = Binding::kWord;

  // For use inside an operator.
  std::string Grouped() const { return binding == Binding::kWord ? text : "(" + text + ")"; }
};

Piece Write(const DimRing& ring, Dim dim);

// A name that reads as one word of a formula.
bool IsPlainName(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const auto plain = [&](char c) { return letter(c) || c == '.' || (c >= '0' && c <= '9'); };
  const bool reserved = name == "min" || name == "max" || name == "floor" || name == "ceil";
  return !name.empty() && !reserved && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), plain);
}

// Odd names in backticks, a backtick inside doubled.
std::string SymbolText(std::string_view name) {
  if (IsPlainName(name)) return std::string(name);
  std::string text = "`";
  for (const char c : name) text.append(c == '`' ? 2 : 1, c);
  return text + '`';
}

Piece Write(const DimRing& ring, const Atom& atom) {
  if (atom.kind == AtomKind::kSymbol) return {SymbolText(atom.name)};
  if (atom.kind == AtomKind::kFloorDiv)
    return {
        Write(ring, atom.operands[0]).Grouped() + " // " + Write(ring, atom.operands[1]).Grouped(),
        Binding::kProduct};
  std::vector<std::string> operands;
  for (const Dim& operand : atom.operands) operands.push_back(Write(ring, operand).text);
  std::sort(operands.begin(), operands.end());
  std::string text = atom.kind == AtomKind::kMin ? "min(" : "max(";
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + operands[i];
  return {text + ")"};
}

struct TermText {
  std::vector<std::string> factors;  // sorted
  std::string size;                  // of the coefficient, without sign
  bool negative = false;
  bool alone = false;  // one factor, coefficient 1 or -1
  Piece lone_factor;

  bool operator<(const TermText& other) const {
    if (factors.size() != other.factors.size()) return factors.size() > other.factors.size();
    return factors < other.factors;
  }
  std::string Unsigned(bool after_minus) const {
    if (alone) return after_minus ? lone_factor.Grouped() : lone_factor.text;
    std::string text;
    for (const std::string& factor : factors) text += (text.empty() ? "" : "*") + factor;
    if (text.empty()) return size;
    return size == "1" ? text : text + "*" + size;
  }
  Binding binding() const {
    if (negative) return Binding::kSum;
    if (alone) return lone_factor.binding;
    return factors.empty() ? Binding::kWord : Binding::kProduct;
  }
};

TermText Write(const DimRing& ring, const Term& term) {
  TermText text;
  text.size = ToDecimal(term.coefficient);
  text.negative = term.coefficient < 0;
  if (text.negative) text.size.erase(0, 1);
  for (const AtomId factor : ring.monomial(term.monomial).factors) {
    text.lone_factor = Write(ring, ring.atom(factor));
    text.factors.push_back(text.lone_factor.Grouped());
  }
  text.alone = text.factors.size() == 1 && text.size == "1";
  std::sort(text.factors.begin(), text.factors.end());
  return text;
}

Piece Write(const DimRing& ring, Dim dim) {
  std::vector<TermText> terms;
  for (const Term& term : ring.ToPolynomial(dim)) terms.push_back(Write(ring, term));
  if (terms.empty()) return {"0"};
  std::sort(terms.begin(), terms.end());
  // "2 - N" rather than "-N + 2".
  const auto positive =
      std::find_if(terms.begin(), terms.end(), [](const TermText& term) { return !term.negative; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  Piece sum;
  for (const TermText& term : terms) {
    if (sum.text.empty())
      sum = {(term.negative ? "-" : "") + term.Unsigned(term.negative), term.binding()};
    else
      sum = {sum.text + (term.negative ? " - " : " + ") + term.Unsigned(false), Binding::kSum};
  }
  return sum;
}

}  // namespace

std::string DimTable::ToText(Dim dim) const {
  if (dim.is_number()) return std::to_string(dim.number());
  return dim.is_unknown() ? "?" : Write(*ring_, dim).text;
}

}  // namespace opscope
