#include <boost/json.hpp>
#include <zstd.h>

#include "base/a.h"
#include "model/model.h"
