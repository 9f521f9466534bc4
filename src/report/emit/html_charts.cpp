#include "report/emit/html_charts.h"

#include <algorithm>
#include <cmath>

#include "document/format.h"
#include "report/emit/html_page.h"
#include "report/emit/html_style.h"

namespace opscope {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadius = 100;

// A point of the circle, `turn` of the way round from the top.
std::string PointAt(double turn, double radius) {
  const double angle = 2 * kPi * turn;
  return FormatFixed(radius * std::sin(angle), 2) + " " + FormatFixed(-radius * std::cos(angle), 2);
}

std::string SlicePath(double from, double to) {
  if (to - from > 0.9999) return "<circle r=\"" + FormatFixed(kRadius, 0) + "\"/>";
  const std::string radius = FormatFixed(kRadius, 0);
  return "<path d=\"M0 0L" + PointAt(from, kRadius) + "A" + radius + " " + radius + " 0 " +
         (to - from > 0.5 ? "1" : "0") + " 1 " + PointAt(to, kRadius) + "Z\"/>";
}

std::string Mark(const std::string& mark, double middle) {
  const double angle = 2 * kPi * middle;
  const double distance = kRadius * 0.76;
  return "<text class=on x=\"" + FormatFixed(distance * std::sin(angle), 1) + "\" y=\"" +
         FormatFixed(4 - distance * std::cos(angle), 1) + "\">" + HtmlEscaped(mark) + "</text>";
}

std::string Segment(std::string_view css, std::string_view id, double share,
                    const std::string& time) {
  if (share <= 0) return {};
  std::string text;
  if (share > 0.12) text = HtmlWord(id) + " " + time;
  return "<span class=" + std::string(css) + " style=\"flex:" + FormatFixed(share * 100, 3) +
         " 1 0\">" + text + "</span>";
}

}  // namespace

std::string PieSvg(const std::vector<PieSlice>& slices, std::string_view label) {
  std::string shapes;
  std::string marks;
  double turn = 0;
  for (const PieSlice& slice : slices) {
    if (slice.share <= 0) continue;
    const double to = std::min(1.0, turn + slice.share);
    shapes += "<g class=" + slice.css + ">" + SlicePath(turn, to) + "</g>";
    if (slice.share >= 0.04) marks += Mark(slice.mark, (turn + to) / 2);
    turn = to;
  }
  return "<svg viewBox=\"-104 -104 208 208\" width=\"240\" role=\"img\" aria-label=\"" +
         HtmlEscaped(label) + "\"><g stroke=\"var(--bg)\" stroke-width=\"1.5\">" + shapes +
         "</g><g stroke=\"var(--bg)\" stroke-width=\"4\" paint-order=\"stroke\">" + marks +
         "</g></svg>";
}

std::string BalanceStrip(const Balance& balance) {
  const TimeUnit unit = TimeUnitFor(balance.wall * balance.unit_ns);
  const auto time = [&](std::int64_t value) {
    return TimeIn(unit, value * balance.unit_ns) + " " + std::string(unit.name);
  };
  return "<div class=strip aria-hidden=true>" +
         Segment("layers", "balance.layers", balance.layers_share, time(balance.layers)) +
         Segment("runtime", "balance.runtime", balance.runtime_share, time(balance.runtime)) +
         Segment("unmatched", "balance.unmatched", balance.unmatched_share,
                 time(balance.unmatched)) +
         Segment("gap", "balance.gaps", balance.gap_share, time(balance.gap)) + "</div>\n";
}

std::string SamplesSvg(const std::vector<std::int64_t>& samples, std::int64_t median) {
  constexpr double kWidth = 720, kHeight = 120, kLeft = 84, kBottom = 18, kTop = 10;
  constexpr std::size_t kMostDots = 2000;
  if (samples.size() < 2) return {};
  const auto ends = std::minmax_element(samples.begin(), samples.end());
  const auto low = ends.first, high = ends.second;  // clang 14 captures no bindings
  const double span = std::max<double>(1, static_cast<double>(*high) - static_cast<double>(*low));
  const auto y = [&](std::int64_t value) {
    const double part = (static_cast<double>(value) - static_cast<double>(*low)) / span;
    return FormatFixed(kHeight - kBottom - part * (kHeight - kBottom - kTop), 1);
  };
  std::string out = "<svg viewBox=\"0 0 720 120\" width=\"720\" role=\"img\" aria-label=\"" +
                    HtmlEscaped(FormatTime(*low) + " .. " + FormatTime(*high)) + "\">";
  const auto line = [&](std::int64_t value, std::string_view style) {
    out += "<line x1=\"84\" x2=\"716\" y1=\"" + y(value) + "\" y2=\"" + y(value) + "\" stroke=\"" +
           std::string(style) + "\"/><text x=\"78\" dy=\"4\" text-anchor=\"end\" y=\"" + y(value) +
           "\">" + FormatTime(value) + "</text>";
  };
  line(*high, "var(--line)");
  line(*low, "var(--line)");
  const double middle = (static_cast<double>(median) - static_cast<double>(*low)) / span;
  if (middle > 0.16 && middle < 0.84) line(median, "var(--accent)");
  const std::size_t step = (samples.size() + kMostDots - 1) / kMostDots;
  for (std::size_t i = 0; i < samples.size(); i += step) {
    const double x =
        kLeft + 6 +
        (kWidth - kLeft - 14) * static_cast<double>(i) / static_cast<double>(samples.size() - 1);
    out += "<circle class=c0 r=\"2.4\" cx=\"" + FormatFixed(x, 1) + "\" cy=\"" + y(samples[i]) +
           "\"/>";
  }
  return out + "<text x=\"84\" y=\"117\">1</text><text x=\"716\" y=\"117\" text-anchor=\"end\">" +
         FormatInteger(static_cast<Int128>(samples.size())) + "</text></svg>\n";
}

std::string BarHtml(double share, double largest, std::string_view css) {
  if (share <= 0 || largest <= 0) return {};
  return "<span class=\"bar " + std::string(css) +
         "\" style=\"width:" + FormatFixed(std::min(1.0, share / largest) * 100, 1) + "%\"></span>";
}

int HeatStep(double value, double largest) {
  if (!(value > 0) || !(largest > 0)) return 0;
  const int step = static_cast<int>(std::sqrt(std::min(1.0, value / largest)) * kHeatSteps);
  return std::min(step, kHeatSteps - 1);
}

double HeatBound(int step, double largest) {
  const double part = static_cast<double>(step) / kHeatSteps;
  return part * part * largest;
}

}  // namespace opscope
