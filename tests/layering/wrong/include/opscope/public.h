#include <simdjson.h>

#include <string>

#include "base/x.h"
