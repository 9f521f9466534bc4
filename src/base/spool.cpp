#include "base/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace opscope {

namespace {

// A file without a name: it is gone when the last descriptor is closed, whatever happens to us.
Result<File> OpenUnlinked(const std::string& name) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) folder = "/tmp";
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {  // a file system without O_TMPFILE
    std::string path = folder + "/opscope-XXXXXX";
    file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file >= 0) static_cast<void>(::unlink(path.c_str()));
  }
  if (file >= 0) return File(file);
  return Error{"input.unreadable",
               "cannot make a temporary file in '" + folder + "' to unpack into: " +
                   std::strerror(errno) + "; set TMPDIR to a folder that can be written",
               name};
}

}  // namespace

Spool::Spool(std::string name, std::uint64_t max_bytes, std::size_t memory_bytes)
    : state_(std::make_unique<Source::State>()),
      max_bytes_(max_bytes),
      memory_bytes_(memory_bytes) {
  state_->name = std::move(name);
}

Result<void> Spool::Append(std::string_view bytes) {
  if (bytes.size() > max_bytes_ - state_->size)
    return Error{"input.too-large",
                 "holds more than " + std::to_string(max_bytes_) +
                     " bytes unpacked, the limit for an input of its size; unpack it yourself if "
                     "it is sound",
                 state_->name};
  state_->size += bytes.size();
  if (!state_->file.open() && state_->size > memory_bytes_) TRY(MoveToFile());
  if (state_->file.open()) return WriteToFile(bytes);
  state_->bytes.append(bytes);
  return {};
}

Result<void> Spool::MoveToFile() {
  TRY_ASSIGN(state_->file, OpenUnlinked(state_->name));
  TRY(WriteToFile(state_->bytes));
  state_->bytes = std::string();
  return {};
}

Result<void> Spool::WriteToFile(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(state_->file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return Error{"input.unreadable",
                   std::string("cannot unpack into a temporary file: ") + std::strerror(errno) +
                       "; set TMPDIR to a folder with room",
                   state_->name};
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Source Spool::Finish(std::uint64_t stored_bytes, std::optional<Error> damage) {
  state_->stored_bytes = stored_bytes;
  state_->damage = std::move(damage);
  return Source(std::move(state_));
}

}  // namespace opscope
