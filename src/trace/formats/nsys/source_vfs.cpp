#include "trace/formats/nsys/source_vfs.h"

#include <algorithm>
#include <cstring>

namespace opscope::nsys {

namespace {

constexpr std::size_t kHeaderBytes = 100;

std::uint64_t BigEndian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Page size (2 bytes at 16; 1 = 65,536) times number of pages (4 bytes at 28).
std::uint64_t ClaimedSize(Source& source) {
  const auto header = source.Window(0, kHeaderBytes);
  if (!header.has_value() || header->size() < kHeaderBytes) return source.size();
  const std::uint64_t page = BigEndian(*header, 16, 2);
  return std::max(source.size(), (page == 1 ? 65536 : page) * BigEndian(*header, 28, 4));
}

int Ok(sqlite3_file*) { return SQLITE_OK; }
int OkLock(sqlite3_file*, int) { return SQLITE_OK; }
int NoReservedLock(sqlite3_file*, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}
int NoWrite(sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; }
int NoTruncate(sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; }
int NoControl(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file*) { return 512; }
int NeverChanges(sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; }

int NoDelete(sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; }
int NothingBeside(sqlite3_vfs*, const char*, int, int* found) {
  *found = 0;
  return SQLITE_OK;
}
int SameName(sqlite3_vfs*, const char* name, int length, char* out) {
  sqlite3_snprintf(length, out, "%s", name);
  return SQLITE_OK;
}
int NoRandomness(sqlite3_vfs*, int length, char* out) {
  std::memset(out, 0, static_cast<std::size_t>(length));
  return length;
}
int NoSleep(sqlite3_vfs*, int micros) { return micros; }
int NoTime(sqlite3_vfs*, double* time) {
  *time = 0;
  return SQLITE_OK;
}
int NoLastError(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

struct SourceVfs::File {
  sqlite3_file base;
  SourceVfs* vfs;
};

const sqlite3_io_methods SourceVfs::kMethods = {1,
                                                &Ok,
                                                &SourceVfs::ReadAt,
                                                &NoWrite,
                                                &NoTruncate,
                                                &OkLock /* sync */,
                                                &Size,
                                                &OkLock,
                                                &OkLock,
                                                &NoReservedLock,
                                                &NoControl,
                                                &SectorSize,
                                                &NeverChanges,
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                nullptr};

SourceVfs::SourceVfs(Source& source) : source_(&source), claimed_size_(ClaimedSize(source)) {
  char name[32];
  sqlite3_snprintf(sizeof(name), name, "opscope-%p", static_cast<void*>(this));
  name_ = name;
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(File);
  vfs_.mxPathname = 512;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = &SourceVfs::Open;
  vfs_.xDelete = &NoDelete;
  vfs_.xAccess = &NothingBeside;
  vfs_.xFullPathname = &SameName;
  vfs_.xRandomness = &NoRandomness;
  vfs_.xSleep = &NoSleep;
  vfs_.xCurrentTime = &NoTime;
  vfs_.xGetLastError = &NoLastError;
  sqlite3_vfs_register(&vfs_, 0);
}

SourceVfs::~SourceVfs() { sqlite3_vfs_unregister(&vfs_); }

int SourceVfs::Open(sqlite3_vfs* vfs, const char* /*name*/, sqlite3_file* file, int flags,
                    int* out) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
  auto* opened = reinterpret_cast<File*>(file);
  opened->vfs = static_cast<SourceVfs*>(vfs->pAppData);
  file->pMethods = &kMethods;
  if (out != nullptr) *out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int SourceVfs::ReadAt(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
  // Bytes 18 and 19 of the header: 2 = the file has a write-ahead log, 1 = it has none.
  constexpr sqlite3_int64 kLogMark = 18;
  Source& source = *reinterpret_cast<File*>(file)->vfs->source_;
  auto* bytes = static_cast<char*>(to);
  const auto wanted = static_cast<std::size_t>(amount);
  std::size_t have = 0;
  if (static_cast<std::uint64_t>(offset) < source.size()) {
    const auto window = source.Window(static_cast<std::uint64_t>(offset), wanted);
    if (!window.has_value()) return SQLITE_IOERR_READ;
    have = window->size();
    std::memcpy(bytes, window->data(), have);
  }
  for (sqlite3_int64 at = kLogMark; at < kLogMark + 2; ++at)
    if (at >= offset && at < offset + static_cast<sqlite3_int64>(have) && bytes[at - offset] == 2)
      bytes[at - offset] = 1;
  if (have == wanted) return SQLITE_OK;
  std::memset(bytes + have, 0, wanted - have);
  return SQLITE_IOERR_SHORT_READ;
}

int SourceVfs::Size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(reinterpret_cast<File*>(file)->vfs->claimed_size_);
  return SQLITE_OK;
}

}  // namespace opscope::nsys
