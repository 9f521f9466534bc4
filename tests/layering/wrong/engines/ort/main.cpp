#include <dlfcn.h>

#include "base/a.h"
#include "engine/client.h"
