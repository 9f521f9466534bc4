#include <functional>
#include <unordered_map>
#include <vector>

#include "ops/aten/families.h"
#include "ops/contrib/families.h"
#include "ops/coreml/families.h"
#include "ops/ncnn/families.h"
#include "ops/onnx/families.h"
#include "ops/op.h"
#include "ops/openvino/families.h"
#include "ops/tensorrt/families.h"
#include "ops/tflite/families.h"
#include "ops/transformer/families.h"

namespace opscope {

namespace {

struct Key {
  std::string_view domain, op;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.op) * 31 + hash(key.domain);
  }
};

constexpr std::string_view kStandard = "ai.onnx";

// The versions of one op, which mostly are one entry.
using Index = std::unordered_map<Key, std::vector<const OpEntry*>, KeyHash>;

Index BuildIndex() {
  Index index;
  for (const Dialect& dialect : Dialects()) {
    for (const std::span<const OpEntry> family : dialect.families) {
      for (const OpEntry& entry : family) index[{dialect.domain, entry.op}].push_back(&entry);
    }
  }
  return index;
}

std::span<const OpEntry* const> Versions(std::string_view domain, std::string_view op) {
  static const Index kIndex = BuildIndex();
  const auto found = kIndex.find({domain, op});
  if (found == kIndex.end()) return {};
  return found->second;
}

// The counterpart in ai.onnx of an op of another dialect; empty = none.
std::string_view Counterpart(const Model& model, const Node& node) {
  const auto versions = Versions(model.text(node.domain), model.text(node.op));
  if (versions.empty()) return {};
  const OpEntry& entry = *versions.front();
  const std::string_view by_attribute =
      entry.like_of != nullptr ? entry.like_of(model, node) : std::string_view();
  return by_attribute.empty() ? entry.like : by_attribute;
}

}  // namespace

std::span<const Dialect> Dialects() {
  static const std::vector<Dialect> kDialects = [] {
    std::vector<Dialect> all;
    for (const std::span<const Dialect> folder :
         {onnx::Dialects(), contrib::Dialects(), openvino::Dialects(), tensorrt::Dialects(),
          coreml::Dialects(), ncnn::Dialects(), transformer::Dialects(), aten::Dialects(),
          tflite::Dialects()})
      all.insert(all.end(), folder.begin(), folder.end());
    return all;
  }();
  return kDialects;
}

const OpEntry* FindOp(std::string_view domain, std::string_view op, int opset) {
  for (const OpEntry* entry : Versions(domain, op)) {
    if (entry->since <= opset && opset <= entry->until) return entry;
  }
  return nullptr;
}

std::string_view StandardOp(const Model& model, const Node& node) {
  if (model.text(node.domain) == kStandard) return model.text(node.op);
  const std::string_view counterpart = Counterpart(model, node);
  return counterpart.empty() ? model.text(node.op) : counterpart;
}

std::string_view StandardDomain(const Model& model, const Node& node) {
  const std::string_view domain = model.text(node.domain);
  return domain != kStandard && !Counterpart(model, node).empty() ? kStandard : domain;
}

}  // namespace opscope
