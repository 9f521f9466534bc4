#include <protozero/pbf_reader.hpp>

#include "model/model.h"
#include "ops/op.h"
