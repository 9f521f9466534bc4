// What a file that no reader knows looks like: people hand in pointers, pages and other formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opscope {

// One sentence: what the file is and what to do. `prefix` = its first bytes, `size` of all of it.
std::string DescribeForeign(std::string_view prefix, std::uint64_t size);

}  // namespace opscope
