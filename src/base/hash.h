// The hash of inputs: xxh3-128 as 32 hexadecimal digits. Fast, not cryptographic.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/source.h"

namespace opscope {

class Hasher {
 public:
  Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  ~Hasher();

  void Add(std::string_view bytes);
  // Of everything added so far.
  std::string Hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of all (unpacked) bytes of a source.
Result<std::string> HashSource(Source& source);

}  // namespace opscope
