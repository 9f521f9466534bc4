#include <zlib.h>

#include <vector>

#include "cost/totals.h"
#include "opscope/document.h"
