// Any bytes as .gz, .zst or .zip: the limits hold, and what is kept can be read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/hash.h"
#include "base/source.h"

namespace {

using namespace opscope;  // NOLINT: a program of its own

constexpr UnpackLimits kLimits = {.max_bytes = 4 << 20,
                                  .max_ratio = 200,
                                  .ratio_free_bytes = 64 << 10,
                                  .memory_bytes = 1 << 20,
                                  .keep_partial = true};

void Check(Result<Source>& source, std::size_t packed) {
  if (!source) {
    CHECK(!source.error().code.empty() && !source.error().message.empty());
    return;
  }
  CHECK(source->size() <=
        std::max<std::uint64_t>(packed * kLimits.max_ratio, kLimits.ratio_free_bytes));
  CHECK(HashSource(*source).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  auto partial = Source::Unpack(Source::FromBytes("fuzz", bytes), kLimits);
  Check(partial, size);
  UnpackLimits strict = kLimits;
  strict.keep_partial = false;
  auto whole = Source::Unpack(Source::FromBytes("fuzz", bytes), strict);
  Check(whole, size);
  if (partial) CHECK(whole.has_value() != partial->truncated());

  Source archive = Source::FromBytes("fuzz", bytes);
  const auto members = ListZip(archive);
  if (!members) return 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(members->size(), 4); ++i) {
    auto member = OpenZipMember(archive, (*members)[i], kLimits);
    if (member) CHECK(member->size() == (*members)[i].unpacked_bytes);
  }
  return 0;
}
