// The parts of the HTML report, in the order in which they stand.
#pragma once

#include <cstdint>

#include "opscope/document.h"
#include "report/emit/html_page.h"
#include "report/emit/view.h"

namespace opscope {

// What every part looks at.
struct HtmlContext {
  const doc::Document& document;
  const View& view;
  std::size_t top = 10;
  std::uint64_t max_bytes = 0;
  std::string_view convention = {};  // of another tool that is shown
};

void HtmlVerdict(const HtmlContext& context, HtmlPage& page);
void HtmlBalance(const HtmlContext& context, HtmlPage& page);
void HtmlHotRows(const HtmlContext& context, HtmlPage& page);
void HtmlTypes(const HtmlContext& context, HtmlPage& page);
// Devices, steps, gaps, copies, kernels of a trace; nothing without one.
void HtmlTimeline(const HtmlContext& context, HtmlPage& page);
void HtmlStability(const HtmlContext& context, HtmlPage& page);
void HtmlConditions(const HtmlContext& context, HtmlPage& page);
void HtmlModel(const HtmlContext& context, HtmlPage& page);
void HtmlCost(const HtmlContext& context, HtmlPage& page);
// What another tool would print, where that was asked for.
void HtmlConvention(const HtmlContext& context, HtmlPage& page);
// As many layers as the size allows, the hottest ones first chosen, in graph order.
void HtmlLayers(const HtmlContext& context, HtmlPage& page);
void HtmlOtherRows(const HtmlContext& context, HtmlPage& page);
void HtmlQuality(const HtmlContext& context, HtmlPage& page);
void HtmlGlossary(const HtmlContext& context, HtmlPage& page);

}  // namespace opscope
