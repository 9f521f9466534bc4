#include "base/hash.h"

#include <xxhash.h>

namespace opscope {

namespace {
constexpr std::size_t kStep = 1 << 20;

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
}  // namespace

struct Hasher::State {
  std::unique_ptr<XXH3_state_t, FreeState> xxh{XXH3_createState()};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  CHECK(state_->xxh != nullptr);
  XXH3_128bits_reset(state_->xxh.get());
}
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

void Hasher::Add(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
}

std::string Hasher::Hex() const {
  constexpr std::string_view kHex = "0123456789abcdef";
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state_->xxh.get()));
  std::string text;
  for (const unsigned char byte : bytes.digest) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

Result<std::string> HashSource(Source& source) {
  Hasher hasher;
  for (std::uint64_t at = 0; at < source.size(); at += kStep) {
    TRY_ASSIGN(const std::string_view window, source.Window(at, kStep));
    hasher.Add(window);
  }
  return hasher.Hex();
}

}  // namespace opscope
