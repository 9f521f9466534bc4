#include <CLI/CLI.hpp>

#include "app/analyze.h"
#include "verbs.h"
