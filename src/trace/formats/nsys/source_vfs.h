// SQLite's view of a Source: one file that is read and never written, and no other file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

#include "base/source.h"

namespace opscope::nsys {

// Registered under a name of its own while it lives; a database opened through it has to be closed
// first. Compressed inputs work like any other, nothing is looked for beside the input (no journal,
// no write-ahead log), and a database that expects a log is shown as one that does not.
class SourceVfs {
 public:
  explicit SourceVfs(Source& source);
  ~SourceVfs();
  SourceVfs(const SourceVfs&) = delete;
  SourceVfs& operator=(const SourceVfs&) = delete;

  const char* name() const { return name_.c_str(); }
  // What the header says the file should hold; at least what it does hold. A cut file is shown with
  // its full length, zeros behind the cut, so that what stands before it can be read.
  std::uint64_t claimed_size() const { return claimed_size_; }

 private:
  struct File;
  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out);
  static int ReadAt(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset);
  static int Size(sqlite3_file* file, sqlite3_int64* size);
  static const sqlite3_io_methods kMethods;

  Source* source_;
  std::uint64_t claimed_size_ = 0;
  std::string name_;
  sqlite3_vfs vfs_ = {};
};

}  // namespace opscope::nsys
