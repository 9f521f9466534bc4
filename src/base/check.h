// CHECK: a promise of our own code. Always on; no input may reach one (the fuzz targets see to it).
#pragma once

#include "opscope/result.h"

#define CHECK(condition) OPSCOPE_CHECK(condition)
