#include "cost/local.h"
#include "model/formats/format.h"
#include "ops/op.h"
#include "trace/trace.h"
