// The style sheet of the HTML report.
#pragma once

#include <string_view>

namespace opscope {

// Colours of the heat map (steps h0 .. h9, darker = more on a light page) and of the op types
// (c0 .. c7): monotone in lightness, text on them has a contrast of at least 4.5.
std::string_view HtmlStyle();

inline constexpr int kHeatSteps = 10;
inline constexpr int kTypeColours = 7;  // the eighth is for all other ops

}  // namespace opscope
