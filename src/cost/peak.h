// Peak: the largest of many sums, of which some hang on symbols.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "model/dim.h"

namespace opscope {

// A size together with its value at a few choices of the symbols: one that is smaller somewhere
// cannot be the larger one everywhere, and that is seen without a proof.
struct SampledDim {
  static constexpr std::size_t kSamples = 6;
  Dim dim = 0;
  std::array<Int128, kSamples> samples = {};

  void Add(DimTable& dims, const SampledDim& other);
  void Sub(DimTable& dims, const SampledDim& other);
};

class Sampler {
 public:
  explicit Sampler(DimTable& dims) : dims_(dims) {}
  SampledDim Of(Dim dim);

 private:
  DimTable& dims_;
  std::unordered_map<ExprId, SampledDim, IdHash> known_;
};

// Keeps the candidates that no other is known to reach or exceed. With numbers alone that is one.
class Peak {
 public:
  struct Candidate {
    SampledDim bytes;
    std::size_t at = 0;
  };
  // A formula with more alternatives than this is none that a person can use.
  static constexpr std::size_t kMaxTerms = 16;

  void Offer(DimTable& dims, const SampledDim& bytes, std::size_t at);

  // The maximum; unknown when a candidate was, or when more than kMaxTerms alternatives are left.
  SampledDim Value(DimTable& dims) const;
  // Why the value is unknown.
  std::string Because() const;
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  bool Reaches(DimTable& dims, const SampledDim& a, const SampledDim& b);

  std::vector<Candidate> candidates_ = {};
  std::unordered_map<ExprId, bool, IdHash> proofs_;  // by difference: never negative
  bool unknown_ = false;
  bool too_many_ = false;
};

}  // namespace opscope
