#include <zstd.h>

#include <boost/json.hpp>

#include "base/a.h"
#include "model/model.h"
