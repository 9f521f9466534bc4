#include "support/flat_writer.h"

#include <algorithm>
#include <cstring>

namespace opscope::testing {

namespace {

template <class T>
FlatPointer Numbers(const std::vector<T>& numbers) {
  FlatNode node;
  node.kind = FlatNode::Kind::kBytes;
  node.count = static_cast<std::uint32_t>(numbers.size());
  node.bytes.resize(numbers.size() * sizeof(T));
  if (!numbers.empty()) std::memcpy(node.bytes.data(), numbers.data(), node.bytes.size());
  return std::make_shared<FlatNode>(std::move(node));
}

class Writer {
 public:
  explicit Writer(std::string_view identifier) : out_(4, '\0') { out_ += identifier; }

  std::string Write(const FlatPointer& root) {
    Refer(0, *root);
    return std::move(out_);
  }

 private:
  void Number(std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) out_ += static_cast<char>(value >> (8 * i) & 0xFF);
  }

  void Patch(std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      out_[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }

  void Align(std::size_t to) {
    while (out_.size() % to != 0) out_ += '\0';
  }

  // Writes `node` and makes the offset at `at` lead to it.
  void Refer(std::size_t at, const FlatNode& node) {
    Align(8);
    switch (node.kind) {
      case FlatNode::Kind::kTable:
        Table(at, node);
        return;
      case FlatNode::Kind::kBytes:
        Patch(at, out_.size() - at, 4);
        Number(node.count, 4);
        out_ += node.bytes;
        out_ += '\0';
        return;
      case FlatNode::Kind::kNodes:
        Patch(at, out_.size() - at, 4);
        Number(node.nodes.size(), 4);
        const std::size_t begin = out_.size();
        out_.append(4 * node.nodes.size(), '\0');
        for (std::size_t i = 0; i < node.nodes.size(); ++i) Refer(begin + 4 * i, *node.nodes[i]);
        return;
    }
  }

  void Table(std::size_t at, const FlatNode& node) {
    const int slots = node.fields.empty() ? 0 : node.fields.rbegin()->first + 1;
    const std::size_t vtable = out_.size();
    out_.append(4 + 2 * static_cast<std::size_t>(slots), '\0');
    Align(8);
    const std::size_t table = out_.size();
    Patch(at, table - at, 4);
    Number(table - vtable, 4);
    std::vector<std::pair<std::size_t, const FlatNode*>> children;
    for (const auto& [slot, field] : node.fields) {
      const auto* number = std::get_if<FlatNumber>(&field);
      Align(number != nullptr ? number->width : 4);
      Patch(vtable + 4 + 2 * static_cast<std::size_t>(slot), out_.size() - table, 2);
      if (number == nullptr) children.emplace_back(out_.size(), std::get<FlatPointer>(field).get());
      Number(number != nullptr ? number->value : 0, number != nullptr ? number->width : 4);
    }
    Patch(vtable, 4 + 2 * static_cast<std::uint64_t>(slots), 2);
    Patch(vtable + 2, out_.size() - table, 2);
    for (const auto& [place, child] : children) Refer(place, *child);
  }

  std::string out_;
};

}  // namespace

FlatPointer FlatTable(FlatFields fields) {
  FlatNode node;
  node.fields = std::move(fields);
  return std::make_shared<FlatNode>(std::move(node));
}

FlatPointer FlatBytes(std::string bytes) {
  FlatNode node;
  node.kind = FlatNode::Kind::kBytes;
  node.count = static_cast<std::uint32_t>(bytes.size());
  node.bytes = std::move(bytes);
  return std::make_shared<FlatNode>(std::move(node));
}

FlatPointer FlatText(std::string_view text) { return FlatBytes(std::string(text)); }
FlatPointer FlatInts(const std::vector<std::int32_t>& numbers) { return Numbers(numbers); }
FlatPointer FlatLongs(const std::vector<std::int64_t>& numbers) { return Numbers(numbers); }
FlatPointer FlatFloats(const std::vector<float>& numbers) { return Numbers(numbers); }

FlatPointer FlatList(std::vector<FlatPointer> nodes) {
  FlatNode node;
  node.kind = FlatNode::Kind::kNodes;
  node.nodes = std::move(nodes);
  return std::make_shared<FlatNode>(std::move(node));
}

std::string WriteFlat(const FlatPointer& root, std::string_view identifier) {
  return Writer(identifier).Write(root);
}

}  // namespace opscope::testing
