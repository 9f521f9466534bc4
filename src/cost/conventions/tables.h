// The conventions, a file each.
#pragma once

#include "cost/conventions/convention.h"

namespace opscope {

extern const Convention kThop;
extern const Convention kPtflops, kPtflopsAten;
extern const Convention kFvcore;
extern const Convention kTorch;
extern const Convention kCalflops;
extern const Convention kOnnxTool;
extern const Convention kOmz;

}  // namespace opscope
