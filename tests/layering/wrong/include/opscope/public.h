#include <zlib.h>

#include <string>

#include "base/x.h"
