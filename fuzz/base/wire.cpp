// Any bytes as protobuf: every field lies inside its message, and walking ends.
#include "base/wire.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace opscope;  // NOLINT: a program of its own

constexpr int kMaxDepth = 8;

void Walk(WireReader reader, std::uint64_t end, int depth) {
  std::uint64_t last = reader.position();
  while (true) {
    const auto next = reader.Next();
    if (!next || !next->has_value()) return;
    CHECK(reader.position() > last && reader.position() <= end);
    last = reader.position();
    const WireField& field = **next;
    CHECK(field.number != 0);
    const auto bytes = reader.Bytes(field, 100);
    if (field.type != WireType::kBytes) continue;
    CHECK(field.offset + field.length == last);
    CHECK(bytes.has_value() == (field.length <= 100));
    WireReader packed = reader.Message(field);
    while (!packed.done() && packed.Varint().has_value()) {
    }
    if (depth < kMaxDepth) Walk(reader.Message(field), last, depth + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source source = Source::FromBytes("fuzz", {reinterpret_cast<const char*>(data), size});
  Walk(WireReader(source, 0, size), size, 0);
  Walk(WireReader(source, 0, size + 10), size, 0);
  return 0;
}
