#include "cost/conventions/tables.h"

namespace opscope {

namespace {

// A new convention is a line here.
constexpr std::array kConventions = {&kThop,  &kPtflops,  &kPtflopsAten, &kFvcore,
                                     &kTorch, &kCalflops, &kOnnxTool,    &kOmz};

}  // namespace

std::span<const Convention* const> Conventions() { return kConventions; }

const Convention* FindConvention(std::string_view id) {
  for (const Convention* convention : kConventions)
    if (convention->id == id) return convention;
  return nullptr;
}

std::string ConventionNames() {
  std::string out;
  for (const Convention* convention : kConventions)
    out += (out.empty() ? "" : ", ") + std::string(convention->id);
  return out;
}

}  // namespace opscope
