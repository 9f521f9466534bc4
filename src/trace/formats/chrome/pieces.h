// Where events begin in the text of a trace, without reading it as JSON.
#pragma once

#include <cstddef>
#include <string_view>

namespace opscope::chrome {

// The place of a `{` that looks like the first byte of an event: behind a comma or the bracket of
// the list, and before a key that events have. npos when there is none. An object inside the
// arguments may look the same: whoever cuts here checks that whole events came out.
std::size_t FindEvent(std::string_view text, std::size_t from);
// The last one that stands behind an event and its comma.
std::size_t FindLastEvent(std::string_view text);

}  // namespace opscope::chrome
