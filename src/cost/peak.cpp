#include "cost/peak.h"

#include <algorithm>

namespace opscope {

namespace {

// Known to be at least as large, whatever the symbols are.
bool Reaches(DimTable& dims, Dim a, Dim b) {
  if (a == b) return true;
  if (a.is_number() && b.is_number()) return a.number() >= b.number();
  return dims.AtLeast(dims.Sub(a, b), 0);
}

}  // namespace

void Peak::Offer(DimTable& dims, Dim bytes, std::size_t at) {
  // Candidates still in the race; some may fall to a later one.
  constexpr std::size_t kMaxOpen = 2 * kMaxTerms;
  if (bytes.is_unknown()) unknown_ = true;
  if (unknown_ || too_many_) return;
  for (const Candidate& candidate : candidates_)
    if (Reaches(dims, candidate.bytes, bytes)) return;
  std::erase_if(candidates_,
                [&](const Candidate& candidate) { return Reaches(dims, bytes, candidate.bytes); });
  candidates_.push_back({bytes, at});
  too_many_ = candidates_.size() > kMaxOpen;
}

Dim Peak::Value(DimTable& dims) const {
  if (unknown_ || too_many_ || candidates_.size() > kMaxTerms) return {};
  Dim value = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    value = i == 0 ? candidates_[0].bytes : dims.Max(value, candidates_[i].bytes);
  return value;
}

std::string Peak::Because() const {
  return unknown_ ? "the size of an activation is not known"
                  : "it is the largest of more than " + std::to_string(kMaxTerms) +
                        " sums; bind a dimension for a number";
}

}  // namespace opscope
