#include "model/aten/archive.h"

#include <algorithm>
#include <utility>

#include "base/import_log.h"
#include "base/text.h"

namespace opscope::aten {

namespace {

constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kMaxLeading = 64;

std::uint64_t Number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// What a member takes at least: its header, its name (there twice, once in the directory), its
// bytes.
Result<void> CheckOverlaps(std::vector<const ZipMember*> members) {
  std::sort(members.begin(), members.end(), [](const ZipMember* a, const ZipMember* b) {
    return a->header_offset < b->header_offset;
  });
  for (std::size_t i = 1; i < members.size(); ++i) {
    const ZipMember& before = *members[i - 1];
    const std::uint64_t room = members[i]->header_offset - before.header_offset;
    if (room < kLocalBytes + before.name.size() ||
        room - kLocalBytes - before.name.size() < before.packed_bytes)
      return Error{"input.damaged",
                   "zip archive: \"" + Printable(before.name) + "\" and \"" +
                       Printable(members[i]->name) + "\" lie over each other",
                   AtByte(members[i]->header_offset)};
  }
  return {};
}

}  // namespace

Result<Archive> Archive::Open(Source& file) {
  TRY_ASSIGN(std::vector<ZipMember> members, ListZip(file));
  Archive archive(file);
  std::vector<const ZipMember*> all;
  for (const ZipMember& member : members) all.push_back(&member);
  TRY(CheckOverlaps(std::move(all)));
  if (!members.empty()) {
    const std::string& first = members.front().name;
    archive.folder_ = first.substr(0, std::min(first.find('/'), first.size() - 1) + 1);
    if (!archive.folder_.ends_with('/')) archive.folder_.clear();
    for (const ZipMember& member : members)
      if (!member.name.starts_with(archive.folder_)) archive.folder_.clear();
  }
  for (ZipMember& member : members) {
    std::string name = member.name.substr(archive.folder_.size());
    archive.members_.emplace(std::move(name), std::move(member));
  }
  if (const ZipMember* order = archive.Find("byteorder")) {
    TRY_ASSIGN(const std::string text, archive.Text(*order, 16));
    archive.little_endian_ = text != "big";
  }
  return archive;
}

const ZipMember* Archive::Find(std::string_view name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Archive::Names(std::string_view prefix) const {
  std::vector<std::string_view> names;
  for (auto at = members_.lower_bound(prefix);
       at != members_.end() && at->first.starts_with(prefix); ++at)
    names.push_back(at->first);
  return names;
}

Result<Source> Archive::Read(const ZipMember& member) const {
  return OpenZipMember(*file_, member);
}

Result<std::string> Archive::Text(const ZipMember& member, std::size_t max) const {
  if (member.unpacked_bytes > max)
    return Error{"input.too-large",
                 "\"" + Printable(member.name) + "\" has " + std::to_string(member.unpacked_bytes) +
                     " bytes, at most " + std::to_string(max) + " are read",
                 AtByte(member.header_offset)};
  TRY_ASSIGN(Source source, Read(member));
  TRY_ASSIGN(const std::string_view text,
             source.Window(0, static_cast<std::size_t>(source.size())));
  return std::string(text);
}

Result<std::uint64_t> Archive::Offset(const ZipMember& member) const {
  TRY_ASSIGN(const std::string_view header, file_->Window(member.header_offset, kLocalBytes));
  if (header.size() != kLocalBytes || !header.starts_with("PK\x03\x04"))
    return Error{"input.damaged", "zip archive: no file header where it should be",
                 AtByte(member.header_offset)};
  const std::uint64_t begin =
      member.header_offset + kLocalBytes + Number(header, 26, 2) + Number(header, 28, 2);
  if (member.method != 0 || member.encrypted)
    return Error{"input.archive",
                 "\"" + Printable(member.name) + "\" is packed; PyTorch stores tensors as they are",
                 AtByte(member.header_offset)};
  if (begin > file_->size() || member.unpacked_bytes > file_->size() - begin)
    return Error{"input.damaged", "zip archive: a file lies outside the archive",
                 AtByte(member.header_offset)};
  return begin;
}

std::vector<std::string_view> LeadingNames(std::string_view prefix) {
  std::vector<std::string_view> names;
  while (prefix.size() > kLocalBytes && prefix.starts_with("PK\x03\x04") &&
         names.size() < kMaxLeading) {
    const auto name = static_cast<std::size_t>(Number(prefix, 26, 2));
    const std::uint64_t skip = kLocalBytes + name + Number(prefix, 28, 2) + Number(prefix, 18, 4);
    if (name > prefix.size() - kLocalBytes) break;
    names.push_back(prefix.substr(kLocalBytes, name));
    if (skip >= prefix.size() || (Number(prefix, 6, 2) & 8) != 0) break;
    prefix.remove_prefix(static_cast<std::size_t>(skip));
  }
  return names;
}

}  // namespace opscope::aten
