#include "base/fused_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace opscope {

namespace {

constexpr std::size_t kMaxNest = 64;  // of PWN( ) in PWN( )

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number at the end of `text` behind `before` ("X input reformatter 0"): taken off the text.
std::optional<std::uint32_t> TakeNumbered(std::string_view& text, std::string_view before,
                                          std::string_view after = {}) {
  if (!text.ends_with(after)) return std::nullopt;
  const std::string_view body = text.substr(0, text.size() - after.size());
  std::size_t begin = body.size();
  while (begin > 0 && IsDigit(body[begin - 1])) --begin;
  if (begin == body.size() || !body.substr(0, begin).ends_with(before)) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, failed] =
      std::from_chars(body.data() + begin, body.data() + body.size(), number);
  if (failed != std::errc{} || end != body.data() + body.size()) return std::nullopt;
  text = body.substr(0, begin - before.size());
  return number;
}

// The pieces between `separator`, where that stands outside all brackets.
std::vector<std::string_view> SplitOutside(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (depth > 0 || text.compare(i, separator.size(), separator) != 0) continue;
    pieces.push_back(text.substr(begin, i - begin));
    begin = i + separator.size();
    i = begin - 1;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

// "_myl0_2" at the end: a kernel inside a region. Taken off.
bool TakeKernelNumber(std::string_view& text) {
  std::string_view rest = text;
  if (!TakeNumbered(rest, "_")) return false;
  if (!TakeNumbered(rest, "_myl")) return false;
  text = rest;
  return true;
}

class NameParser {
 public:
  FusedName Run(std::string_view text) {
    if (const auto profile = TakeNumbered(text, " [profile ", "]")) out_.profile = *profile;
    TakeReformat(text);
    if (TakeRegion(text)) return std::move(out_);
    if (TakeKernelNumber(text)) {
      if (out_.kind == FusedName::Kind::kLayers) out_.kind = FusedName::Kind::kKernel;
      Kernel(text);
      return std::move(out_);
    }
    for (const std::string_view side : SplitOutside(text, " || ")) {
      for (const std::string_view piece : SplitOutside(side, " + ")) Piece(piece);
      ++lane_;
    }
    return std::move(out_);
  }

 private:
  // Reformatting CopyNode for Output Tensor 1 to X
  void TakeReformat(std::string_view& text) {
    constexpr std::string_view kStart = "Reformatting CopyNode for ";
    std::string_view rest = text;
    if (rest.starts_with(kStart)) {
      rest.remove_prefix(kStart.size());
      const bool output = rest.starts_with("Output");
      const std::size_t to = rest.find(" to ");
      if (to == std::string_view::npos) return;
      std::string_view which = rest.substr(0, to);
      if (const auto operand = TakeNumbered(which, " Tensor ")) out_.operand = *operand;
      text = rest.substr(to + 4);
      Serve(output);
      return;
    }
    for (const bool output : {false, true}) {
      rest = text;
      const auto operand =
          TakeNumbered(rest, output ? " output reformatter " : " input reformatter ");
      if (!operand) continue;
      out_.operand = *operand;
      text = rest;
      Serve(output);
      return;
    }
  }
  void Serve(bool output) {
    out_.kind = FusedName::Kind::kReformat;
    out_.output = output;
  }

  // {ForeignNode[first...last]}
  bool TakeRegion(std::string_view text) {
    constexpr std::string_view kStart = "{ForeignNode[";
    constexpr std::string_view kEnd = "]}";
    if (!text.starts_with(kStart) || !text.ends_with(kEnd) ||
        text.size() < kStart.size() + kEnd.size())
      return false;
    text = text.substr(kStart.size(), text.size() - kStart.size() - kEnd.size());
    if (out_.kind == FusedName::Kind::kLayers) out_.kind = FusedName::Kind::kRegion;
    const std::size_t dots = text.find("...");
    Piece(text.substr(0, dots));
    if (dots != std::string_view::npos) Piece(text.substr(dots + 3));
    return true;
  }

  // "/MatMul_2+/MatMul_1" names layers; "__myl_MulSum" and "__mye59_0" do not.
  void Kernel(std::string_view text) {
    constexpr std::string_view kOps = "__myl_";
    if (text.starts_with(kOps)) {
      out_.ops = text.substr(kOps.size());
    } else if (!text.starts_with("__mye")) {
      for (const std::string_view piece : SplitOutside(text, "+")) Piece(piece);
    }
  }

  // PWN(a, PWN(b)) goes inside out by a list of what is open; anything else is one layer.
  void Piece(std::string_view piece) {
    struct Open {
      std::string_view text;
      std::size_t depth;
    };
    std::vector<Open> open = {{piece, 0}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      if (!at.text.starts_with("PWN(") || !at.text.ends_with(')') || at.depth == kMaxNest) {
        Leaf(at.text, at.depth > 0);
        continue;
      }
      const std::string_view inner = at.text.substr(4, at.text.size() - 5);
      std::vector<std::string_view> parts;
      for (const std::string_view listed : SplitOutside(inner, ", "))
        for (const std::string_view part : SplitOutside(listed, " + ")) parts.push_back(part);
      for (std::size_t i = parts.size(); i-- > 0;) open.push_back({parts[i], at.depth + 1});
    }
  }

  void Leaf(std::string_view text, bool pointwise) {
    if (text.empty()) return;
    FusedPart part;
    part.name = text;
    part.kind = pointwise ? FusedPart::Kind::kPointwise : FusedPart::Kind::kLayer;
    part.lane = lane_;
    // What the builder and the importer of ONNX put between layers.
    constexpr std::array<std::string_view, 12> kMadeFor = {
        "reshape_before_",       "reshape_after_",         "transpose_before_",
        "transpose_after_",      "squeeze_after_",         "squeeze_before_",
        "unsqueeze_node_after_", "unsqueeze_after_",       "unsqueeze_before_",
        "copied_squeeze_after_", "copied_reshape_before_", "copied_reshape_after_"};
    for (const std::string_view made : kMadeFor)
      if (text.starts_with(made)) {
        part.kind = FusedPart::Kind::kMade;
        part.of = text.substr(made.size());
      }
    if (text.starts_with("(Unnamed Layer*") || text.starts_with("ONNXTRT_"))
      part.kind = FusedPart::Kind::kMade;
    out_.parts.push_back(std::move(part));
  }

  FusedName out_;
  std::uint32_t lane_ = 0;
};

}  // namespace

FusedName ParseFusedName(std::string_view text) { return NameParser().Run(text); }

std::vector<std::string> OnnxLayersOf(std::string_view metadata) {
  constexpr std::string_view kStart = "[ONNX Layer: ";
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  std::size_t at = metadata.find(kStart);
  while (at != std::string_view::npos) {
    const std::size_t begin = at + kStart.size();
    const std::size_t next = metadata.find(kStart, begin);
    // A name may hold brackets itself: the last one before the next entry or separator ends it.
    std::string_view entry = metadata.substr(
        begin, next == std::string_view::npos ? std::string_view::npos : next - begin);
    if (const std::size_t separator = entry.find_first_of("\x1e\x1f");
        separator != std::string_view::npos)
      entry = entry.substr(0, separator);
    const std::size_t end = entry.rfind(']');
    if (end != std::string_view::npos && seen.insert(entry.substr(0, end)).second)
      names.emplace_back(entry.substr(0, end));
    at = next;
  }
  return names;
}

}  // namespace opscope
