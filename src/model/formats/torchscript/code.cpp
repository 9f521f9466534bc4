#include "model/formats/torchscript/code.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "model/formats/torchscript/scanner.h"

namespace opscope::torchscript {

namespace {

constexpr int kMaxDepth = 150;

class Parser : private Scanner {
 public:
  explicit Parser(std::string_view text) : Scanner(text) {}

  Result<CodeFile> File() {
    CodeFile file;
    while (NextLine()) {
      if (Take("class")) {
        TRY(Class(file));
      } else if (Take("def")) {
        TRY(Function(file.functions, 0));
      } else {
        SkipLine();  // import, and constants of old versions
      }
    }
    return file;
  }

 private:
  // --- expressions ---

  Result<Expression> Expr() {
    if (++depth_ > kMaxDepth) return Wrong("expressions nest too deep");
    TRY_ASSIGN(Expression value, Primary());
    while (true) {
      if (nest_ > 0 ? Is(".") : text_.substr(at_, 1) == ".") {
        Take(".");
        Expression outer;
        outer.kind = Expression::Kind::kAttribute;
        outer.text = Word();
        outer.parts.push_back(std::move(value));
        value = std::move(outer);
      } else if (text_.substr(at_, 1) == "(") {
        TRY_ASSIGN(value, Call(std::move(value)));
      } else if (text_.substr(at_, 1) == "[") {
        TRY_ASSIGN(value, Index(std::move(value)));
      } else {
        break;
      }
    }
    --depth_;
    return value;
  }

  Result<Expression> Primary() {
    Blanks();
    const char c = at_ < text_.size() ? text_[at_] : '\n';
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\n';
    if (IsDigit(c) || c == '-' || (c == '.' && IsDigit(next))) return Number();
    if (c == '"' || c == '\'') return String();
    if (c == '(') return Sequence(Expression::Kind::kTuple, ")");
    if (c == '[') return Sequence(Expression::Kind::kList, "]");
    if (c == '{') return Sequence(Expression::Kind::kList, "}");
    Expression name;
    name.text = Word();
    if (name.text.empty())
      return Wrong("not an expression: \"" + Printable(text_.substr(at_, 20)) + "\"");
    return name;
  }

  Result<Expression> Number() {
    const std::size_t begin = at_;
    if (text_[at_] == '-') ++at_;
    const bool word = at_ < text_.size() && !IsDigit(text_[at_]) && text_[at_] != '.';
    while (at_ < text_.size() &&
           (IsWord(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '-' || text_[at_] == '+') && text_[at_ - 1] == 'e')))
      ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    Expression number;
    number.kind = Expression::Kind::kInteger;
    if (const auto value = ParseInt64(digits)) {
      number.integer = *value;
      return number;
    }
    number.kind = Expression::Kind::kFloat;
    if (!word) std::from_chars(digits.data(), digits.data() + digits.size(), number.real);
    return number;
  }

  Result<Expression> String() {
    const char quote = text_[at_++];
    Expression out;
    out.kind = Expression::Kind::kText;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out.text += text_[at_++];
    }
    if (at_ >= text_.size()) return Wrong("a text without an end");
    ++at_;
    return out;
  }

  // ( … ) is the value itself unless a comma stands in it.
  Result<Expression> Sequence(Expression::Kind kind, std::string_view end) {
    ++at_;
    ++nest_;
    Expression out;
    out.kind = kind;
    bool comma = false;
    while (!Is(end)) {
      TRY_ASSIGN(Expression part, Expr());
      out.parts.push_back(std::move(part));
      if (Take(",") || Take(":")) {
        comma = true;
      } else if (!Is(end)) {
        return Wrong("expected \"" + std::string(end) + "\"");
      }
    }
    --nest_;
    at_ += end.size();
    if (kind == Expression::Kind::kTuple && !comma && out.parts.size() == 1) {
      Expression inner = std::move(out.parts[0]);
      return inner;
    }
    return out;
  }

  Result<Expression> Call(Expression function) {
    ++at_;
    ++nest_;
    Expression call;
    call.kind = Expression::Kind::kCall;
    call.parts.push_back(std::move(function));
    while (!Is(")")) {
      std::string keyword;
      const std::size_t begin = at_;
      const std::string word = Word();
      if (!word.empty() && Is("=") && !Is("==")) {
        Take("=");
        keyword = word;
      } else {
        at_ = begin;
      }
      TRY_ASSIGN(Expression part, Expr());
      call.parts.push_back(std::move(part));
      call.keywords.push_back(std::move(keyword));
      if (!Take(",") && !Is(")")) return Wrong("expected \")\"");
    }
    --nest_;
    ++at_;
    return call;
  }

  Result<Expression> Index(Expression value) {
    TRY_ASSIGN(Expression inside, Sequence(Expression::Kind::kTuple, "]"));
    Expression out;
    out.kind = Expression::Kind::kIndex;
    out.parts.push_back(std::move(value));
    out.parts.push_back(std::move(inside));
    return out;
  }

  // --- statements ---

  // The lines that stand further in than `outer`.
  Result<std::vector<Statement>> Block(std::size_t outer) {
    if (++depth_ > kMaxDepth) return Wrong("blocks nest too deep");
    std::vector<Statement> block;
    SkipLine();
    while (true) {
      const std::size_t begin = at_;
      if (!NextLine() || column_ <= outer) {
        at_ = begin;
        break;
      }
      TRY_ASSIGN(Statement statement, One(column_));
      block.push_back(std::move(statement));
    }
    --depth_;
    return block;
  }

  Result<Statement> One(std::size_t column) {
    Statement out;
    if (Take("pass")) {
      SkipLine();
      return out;
    }
    if (Take("return")) {
      out.kind = Statement::Kind::kReturn;
      return Simple(std::move(out));
    }
    if (Take("if")) return If(column);
    if (Take("for") || Is("while") || Is("with")) return Loop(column);
    return Assign();
  }

  Result<Statement> Simple(Statement out) {
    TRY_ASSIGN(out.value, Expr());
    if (Take(",")) {  // a, b without brackets
      Expression tuple;
      tuple.kind = Expression::Kind::kTuple;
      tuple.parts.push_back(std::move(out.value));
      while (!Is("\n") && at_ < text_.size()) {
        TRY_ASSIGN(Expression part, Expr());
        tuple.parts.push_back(std::move(part));
        if (!Take(",")) break;
      }
      out.value = std::move(tuple);
    }
    SkipLine();
    return out;
  }

  Result<Statement> If(std::size_t column) {
    Statement out;
    out.kind = Statement::Kind::kIf;
    TRY_ASSIGN(out.value, Expr());
    TRY(Need(":"));
    TRY_ASSIGN(out.body, Block(column));
    const std::size_t begin = at_;
    if (NextLine() && column_ == column && Take("else")) {
      TRY(Need(":"));
      TRY_ASSIGN(out.otherwise, Block(column));
    } else {
      at_ = begin;
    }
    return out;
  }

  Result<Statement> Loop(std::size_t column) {
    Statement out;
    const bool is_with = Take("with");
    out.kind = is_with         ? Statement::Kind::kIf
               : Take("while") ? Statement::Kind::kWhile
                               : Statement::Kind::kFor;
    if (out.kind == Statement::Kind::kFor) {
      TRY_ASSIGN(Expression target, Expr());
      out.targets.push_back(std::move(target));
      TRY(Need("in"));
    }
    TRY_ASSIGN(out.value, Expr());
    if (is_with) {  // what stands in it runs
      Type(":\n");
      out.value = Expression();
      out.value.text = "True";
    }
    TRY(Need(":"));
    TRY_ASSIGN(out.body, Block(column));
    return out;
  }

  Result<Statement> Assign() {
    Statement out;
    std::vector<Expression> parts;
    bool commas = false;
    while (true) {
      TRY_ASSIGN(Expression part, Expr());
      parts.push_back(std::move(part));
      if (!Take(",")) break;
      commas = true;
      if (Is("=")) break;
    }
    if (Take(":")) Type("=\n");
    if (!Take("=")) {
      out.kind = Statement::Kind::kExpression;
      out.value = std::move(parts[0]);
      SkipLine();
      return out;
    }
    out.kind = Statement::Kind::kAssign;
    out.targets = std::move(parts);
    out.unpacked = commas;
    return Simple(std::move(out));
  }

  // --- definitions ---

  Result<void> Function(std::map<std::string, FunctionCode, std::less<>>& into,
                        std::size_t column) {
    const std::string name = Word();
    FunctionCode function;
    TRY(Need("("));
    ++nest_;
    while (!Is(")")) {
      Parameter parameter;
      parameter.name = Word();
      if (Take(":")) parameter.type = Type(",=)");
      if (Take("=")) {
        parameter.has_default = true;
        TRY_ASSIGN(parameter.otherwise, Expr());
      }
      function.parameters.push_back(std::move(parameter));
      if (!Take(",") && !Is(")")) return Wrong("expected \")\"");
    }
    --nest_;
    TRY(Need(")"));
    if (Take("->")) Type(":\n");
    TRY(Need(":"));
    TRY_ASSIGN(function.body, Block(column));
    into.insert_or_assign(name, std::move(function));
    return {};
  }

  Result<void> Class(CodeFile& file) {
    const std::string name = Word();
    ClassCode out;
    SkipLine();
    while (true) {
      const std::size_t begin = at_;
      if (!NextLine() || column_ == 0) {
        at_ = begin;
        break;
      }
      const std::size_t column = column_;
      if (Take("def")) {
        TRY(Function(out.methods, column));
        continue;
      }
      const std::string field = Word();
      if (Take(":")) {
        out.fields.push_back(field);
        Type("=\n");
        if (Take("=")) {
          TRY_ASSIGN(out.constants[field], Expr());
        }
      }
      SkipLine();
    }
    file.classes.insert_or_assign(name, std::move(out));
    return {};
  }

  int depth_ = 0;
};

}  // namespace

std::string Dotted(const Expression& expression) {
  if (expression.kind == Expression::Kind::kName) return expression.text;
  if (expression.kind != Expression::Kind::kAttribute) return {};
  const std::string outer = Dotted(expression.parts[0]);
  return outer.empty() ? outer : outer + "." + expression.text;
}

Result<CodeFile> ParseCode(std::string_view text) { return Parser(text).File(); }

}  // namespace opscope::torchscript
