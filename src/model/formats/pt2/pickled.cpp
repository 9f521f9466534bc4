#include "model/formats/pt2/pickled.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "model/formats/torchscript/pickle.h"
#include "model/formats/torchscript/tensors.h"

namespace opscope::pt2 {

namespace {

using aten::Archive;
using torchscript::NamedTensor;

constexpr std::size_t kMaxPickle = 64 << 20;

Result<void> Add(const Archive& archive, const ZipMember& member,
                 std::unordered_map<std::string, Payload>& payloads) {
  TRY_ASSIGN(Source file, archive.Read(member));
  TRY_ASSIGN(const Archive inner, Archive::Open(file));
  const ZipMember* data = inner.Find("data.pkl");
  if (data == nullptr) return Error{"pt2.damaged", "it holds no data.pkl", ""};
  TRY_ASSIGN(const std::string bytes, inner.Text(*data, kMaxPickle));
  TRY_ASSIGN(const torchscript::Pickle pickle, torchscript::ReadPickle(bytes));
  std::vector<NamedTensor> tensors;
  TRY(torchscript::ListTensors(pickle, tensors));
  for (const NamedTensor& named : tensors) {
    TRY_ASSIGN(Payload payload, torchscript::PayloadOf(file, inner, *named.tensor, "data/"));
    if (payload.place == Payload::Place::kInline) {
      TRY_ASSIGN(const std::uint64_t begin, archive.Offset(member));
      payload.offset += begin;
    }
    payloads.insert_or_assign(named.name, std::move(payload));
  }
  return {};
}

}  // namespace

void AddPickled(const ModelReadContext& context, const Archive& archive, const ZipMember& member,
                std::unordered_map<std::string, Payload>& payloads) {
  const auto added = Add(archive, member, payloads);
  if (added.has_value()) return;
  context.log.Add("pt2.pickled-weights", Severity::kLoss, "\"" + Printable(member.name) + "\"",
                  "weights that are pickled there cannot be read: " + added.error().message);
}

}  // namespace opscope::pt2
