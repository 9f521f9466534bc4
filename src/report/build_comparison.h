// From two analysed models to the comparison of the Document.
#pragma once

#include "cost/static_analysis.h"
#include "opscope/document.h"

namespace opscope {

struct ComparedModel {
  Model* model;
  const StaticAnalysis* analysis;
  doc::Model shown;
};

doc::Comparison BuildComparison(ComparedModel a, ComparedModel b);

}  // namespace opscope
