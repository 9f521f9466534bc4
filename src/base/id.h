// Typed indices: a NodeId cannot be used where a TensorId is wanted.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace opscope {

template <class Tag>
struct Id {
  std::uint32_t value = 0xffffffffU;  // none

  bool valid() const { return value != 0xffffffffU; }
  std::size_t index() const { return value; }
  friend auto operator<=>(Id, Id) = default;
};

struct IdHash {
  template <class Tag>
  std::size_t operator()(Id<Tag> id) const {
    return std::hash<std::uint32_t>()(id.value);
  }
};

}  // namespace opscope
