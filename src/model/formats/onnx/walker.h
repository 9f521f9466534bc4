// What every part of the ONNX reader shares: the walk over fields, the structure hash, the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/wire.h"
#include "model/formats/format.h"
#include "model/model.h"

namespace opscope::onnx {

// Limits that keep a hostile file cheap; real models stay far below.
constexpr std::size_t kMaxGraphDepth = 64;
constexpr std::size_t kMaxTypeDepth = 16;
constexpr std::size_t kMaxRank = 1024;
constexpr std::size_t kMaxRecords = 20'000'000;    // nodes, values, tensors, attributes, graphs
constexpr std::size_t kMaxListElements = 1 << 20;  // of a list attribute that is kept
constexpr std::size_t kMaxAttributeText = 1 << 20;
constexpr std::size_t kMaxNodeMetadata = 1024;  // longer values (stack traces) are left out
constexpr std::size_t kMaxModelMetadata = 256;

// The elements of a repeated number field; `cut` when there were more than `max`.
template <class T>
struct NumberList {
  explicit NumberList(std::size_t most) : max(most) {}

  void Add(T value) {
    cut = cut || values.size() >= max;
    if (!cut) values.push_back(value);
  }

  std::size_t max;
  std::vector<T> values;
  bool cut = false;
};

class Walker {
 public:
  Walker(const ModelReadContext& context, Model& model) : context_(context), model_(model) {}

  const ModelReadContext& context() const { return context_; }
  Model& model() { return model_; }

  // Calls `use(field, message)` for every field of the message.
  template <class Use>
  Result<void> ForEachField(WireReader message, Use use) {
    while (true) {
      TRY_ASSIGN(const std::optional<WireField> field, message.Next());
      if (!field) return {};
      TRY(use(*field, message));
    }
  }

  // What makes up the structure is hashed as it is read: field number, then value.
  void Hash(const WireField& field, std::uint64_t value);
  void Hash(const WireField& field, std::string_view text);
  std::string StructureHash();

  // The text of a field of at most `max` bytes; hashed.
  Result<std::string_view> Text(const WireReader& message, const WireField& field,
                                std::size_t max = 1 << 20);
  Result<Str> Name(const WireReader& message, const WireField& field);
  // "" becomes "ai.onnx".
  Result<Str> Domain(const WireReader& message, const WireField& field);
  // {key, value}; nullopt when the value is longer than `max_value`.
  Result<std::optional<std::pair<std::string, std::string>>> Entry(WireReader message,
                                                                   std::size_t max_value);
  Result<std::pair<Str, std::int64_t>> Opset(WireReader message);

  // One element, or all of a packed field. Not hashed.
  Result<void> Varints(const WireReader& message, const WireField& field,
                       NumberList<std::uint64_t>& list);
  // `bytes` = 4 or 8: the bits of float and double.
  Result<void> Fixed(const WireReader& message, const WireField& field, std::size_t bytes,
                     NumberList<std::uint64_t>& list);

  // Counts a record that is about to be kept; onnx.too-large beyond kMaxRecords.
  Result<void> Count(std::uint64_t offset);
  void Note(std::string_view code, Severity severity, std::uint64_t offset,
            std::string_view message);

 private:
  void FlushHash();

  const ModelReadContext& context_;
  Model& model_;
  Hasher hasher_;
  std::string hash_buffer_;
  std::size_t records_ = 0;
};

}  // namespace opscope::onnx
