// The names of TFLite's builtin operators.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::tflite {

constexpr std::int64_t kCustomCode = 32;  // BuiltinOperator.CUSTOM: named by OperatorCode

// "CONV_2D"; empty for a number that the schema (of 2026) does not have.
std::string_view BuiltinName(std::int64_t code);

}  // namespace opscope::tflite
