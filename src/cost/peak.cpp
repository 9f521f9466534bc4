#include "cost/peak.h"

#include <algorithm>

namespace opscope {

namespace {

// The sizes that symbols stand for in the samples; each symbol begins elsewhere in the list.
constexpr std::array<std::int64_t, SampledDim::kSamples> kSizes = {1, 3, 32, 100, 224, 640};

// Of FNV-1a: the same on every machine.
std::size_t Begin(std::string_view symbol) {
  std::uint32_t hash = 2166136261U;
  for (const char c : symbol) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % kSizes.size();
}

}  // namespace

void SampledDim::Add(DimTable& dims, const SampledDim& other) {
  dim = dims.Add(dim, other.dim);
  for (std::size_t i = 0; i < kSamples; ++i) samples[i] += other.samples[i];
}

void SampledDim::Sub(DimTable& dims, const SampledDim& other) {
  dim = dims.Sub(dim, other.dim);
  for (std::size_t i = 0; i < kSamples; ++i) samples[i] -= other.samples[i];
}

SampledDim Sampler::Of(Dim dim) {
  SampledDim sampled;
  sampled.dim = dim;
  if (dim.is_unknown()) return sampled;
  if (dim.is_number()) {
    sampled.samples.fill(dim.number());
    return sampled;
  }
  const auto found = known_.find(dim.expression());
  if (found != known_.end()) return found->second;
  const std::vector<std::string> symbols = dims_.Symbols(dim);
  for (std::size_t i = 0; i < SampledDim::kSamples; ++i) {
    Bindings bindings;
    for (const std::string& symbol : symbols)
      bindings[symbol] = kSizes[(Begin(symbol) + i) % kSizes.size()];
    sampled.samples[i] = dims_.Value(dims_.Bind(dim, bindings)).value_or(0);
  }
  known_.emplace(dim.expression(), sampled);
  return sampled;
}

// Known to be at least as large, whatever the symbols are. An empty batch or image is not looked
// at: N*4 reaches 4.
bool Peak::Reaches(DimTable& dims, const SampledDim& a, const SampledDim& b) {
  if (a.dim == b.dim) return true;
  for (std::size_t i = 0; i < SampledDim::kSamples; ++i)
    if (a.samples[i] < b.samples[i]) return false;
  const Dim difference = dims.Sub(a.dim, b.dim);
  if (difference.is_number()) return difference.number() >= 0;
  if (difference.is_unknown()) return false;
  // A proof may cost a tenth of a millisecond.
  constexpr std::size_t kMaxProofs = 128;
  const auto known = proofs_.find(difference.expression());
  if (known != proofs_.end()) return known->second;
  if (proofs_.size() == kMaxProofs) return false;
  return proofs_[difference.expression()] = dims.AtLeast(difference, 0, 1);
}

void Peak::Offer(DimTable& dims, const SampledDim& bytes, std::size_t at) {
  // Candidates still in the race; some may fall to a later one.
  constexpr std::size_t kMaxOpen = 2 * kMaxTerms;
  if (bytes.dim.is_unknown()) unknown_ = true;
  if (unknown_ || too_many_) return;
  for (const Candidate& candidate : candidates_)
    if (Reaches(dims, candidate.bytes, bytes)) return;
  std::erase_if(candidates_,
                [&](const Candidate& candidate) { return Reaches(dims, bytes, candidate.bytes); });
  candidates_.push_back({bytes, at});
  too_many_ = candidates_.size() > kMaxOpen;
}

SampledDim Peak::Value(DimTable& dims) const {
  SampledDim value;
  if (unknown_ || too_many_ || candidates_.size() > kMaxTerms) {
    value.dim = Dim();
    return value;
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const SampledDim& bytes = candidates_[i].bytes;
    value.dim = i == 0 ? bytes.dim : dims.Max(value.dim, bytes.dim);
    for (std::size_t s = 0; s < SampledDim::kSamples; ++s)
      value.samples[s] = std::max(value.samples[s], bytes.samples[s]);
  }
  return value;
}

std::string Peak::Because() const {
  return unknown_ ? "the size of an activation is not known"
                  : "it is the largest of more than " + std::to_string(kMaxTerms) +
                        " sums; bind a dimension for a number";
}

}  // namespace opscope
