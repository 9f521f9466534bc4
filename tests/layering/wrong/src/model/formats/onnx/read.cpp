
#include "model/model.h"
#include "ops/op.h"
