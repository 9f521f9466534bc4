#include "model/formats/coreml/builder.h"

namespace opscope::coreml {

std::uint32_t Building::FileOf(const std::string& path) {
  const auto [at, added] =
      files.emplace(path, static_cast<std::uint32_t>(model.external_files.size()));
  if (!added) return at->second;
  ExternalFile& file = model.external_files.emplace_back();
  file.path = path;
  if (!context.sibling) return at->second;
  auto source = context.sibling(path);
  if (source.has_value()) {
    file.bytes = source->size();
  } else {
    file.refused = source.error().code == "input.outside";
    context.log.Add("coreml.weights-missing", Severity::kNotice, path,
                    "the weights are not beside the model; their types are in the program");
  }
  return at->second;
}

Result<void> ForEach(
    WireReader reader, int depth,
    const std::function<Result<void>(const WireField&, const WireReader&)>& visit) {
  if (depth > kMaxDepth)
    return Error{"coreml.depth", "messages nest deeper than " + std::to_string(kMaxDepth),
                 AtByte(reader.position())};
  for (;;) {
    TRY_ASSIGN(const std::optional<WireField> field, reader.Next());
    if (!field) return {};
    TRY(visit(*field, reader));
  }
}

Result<std::string> TextOf(const WireReader& reader, const WireField& field) {
  TRY_ASSIGN(const std::string_view text, reader.Bytes(field, kMaxName));
  return std::string(text);
}

Result<void> AddNumbers(const WireReader& reader, const WireField& field,
                        std::vector<std::int64_t>& out) {
  constexpr std::size_t kMost = 64 * 1024;
  if (field.type == WireType::kVarint) {
    if (out.size() < kMost) out.push_back(static_cast<std::int64_t>(field.value));
    return {};
  }
  if (field.type != WireType::kBytes) return {};
  WireReader numbers = reader.Message(field);
  while (!numbers.done() && out.size() < kMost) {
    TRY_ASSIGN(const std::uint64_t number, numbers.Varint());
    out.push_back(static_cast<std::int64_t>(number));
  }
  return {};
}

}  // namespace opscope::coreml
