#include "base/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/source_state.h"
#include "base/spool.h"
#include "base/unpack.h"

namespace opscope {

namespace {

constexpr std::size_t kReadAhead = 64 * 1024;
constexpr std::size_t kFirstAhead = 4 * 1024;
// A .zip of a .gz is common (build artefacts); deeper nests are not.
constexpr int kMaxLayers = 3;

Result<File> OpenFile(const std::string& path) {
  File file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.open()) return file;
  if (errno == ENOENT || errno == ENOTDIR)
    return Error{"input.missing", "no such file; check the name and the current folder", path};
  return Error{"input.unreadable", std::string("cannot open: ") + std::strerror(errno), path};
}

// Reads a pipe, a device or a file of unknown size to its end.
Result<Source> ReadStream(const File& file, const std::string& name) {
  const UnpackLimits limits;
  Spool spool(name, limits.max_bytes, limits.memory_bytes);
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadAhead);
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.get(), kReadAhead);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error{"input.unreadable", std::string("cannot read: ") + std::strerror(errno), name};
    if (count == 0) return spool.Finish(spool.size());
    TRY(spool.Append({buffer.get(), static_cast<std::size_t>(count)}));
  }
}

// "archive.zip!member", where "archive.zip" is a file and the whole text is not.
struct MemberPath {
  std::string archive;
  std::string member;
};

std::optional<MemberPath> SplitMember(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) return std::nullopt;
  for (std::size_t at = path.find('!'); at != std::string::npos; at = path.find('!', at + 1)) {
    MemberPath split{path.substr(0, at), path.substr(at + 1)};
    if (::stat(split.archive.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return split;
  }
  return std::nullopt;
}

Result<Source> OpenMember(const MemberPath& path, const UnpackLimits& limits) {
  TRY_ASSIGN(Source archive, Source::OpenRaw(path.archive));
  TRY_ASSIGN(const std::vector<ZipMember> members, ListZip(archive));
  const auto found = std::find_if(members.begin(), members.end(), [&](const ZipMember& member) {
    return member.name == path.member;
  });
  if (found == members.end())
    return Error{"input.missing", "the archive has no member '" + path.member + "'", path.archive};
  return OpenZipMember(archive, *found, limits);
}

Result<Source> UnpackStream(Source& packed, Packing packing, const UnpackLimits& limits) {
  Spool spool(packed.name(), limits.max_bytes, limits.memory_bytes);
  Result<void> done =
      packing == Packing::kGzip ? UnpackGzip(packed, spool) : UnpackZstd(packed, spool);
  if (done.has_value()) return spool.Finish(packed.stored_bytes());
  if (done.error().code != "input.damaged" || !limits.keep_partial) return std::move(done.error());
  Error damage = std::move(done.error());
  damage.place.erase(0, damage.place.rfind("byte "));
  return spool.Finish(packed.stored_bytes(), std::move(damage));
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Source::Source(std::unique_ptr<State> state) : state_(std::move(state)) {
  if (!state_->file.open()) window_ = state_->bytes;
}
Source::Source(Source&&) noexcept = default;
Source& Source::operator=(Source&&) noexcept = default;
Source::~Source() = default;

Result<Source> Source::OpenRaw(const std::string& path) {
  TRY_ASSIGN(File file, OpenFile(path));
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0)
    return Error{"input.unreadable", std::string("cannot open: ") + std::strerror(errno), path};
  if (S_ISDIR(info.st_mode))
    return Error{"input.directory", "is a folder; name a file in it", path};
  // Standard input may be a file that was read in part; files under /proc say that they are empty.
  const bool random_access = S_ISREG(info.st_mode) && info.st_size > 0 &&
                             (path != "-" || ::lseek(file.get(), 0, SEEK_CUR) == 0);
  if (!random_access) return ReadStream(file, path);
  auto state = std::make_unique<State>();
  state->name = path;
  state->size = static_cast<std::uint64_t>(info.st_size);
  state->stored_bytes = state->size;
  state->file = std::move(file);
  return Source(std::move(state));
}

Result<Source> Source::Open(const std::string& path, const UnpackLimits& limits) {
  if (const auto split = SplitMember(path)) {
    TRY_ASSIGN(Source member, OpenMember(*split, limits));
    return Unpack(std::move(member), limits);
  }
  TRY_ASSIGN(Source file, OpenRaw(path));
  return Unpack(std::move(file), limits);
}

Result<Source> Source::Unpack(Source packed, const UnpackLimits& limits) {
  // The ratio counts from the outermost layer, so that nesting does not multiply it.
  UnpackLimits whole = limits;
  whole.max_bytes = MaxUnpacked(packed.stored_bytes(), limits);
  std::optional<Error> damage;  // of the outermost layer that has any
  for (int layer = 0; layer < kMaxLayers; ++layer) {
    if (!damage) damage = packed.damage();
    TRY_ASSIGN(const Packing packing, PackingOf(packed));
    if (packing == Packing::kNone) break;
    TRY_ASSIGN(packed, packing == Packing::kZip ? UnpackZip(packed, whole)
                                                : UnpackStream(packed, packing, whole));
  }
  if (damage) packed.state_->damage = std::move(damage);
  return packed;
}

Source Source::FromBytes(std::string name, std::string bytes) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  state->size = bytes.size();
  state->stored_bytes = bytes.size();
  state->bytes = std::move(bytes);
  return Source(std::move(state));
}

const std::string& Source::name() const { return state_->name; }
std::string Source::file_name() const {
  return state_->name.substr(state_->name.find_last_of('/') + 1);
}
std::uint64_t Source::size() const { return state_->size; }
std::uint64_t Source::stored_bytes() const { return state_->stored_bytes; }
const std::optional<Error>& Source::damage() const { return state_->damage; }

Result<std::string_view> Source::Window(std::uint64_t offset, std::size_t length) {
  if (offset >= state_->size) return std::string_view();
  length = static_cast<std::size_t>(
      std::min<std::uint64_t>({length, kMaxWindow, state_->size - offset}));
  if (Buffered(offset).size() < length) TRY(Fill(offset, length));
  return Buffered(offset).substr(0, length);
}

Result<void> Source::Fill(std::uint64_t offset, std::size_t length) {
  // A walk that jumps over payloads wants little behind each; one that goes on wants more.
  const bool goes_on = offset >= window_offset_ && offset <= window_offset_ + window_.size();
  state_->ahead = goes_on ? std::min(4 * state_->ahead, kReadAhead) : kFirstAhead;
  const std::size_t wanted = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::max(length, state_->ahead), state_->size - offset));
  const bool oversized = state_->capacity > 16 * kReadAhead && wanted <= kReadAhead;
  if (state_->capacity < wanted || oversized) {
    state_->buffer = std::make_unique_for_overwrite<char[]>(wanted);
    state_->capacity = wanted;
  }
  window_ = {};
  std::size_t have = 0;
  while (have < wanted) {
    const ssize_t count = ::pread(state_->file.get(), state_->buffer.get() + have, wanted - have,
                                  static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error{"input.unreadable", std::string("cannot read: ") + std::strerror(errno),
                   state_->name + ": byte " + std::to_string(offset + have)};
    if (count == 0)
      return Error{"input.damaged", "the file became shorter while it was read",
                   state_->name + ": byte " + std::to_string(offset + have)};
    have += static_cast<std::size_t>(count);
  }
  window_ = {state_->buffer.get(), wanted};
  window_offset_ = offset;
  return {};
}

}  // namespace opscope
