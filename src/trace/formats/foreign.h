// What a file that no trace reader knows is: recorders write files that only they can read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opscope {

// One sentence: what the file is, and the command that makes one that is read; empty: not known.
// `prefix` = its first bytes, `file` its name.
std::string DescribeForeignTrace(std::string_view prefix, std::string_view file);

}  // namespace opscope
