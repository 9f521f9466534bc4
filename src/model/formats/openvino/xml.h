// Internal to the format: XML as a stream of tags, without a tree. Only what an OpenVINO file is
// made of: elements, attributes, text; comments and the declaration are skipped. A document type
// declaration, which could define entities, is refused, and so are other encodings than UTF-8.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

namespace opscope::openvino {

struct XmlEvent {
  enum class Kind : std::uint8_t { kOpen, kClose, kText, kEnd } kind = Kind::kEnd;
  std::string name;  // of the element; the text of kText
  // Views of the file where nothing had to be decoded.
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::uint64_t offset = 0;  // of the tag

  // Nullptr when there is none of that name.
  const std::string_view* Find(std::string_view attribute) const;
};

class XmlReader {
 public:
  // What no genuine file comes near to.
  static constexpr std::size_t kMaxTagBytes = 16 << 20;
  static constexpr std::size_t kMaxAttributes = 256;
  static constexpr std::size_t kMaxDepth = 512;

  explicit XmlReader(Source& source) : source_(source) {}

  // The next open tag, close tag (also of <a/>) or text between tags that is not blank; kEnd behind
  // the root element. Valid until the next call. Error: openvino.xml.
  Result<const XmlEvent*> Next();
  // The text of `<name>text</name>` when that is what comes next, written in this plain way; then
  // it is passed. For the elements that most of a file is made of.
  std::optional<std::string_view> TakePlain(std::string_view name);
  // Skips everything up to the close tag of the element that was opened last.
  Result<void> SkipElement();
  // How far the file was read.
  std::uint64_t offset() const { return at_; }

 private:
  Result<bool> Step();
  Result<std::string_view> Ahead();
  Result<void> ReadTag(std::string_view tag);
  Result<void> ReadAttributes(std::string_view rest);
  Result<void> Open(std::string_view body, bool closed);
  Result<void> Close(std::string_view name);
  Result<void> SkipMarkup(std::string_view rest);
  Result<void> SkipPast(std::string_view end);
  Result<std::string_view> Tag();
  Result<std::string> Decoded(std::string_view text) const;
  Result<std::string_view> Value(std::string_view text);
  Error Damaged(std::string message) const;

  Source& source_;
  XmlEvent event_;
  std::uint64_t at_ = 0;
  std::deque<std::string> decoded_;  // values of attributes that hold entities
  std::vector<std::string> open_;    // names of the elements around
  bool close_next_ = false;          // <a/> was opened and is still to be closed
  bool root_seen_ = false;
};

}  // namespace opscope::openvino
