#include "base/sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace opscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr const char* kOpenFiles = "/proc/self/fd";

Error Unwritable(const std::string& path, const std::string& why) {
  return {"output.unwritable", "cannot write: " + why, path};
}

Result<void> WriteAll(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Unwritable(path, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Writes everything that `fill` gives.
Result<void> Fill(int file, const std::string& path,
                  const std::function<Result<void>(Sink&)>& fill) {
  Sink sink([&](std::string_view bytes) { return WriteAll(file, bytes, path); });
  TRY(fill(sink));
  return sink.Finish();
}

// Closes the file, which may be the moment when writing turns out to have failed.
Result<void> Close(int file, const std::string& path, Result<void> done) {
  if (::close(file) != 0 && done.has_value()) return Unwritable(path, std::strerror(errno));
  return done;
}

// The file that `path` stands for: a link stays a link, what it points to is replaced.
Result<fs::path> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == kMaxLinks) return Unwritable(path, "too many symbolic links");
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) return Unwritable(path, error.message());
  }
  return target;
}

// Tries names beside `target` until `take` (0 or more: done) does not find one in use; the last
// name goes to `temporary`.
int NameBeside(const fs::path& target, std::string& temporary,
               const std::function<int(const char*)>& take) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::string name =
        ".opscope-" + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp";
    temporary = (target.parent_path() / name).string();
    const int taken = take(temporary.c_str());
    if (taken >= 0 || errno != EEXIST) return taken;
  }
  return -1;
}

// Opens a new file in the folder of `target`. It has no name, so that nothing is left behind when
// the program is killed; `temporary` is its name where the file system has no such files.
int OpenBeside(const fs::path& target, std::string& temporary) {
  constexpr mode_t kMode = 0644;
  temporary.clear();
#ifdef O_TMPFILE
  const fs::path folder = target.parent_path();
  if (::access(kOpenFiles, X_OK) == 0) {
    const int nameless =
        ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    if (nameless >= 0) return nameless;
  }
#endif
  return NameBeside(target, temporary, [](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  });
}

// Gives a name to a file that has none.
int GiveName(int file, const fs::path& target, std::string& temporary) {
  if (!temporary.empty()) return 0;
  const std::string self = std::string(kOpenFiles) + "/" + std::to_string(file);
  const int named = NameBeside(target, temporary, [&](const char* name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
  if (named < 0) temporary.clear();
  return named;
}

}  // namespace

Sink::Sink(std::string& out)
    : write_([&out](std::string_view bytes) {
        out.append(bytes);
        return Result<void>();
      }) {}

void Sink::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) Flush();
  if (bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
  } else if (state_.has_value()) {
    state_ = write_(bytes);
  }
}

void Sink::Flush() {
  if (state_.has_value() && !buffer_.empty()) state_ = write_(buffer_);
  buffer_.clear();
}

Result<void> Sink::Finish() {
  Flush();
  return state_;
}

Result<void> WriteFileAtomically(const std::string& path,
                                 const std::function<Result<void>(Sink&)>& fill) {
  TRY_ASSIGN(const fs::path target, FollowLinks(path));
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return Unwritable(path, "it is a directory");
  if (exists && ::access(target.c_str(), W_OK) != 0) return Unwritable(path, std::strerror(errno));
  // A device or a pipe has no content to protect, and must not be replaced by a file.
  if (exists && !S_ISREG(old.st_mode)) {
    const int file = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return Unwritable(path, std::strerror(errno));
    return Close(file, path, Fill(file, path, fill));
  }
  std::string temporary;
  const int file = OpenBeside(target, temporary);
  if (file < 0) return Unwritable(path, std::strerror(errno));
  if (exists) static_cast<void>(::fchmod(file, old.st_mode & 0777));
  Result<void> done = Fill(file, path, fill);
  if (done.has_value() && GiveName(file, target, temporary) != 0)
    done = Unwritable(path, std::strerror(errno));
  done = Close(file, path, std::move(done));
  if (done.has_value() && std::rename(temporary.c_str(), target.c_str()) != 0)
    done = Unwritable(path, std::strerror(errno));
  if (!done.has_value() && !temporary.empty()) static_cast<void>(::unlink(temporary.c_str()));
  return done;
}

}  // namespace opscope
