#include <boost/json.hpp>
#include <protozero/x.hpp>

#include "base/a.h"
#include "model/model.h"
