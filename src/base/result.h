// Result and the macros that pass errors up; the class itself is public (opscope/result.h).
#pragma once

#include "base/check.h"
#include "opscope/result.h"

#define OPSCOPE_CONCAT_(a, b) a##b
#define OPSCOPE_CONCAT(a, b) OPSCOPE_CONCAT_(a, b)

// Both may stand inside a lambda that is an argument of either: hence a counter in the names, as
// all lines of a macro's arguments count as one.

// TRY(expr): returns the error of `expr` (a Result<void> or Result<T>) from this function.
#define TRY(expr) TRY_(OPSCOPE_CONCAT(try_, __COUNTER__), expr)
#define TRY_(tmp, expr)                                  \
  do {                                                   \
    auto tmp = (expr);                                   \
    if (!tmp.has_value()) return std::move(tmp.error()); \
  } while (false)

// TRY_ASSIGN(lhs, expr): lhs = value of `expr`, or returns its error.
#define TRY_ASSIGN(lhs, expr) TRY_ASSIGN_(OPSCOPE_CONCAT(try_, __COUNTER__), lhs, expr)
#define TRY_ASSIGN_(tmp, lhs, expr)                    \
  auto tmp = (expr);                                   \
  if (!tmp.has_value()) return std::move(tmp.error()); \
  lhs = std::move(*tmp)

namespace opscope {

// Puts `context` in front of the error's place: "model.onnx: node 'conv1'".
inline Error WithContext(Error error, const std::string& context) {
  error.place = error.place.empty() ? context : context + ": " + error.place;
  return error;
}

}  // namespace opscope
