// PyTorch's zip archives: members below one folder, tensors stored as they are, so that they can
// be referred to by their place in the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace opscope::aten {

class Archive {
 public:
  // Errors: those of ListZip, and "input.damaged" for members that lie over each other.
  static Result<Archive> Open(Source& file);

  // Members by their name without the archive's own folder: "data/weights/weight_0".
  const ZipMember* Find(std::string_view name) const;
  // The names that begin so, in order.
  std::vector<std::string_view> Names(std::string_view prefix) const;
  const std::string& folder() const { return folder_; }  // "resnet18/" or empty
  bool little_endian() const { return little_endian_; }

  // A member's bytes as a source of their own, unpacked where they are packed.
  Result<Source> Read(const ZipMember& member) const;
  Result<std::string> Text(const ZipMember& member, std::size_t max) const;
  // Where the bytes of a stored member begin; an error for a packed one.
  Result<std::uint64_t> Offset(const ZipMember& member) const;

 private:
  explicit Archive(Source& file) : file_(&file) {}
  Source* file_;
  std::string folder_;
  bool little_endian_ = true;
  std::map<std::string, ZipMember, std::less<>> members_;
};

// The names of the members whose headers lie in `prefix`, the first bytes of a zip file: what its
// kind is told by.
std::vector<std::string_view> LeadingNames(std::string_view prefix);

}  // namespace opscope::aten
