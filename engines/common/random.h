// A small generator whose numbers are the same everywhere: integer arithmetic and exact scaling
// only, no functions whose last bit differs between C libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::child {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-24: exact as a float too.
  double Unit() { return static_cast<double>(Next() >> 40) / (1 << 24); }
  // In [0, count), count > 0.
  std::int64_t Below(std::int64_t count) {
    return static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(count));
  }
  // Near enough to standard normal: the sum of twelve uniform numbers has variance 1 (Irwin-Hall);
  // three words give twelve 16-bit ones.
  double Normal() {
    std::int64_t sum = 0;
    for (int word = 0; word < 3; ++word) {
      const std::uint64_t bits = Next();
      for (int part = 0; part < 4; ++part)
        sum += static_cast<std::int64_t>((bits >> (16 * part)) & 0xffff);
    }
    constexpr std::int64_t kMean = 12 * 0xffff / 2;
    return static_cast<double>(sum - kMean) / 65536.0;
  }

 private:
  std::uint64_t state_;
};

// A seed of its own for every input, so that one more input leaves the others as they were (FNV-1a
// over the name).
inline std::uint64_t SeedFor(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace opscope::child
