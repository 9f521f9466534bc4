// DimSum: a sum of many Dims in linear time. Numbers go into one integer; equal expressions are
// counted and joined at the end, pairwise, so that no sum of many terms is rebuilt for each addend.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "model/dim.h"

namespace opscope {

class DimSum {
 public:
  // Adds `value`; an unknown one is left out, which makes the total a lower bound.
  void Add(Dim value) {
    if (value.is_unknown()) {
      complete_ = false;
    } else if (value.is_number()) {
      number_ += value.number();
    } else {
      const auto [at, added] = index_.try_emplace(value.expression(), counted_.size());
      if (added) counted_.emplace_back(value, 0);
      ++counted_[at->second].second;
    }
  }

  // False when an unknown addend was left out.
  bool complete() const { return complete_; }

  // The sum; unknown when an addend was.
  Dim Exact(DimTable& dims) const { return complete_ ? Total(dims) : Dim(); }

  Dim Total(DimTable& dims) const {
    std::vector<Dim> parts = {dims.Integer(number_)};
    for (const auto& [value, times] : counted_) parts.push_back(dims.Mul(value, times));
    for (std::size_t size = parts.size(); size > 1; size = (size + 1) / 2) {
      for (std::size_t i = 0; i < size / 2; ++i)
        parts[i] = dims.Add(parts[2 * i], parts[2 * i + 1]);
      if (size % 2 == 1) parts[size / 2] = parts[size - 1];
    }
    return parts[0];
  }

 private:
  Int128 number_ = 0;
  bool complete_ = true;
  std::vector<std::pair<Dim, std::int64_t>> counted_;
  std::unordered_map<ExprId, std::size_t, IdHash> index_;
};

}  // namespace opscope
