// Internal to the format: attributes, shapes and names as they are spelt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace opscope::openvino {

// "1, 1" -> integers, "0.5" -> a float, "true" -> 1, "f32" under "…_type" -> "float32"; else text.
AttributeValue ValueOf(std::string_view key, const std::string& text);

// "1,3,?,224", "1,1..10,8" of a constant or parameter: -1 and ranges stand for dims that are not
// fixed. Nullopt for an unknown rank ("..."); an error when it is none of these.
Result<std::optional<std::vector<std::int64_t>>> DimsOf(std::string_view text,
                                                        std::uint64_t offset);

// The first of the names of a port: "a\,b,c" -> "a,b".
std::string FirstName(std::string_view names);

}  // namespace opscope::openvino
