#include "app/profile_shapes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "base/checked.h"

namespace opscope {

namespace {

struct Seen {
  DType dtype = DType::kUnknown;
  std::vector<std::int64_t> dims;
};

// One "float32[1,3,224,224]"; nullopt for anything else.
std::optional<Seen> ParseSeen(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == text.npos || text.back() != ']') return std::nullopt;
  Seen out{DTypeFromName(text.substr(0, open)), {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto dim = ParseInt64(rest.substr(0, end));
    if (!dim || *dim < 0) return std::nullopt;
    out.dims.push_back(*dim);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return out;
}

std::vector<Seen> ParseInputs(std::string_view text) {
  std::vector<Seen> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (auto seen = end > 0 ? ParseSeen(text.substr(0, end)) : std::nullopt)
      out.push_back(std::move(*seen));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

bool HasFreeDims(const TypeInfo& type) {
  return type.kind == ValueKind::kTensor && type.shape.known_rank() &&
         std::any_of(type.shape.dims->begin(), type.shape.dims->end(),
                     [](const Dim& dim) { return !dim.is_number(); });
}

bool Fits(const TypeInfo& type, const Seen& seen) {
  const auto& dims = *type.shape.dims;
  if (type.dtype != seen.dtype || dims.size() != seen.dims.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i].is_number() && dims[i].number() != seen.dims[i]) return false;
  return true;
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> ShapesFromProfile(const Model& model,
                                                                   const Trace& trace) {
  std::map<std::string, std::vector<std::int64_t>> out;
  // Arguments are stored once for many events: the first event in time of each decides.
  std::vector<std::int64_t> first(trace.args.size(), std::numeric_limits<std::int64_t>::max());
  for (std::size_t event = 0; event < trace.size(); ++event)
    if (ArgsId{trace.event_args[event]}.valid()) {
      auto& at = first[trace.event_args[event]];
      at = std::min(at, trace.begin[event]);
    }
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t args = 0; args < first.size(); ++args) order.emplace_back(first[args], args);
  std::sort(order.begin(), order.end());
  std::vector<TensorId> wanted;
  for (const TensorId id : model.main().inputs)
    if (!model.tensor(id).payload.valid() && HasFreeDims(model.tensor(id).declared))
      wanted.push_back(id);
  for (const auto& [time, args] : order) {
    if (out.size() == wanted.size()) break;
    for (const Seen& seen : ParseInputs(trace.text(trace.args[args].inputs)))
      for (const TensorId id : wanted)
        if (Fits(model.tensor(id).declared, seen))
          out.emplace(std::string(model.text(model.tensor(id).name)), seen.dims);
  }
  return out;
}

}  // namespace opscope
