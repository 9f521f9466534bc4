// The code of TorchScript archives, as far as it is written there: a small part of Python.
//
//   class Conv2d(Module):
//     def forward(self: __torch__.torch.nn.modules.conv.Conv2d,
//       x: Tensor) -> Tensor:
//       weight = self.weight
//       _0 = torch._convolution(x, weight, None, [1, 1], [1, 1], …)
//       return _0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opscope::torchscript {

struct Expression {
  enum class Kind : std::uint8_t {
    kName,       // text
    kInteger,    // integer
    kFloat,      // real
    kText,       // text
    kList,       // parts; also a dict's, as key, value …
    kTuple,      // parts
    kAttribute,  // parts[0] . text
    kIndex,      // parts[0] [ parts[1] ]
    kCall        // parts[0] ( parts[1] … ), keywords[i] of parts[i + 1], "" = by place
  };
  Kind kind = Kind::kName;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<Expression> parts;
  std::vector<std::string> keywords;
};

// "torch.nn" of torch . nn; empty for what is no such chain of names.
std::string Dotted(const Expression& expression);

struct Statement {
  enum class Kind : std::uint8_t { kAssign, kReturn, kIf, kFor, kWhile, kExpression, kPass };
  Kind kind = Kind::kPass;
  std::vector<Expression> targets;  // kAssign: several when it is unpacked; kFor: one
  bool unpacked = false;            // a, b = …, also a, = …
  Expression value;
  std::vector<Statement> body, otherwise;
};

struct Parameter {
  std::string name;
  std::string type;
  bool has_default = false;
  Expression otherwise;
};

struct FunctionCode {
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
};

struct ClassCode {
  std::map<std::string, FunctionCode, std::less<>> methods;
  std::map<std::string, Expression, std::less<>> constants;  // name : Final[int] = 1
  std::vector<std::string> fields;                           // in order, of a NamedTuple
};

struct CodeFile {
  std::map<std::string, ClassCode, std::less<>> classes;
  std::map<std::string, FunctionCode, std::less<>> functions;
};

// Errors: "torchscript.code", with the line.
Result<CodeFile> ParseCode(std::string_view text);

}  // namespace opscope::torchscript
