// From a measurement to the report: conditions and the timing run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/measure.h"
#include "opscope/document.h"
#include "opscope/requests.h"

namespace opscope {

doc::Conditions BuildConditions(const Measurement& measured, const RunOptions& options);
doc::Run BuildTimingRun(const Measurement& measured, std::int64_t id);
// Warnings and failed phases of a measurement that went on.
void AddMeasurementQuality(const Measurement& measured, std::vector<doc::DataQuality>& out);

}  // namespace opscope
