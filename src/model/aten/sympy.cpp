#include "model/aten/sympy.h"

#include <optional>
#include <string>
#include <vector>

#include "base/checked.h"

namespace opscope::aten {

namespace {

constexpr std::size_t kMaxText = 16384;
constexpr int kMaxDepth = 60;

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// above / below: sympy writes exact halves.
struct Value {
  Dim above;
  Dim below = 1;
};

class Parser {
 public:
  Parser(DimTable& dims, std::string_view text) : dims_(dims), text_(text) {}

  Dim Whole() {
    const Value value = Sum();
    Blanks();
    return at_ == text_.size() && !failed_ ? Exact(value) : Dim();
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(std::string_view mark) {
    Blanks();
    if (text_.substr(at_, mark.size()) != mark) return false;
    at_ += mark.size();
    return true;
  }
  Value Fail() {
    failed_ = true;
    at_ = text_.size();
    return {};
  }
  Dim Exact(const Value& value) {
    if (value.below == Dim(1)) return value.above;
    const std::optional<Dim> quotient = dims_.ExactQuotient(value.above, value.below);
    return quotient.value_or(dims_.FloorDiv(value.above, value.below));
  }
  Value Add(const Value& a, const Value& b) {
    if (a.below == b.below) return {dims_.Add(a.above, b.above), a.below};
    return {dims_.Add(dims_.Mul(a.above, b.below), dims_.Mul(b.above, a.below)),
            dims_.Mul(a.below, b.below)};
  }
  Value Mul(const Value& a, const Value& b) {
    return {dims_.Mul(a.above, b.above), dims_.Mul(a.below, b.below)};
  }
  // Floor division.
  Value Div(const Value& a, const Value& b) {
    return {dims_.FloorDiv(dims_.Mul(a.above, b.below), dims_.Mul(a.below, b.above))};
  }
  Value Ceil(const Value& a) { return {dims_.CeilDiv(a.above, a.below)}; }
  Value Mod(const Value& a, const Value& b) { return Add(a, Mul({Dim(-1)}, Mul(b, Div(a, b)))); }
  Value Power(const Value& base, const Value& exponent) {
    const Dim times = Exact(exponent);
    if (!times.is_number() || times.number() < -8 || times.number() > 16) return Fail();
    Value out{Dim(1)};
    for (std::int64_t i = 0; i < (times.number() < 0 ? -times.number() : times.number()); ++i)
      out = Mul(out, base);
    return times.number() < 0 ? Value{out.below, out.above} : out;
  }

  Value Sum() {
    if (++depth_ > kMaxDepth) return Fail();
    Value out = Take("-") ? Mul({Dim(-1)}, Product()) : Product();
    while (!failed_) {
      if (Take("+")) {
        out = Add(out, Product());
      } else if (Take("-")) {
        out = Add(out, Mul({Dim(-1)}, Product()));
      } else {
        break;
      }
    }
    --depth_;
    return out;
  }
  Value Product() {
    Value out = Factor();
    while (!failed_) {
      if (Take("//")) {
        out = Div(out, Factor());
      } else if (Take("/")) {
        const Value by = Factor();
        out = Mul(out, {by.below, by.above});
      } else if (Take("%")) {
        out = Mod(out, Factor());
      } else if (text_.substr(at_, 2) != "**" && Take("*")) {
        out = Mul(out, Factor());
      } else {
        break;
      }
    }
    return out;
  }
  Value Factor() {
    if (Take("-")) return Mul({Dim(-1)}, Atom());
    const Value base = Atom();
    return Take("**") ? Power(base, Factor()) : base;
  }
  Value Atom() {
    if (++depth_ > kMaxDepth) return Fail();
    Value out;
    if (Take("(")) {
      out = Sum();
      if (!Take(")")) return Fail();
    } else {
      out = Named(Word());
    }
    --depth_;
    return out;
  }
  std::string_view Word() {
    Blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  Value Named(std::string_view word) {
    if (word.empty()) return Fail();
    if (word[0] >= '0' && word[0] <= '9') {
      const std::optional<std::int64_t> number = ParseInt64(word);
      return number.has_value() ? Value{Dim(*number)} : Fail();
    }
    if (!Take("(")) return {dims_.Symbol(word)};
    return word == "Symbol" || word == "Dummy" ? SymbolCall() : FunctionCall(word);
  }
  // Symbol('s77', positive=True, integer=True): the first text is the name.
  Value SymbolCall() {
    Blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = text_.find(quote, at_ + 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return Fail();
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = text_.find(')', end);
    if (at_ == std::string_view::npos) return Fail();
    ++at_;
    return {dims_.Symbol(name)};
  }
  Value FunctionCall(std::string_view name) {
    std::vector<Value> arguments;
    while (!failed_ && !Take(")")) {
      const std::size_t begin = at_;
      const std::string_view key = Word();
      if (!key.empty() && Take("=")) {  // evaluate=False
        Word();
      } else {
        at_ = begin;
        arguments.push_back(Sum());
      }
      if (!Take(",") && text_.substr(at_, 1) != ")") return Fail();
    }
    return failed_ ? Value{} : Apply(name, arguments);
  }
  Value Apply(std::string_view name, const std::vector<Value>& in) {
    if (in.empty()) return Fail();
    if (name == "Add" || name == "Mul" || name == "Max" || name == "Min") return Fold(name, in);
    if (in.size() == 1) {
      if (name == "Integer" || name == "ToFloat" || name == "Identity") return in[0];
      if (name == "floor" || name == "FloorToInt" || name == "TruncToInt")
        return {dims_.FloorDiv(in[0].above, in[0].below)};
      if (name == "ceiling" || name == "CeilToInt") return Ceil(in[0]);
    }
    if (in.size() == 2) {
      const Value inverse{in[1].below, in[1].above};
      if (name == "FloorDiv" || name == "CleanDiv") return Div(in[0], in[1]);
      if (name == "CeilDiv") return Ceil(Mul(in[0], inverse));
      if (name == "Rational" || name == "IntTrueDiv" || name == "FloatTrueDiv" || name == "TrueDiv")
        return Mul(in[0], inverse);
      if (name == "Mod" || name == "PythonMod") return Mod(in[0], in[1]);
      if (name == "Pow" || name == "PowByNatural") return Power(in[0], in[1]);
    }
    if (name == "ModularIndexing" && in.size() == 3) return Mod(Div(in[0], in[1]), in[2]);
    return Fail();
  }
  Value Fold(std::string_view name, const std::vector<Value>& in) {
    Value out = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (name == "Add") {
        out = Add(out, in[i]);
      } else if (name == "Mul") {
        out = Mul(out, in[i]);
      } else if (name == "Max") {
        out = {dims_.Max(Exact(out), Exact(in[i]))};
      } else {
        out = {dims_.Min(Exact(out), Exact(in[i]))};
      }
    }
    return out;
  }

  DimTable& dims_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

Dim ParseSympy(DimTable& dims, std::string_view text) {
  return text.size() > kMaxText ? Dim() : Parser(dims, text).Whole();
}

}  // namespace opscope::aten
