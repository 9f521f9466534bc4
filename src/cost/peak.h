// Peak: the largest of many sums, of which some hang on symbols.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/dim.h"

namespace opscope {

// Keeps the candidates that no other is known to reach or exceed. With numbers alone that is one.
class Peak {
 public:
  struct Candidate {
    Dim bytes;
    std::size_t at = 0;
  };
  // A formula with more alternatives than this is none that a person can use.
  static constexpr std::size_t kMaxTerms = 16;

  void Offer(DimTable& dims, Dim bytes, std::size_t at);

  // The maximum; unknown when a candidate was, or when more than kMaxTerms alternatives are left.
  Dim Value(DimTable& dims) const;
  // Why the value is unknown.
  std::string Because() const;
  // The first place of the maximum: the only candidate's, or of the first of several.
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  std::vector<Candidate> candidates_ = {};
  bool unknown_ = false;
  bool too_many_ = false;
};

}  // namespace opscope
