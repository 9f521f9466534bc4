// Result<T>: a value, or the reason why this input or request cannot be used.
//
// Three channels are kept apart everywhere (docs/architecture.md, "Failing"): Result = the input
// cannot be used; ImportLog = a record was odd and reading went on; CHECK = a bug of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace opscope {

// Ends the process after naming the broken promise on standard error; the program turns it into
// exit code 5. Never reachable from an input.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

#define OPSCOPE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::opscope::CheckFailed(#condition, __FILE__, __LINE__))

// What went wrong, in words a user can act on.
struct Error {
  std::string code;     // stable, e.g. "onnx.truncated"; the part before the dot names the area
  std::string message;  // quotes the offending text and names the way out
  std::string place;    // file + byte offset, or node / event name; context is prepended going up

  // "place: message", or the message alone.
  std::string ToString() const { return place.empty() ? message : place + ": " + message; }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() { return Value(); }
  const T& operator*() const { return const_cast<Result*>(this)->Value(); }
  T* operator->() { return &Value(); }
  const T* operator->() const { return &**this; }

  Error& error() {
    OPSCOPE_CHECK(!has_value());
    return *std::get_if<1>(&state_);
  }
  const Error& error() const { return const_cast<Result*>(this)->error(); }

 private:
  T& Value() {
    OPSCOPE_CHECK(has_value());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  Error& error() {
    OPSCOPE_CHECK(!has_value());
    return *error_;
  }
  const Error& error() const { return const_cast<Result*>(this)->error(); }

 private:
  std::optional<Error> error_;
};

}  // namespace opscope
