#include "model/formats/torchscript/tensors.h"

#include <algorithm>
#include <unordered_set>

#include "base/checked.h"
#include "base/text.h"
#include "model/aten/structure.h"
#include "model/decoder/weights.h"

namespace opscope::torchscript {

namespace {

constexpr std::size_t kMaxName = 4096;

struct Open {
  std::uint32_t value;
  std::string name;
};

std::string KeyOf(const PickleValue& key) {
  return key.kind == PickleValue::Kind::kInteger ? std::to_string(key.integer) : key.text;
}

std::string Joined(const std::string& outer, const std::string& key) {
  return outer.empty() ? key : outer + "." + key;
}

}  // namespace

Result<Payload> PayloadOf(Source& file, const aten::Archive& archive, const PickleValue& tensor,
                          std::string_view folder) {
  Payload payload;
  payload.dtype = tensor.dtype;
  payload.dims = tensor.sizes;
  const ZipMember* member = archive.Find(std::string(folder) + tensor.text);
  const auto elements = decoder::ElementsOf(tensor.sizes);
  if (!elements.has_value() || tensor.integer < 0)
    return Error{"torchscript.damaged", "a tensor has an impossible size",
                 "storage \"" + Printable(tensor.text) + "\""};
  if (member == nullptr) return payload;
  TRY_ASSIGN(const std::uint64_t begin, archive.Offset(*member));
  const auto skip = PackedBytes(tensor.dtype, tensor.integer).value_or(0);
  const auto bytes = PackedBytes(tensor.dtype, *elements).value_or(0);
  const auto skipped = std::min(static_cast<std::uint64_t>(skip), member->unpacked_bytes);
  payload.place = Payload::Place::kInline;
  payload.offset = begin + skipped;
  payload.length = std::min(member->unpacked_bytes - skipped, static_cast<std::uint64_t>(bytes));
  if (archive.little_endian()) TRY(aten::ReadSmall(file, payload));
  return payload;
}

// Depth first without recursion; a value that is met again is passed over, so that one that holds
// itself ends.
Result<void> ListTensors(const Pickle& pickle, std::vector<NamedTensor>& out) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<Open> open = {{pickle.top, ""}};
  while (!open.empty()) {
    const Open next = std::move(open.back());
    open.pop_back();
    const PickleValue& value = pickle[next.value];
    if (value.kind == PickleValue::Kind::kTensor) {
      out.push_back({next.name, &value});
      continue;
    }
    if (!seen.insert(next.value).second) continue;
    if (next.name.size() > kMaxName)
      return Error{"pickle.damaged", "the pickle nests too deep", ""};
    const bool keyed =
        value.kind == PickleValue::Kind::kDict || value.kind == PickleValue::Kind::kObject;
    const std::size_t step = keyed ? 2 : 1;
    for (std::size_t i = value.items.size() / step * step; i >= step; i -= step) {
      const std::string key = keyed ? KeyOf(pickle[value.items[i - 2]]) : std::to_string(i - 1);
      open.push_back({value.items[i - 1], Joined(next.name, key)});
    }
  }
  return {};
}

}  // namespace opscope::torchscript
