// What of the model a row of TFLite's profiler is.
#pragma once

#include <string_view>

#include "trace/formats/tflite_profile/op_row.h"
#include "trace/runtime_profile.h"

namespace opscope::tflite_profile {

RowOrigin OriginOf(const OpRow& row);
// Of an operator inside a delegate: "Delegate/Add (ND, F32)", with or without its number.
RowOrigin InnerOrigin(std::string_view name);

}  // namespace opscope::tflite_profile
