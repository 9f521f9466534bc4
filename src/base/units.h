// Units as types. Time is int64 nanoseconds everywhere; it never passes through a double.
#pragma once

#include <compare>
#include <cstdint>

namespace opscope {

struct Nanos {
  std::int64_t value = 0;

  friend auto operator<=>(Nanos, Nanos) = default;
  friend Nanos operator+(Nanos a, Nanos b) { return {a.value + b.value}; }
  friend Nanos operator-(Nanos a, Nanos b) { return {a.value - b.value}; }
  Nanos& operator+=(Nanos other) {
    value += other.value;
    return *this;
  }
  Nanos& operator-=(Nanos other) {
    value -= other.value;
    return *this;
  }
};

}  // namespace opscope
