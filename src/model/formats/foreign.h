// What a file that no reader knows looks like: people hand in pointers, pages and other formats.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// The first bytes of a file (64 KiB at most), the size of all of it, and its name, which decides
// only where the content has no mark of its own.
struct FileLook {
  std::string_view prefix;
  std::uint64_t size = 0;
  std::string name = {};
};

// A model format that is told apart and not read.
struct ForeignFormat {
  std::string_view id;       // "tf-graph"
  std::string_view title;    // "TensorFlow graph"
  std::string_view endings;  // ".pb"
  std::string_view way;      // how to come to something that is read
  bool (*is)(const FileLook& look);
};

// In order of precedence.
std::span<const ForeignFormat> ForeignFormats();

// nullptr: it is none of them.
const ForeignFormat* FindForeign(const FileLook& look);
// One sentence: what the file is and what to do.
std::string DescribeForeign(const FileLook& look);
// The same of a folder by the names in it; empty when nothing is known of it.
std::string DescribeForeignFolder(const std::vector<std::string>& names);

}  // namespace opscope
