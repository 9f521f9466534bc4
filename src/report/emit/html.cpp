#include "report/emit/html.h"

#include "document/messages.h"
#include "report/emit/comparison.h"
#include "report/emit/html_page.h"
#include "report/emit/html_sections.h"
#include "report/emit/summary.h"
#include "report/emit/view.h"

namespace opscope {
namespace {

std::string TitleOf(const doc::Document& document, const View& view) {
  if (document.comparison) return document.comparison->a + " -> " + document.comparison->b;
  if (document.model) return document.model->file;
  if (view.profile != nullptr && view.profile->file) return *view.profile->file;
  return "opscope";
}

// Links to the parts that there are.
void Navigation(const doc::Document& document, const View& view, HtmlPage& page) {
  const auto link = [&page](std::string_view anchor, std::string_view id) {
    page.Raw("<a href=\"#" + std::string(anchor) + "\">" + HtmlWord(id) + "</a>\n");
  };
  page.Raw("<nav><strong>opscope</strong>\n");
  if (view.measured && !view.rows.empty())
    link("hot", view.by_layer.empty() ? "head.hot-rows" : "head.hot-layers");
  if (!view.by_layer.empty()) link("layers", "head.layers");
  if (document.conditions) link("conditions", "head.conditions");
  if (document.static_part) link("cost", "head.totals");
  link("quality", "head.quality");
  link("glossary", "head.glossary");
  page.Raw(
      "<span class=pick><label for=en lang=\"\">English</label>"
      "<label for=zh lang=\"\">中文</label></span></nav>\n<main>\n");
}

void Title(const doc::Document& document, const View& view, HtmlPage& page) {
  page.Raw("<h1>" + HtmlEscaped(TitleOf(document, view)) + "</h1>\n<p class=soft>");
  if (document.model) {
    page.Raw(HtmlEscaped(FormatLine(*document.model)));
    const std::string inputs = InputsLine(document);
    if (!inputs.empty()) page.Raw(", " + HtmlEscaped(inputs));
  } else if (view.profile != nullptr && view.profile->format) {
    page.Raw(HtmlEscaped(*view.profile->format));
  }
  const std::string engine = EngineLine(document, Language::kEnglish);
  if (!engine.empty())
    page.Raw(" &nbsp;|&nbsp; " + HtmlBoth(engine, EngineLine(document, Language::kChinese)));
  page.Raw("</p>\n");
  for (const doc::Text& text : document.assumptions)
    page.Raw("<p><span class=\"tag warn\">" + HtmlWord("html.assumed") + "</span> " +
             HtmlBoth(Render(text, Language::kEnglish), Render(text, Language::kChinese)) +
             "</p>\n");
}

void Footer(const doc::Tool& tool, HtmlPage& page) {
  page.Raw("<footer>" + HtmlEscaped(tool.name + " " + tool.version) + "</footer>\n");
  page.End();
}

void Comparison(const doc::Comparison& comparison, HtmlPage& page) {
  constexpr std::size_t kMostRows = 500;  // a table; the JSON and CSV reports hold all
  page.Raw("<p><strong>" +
           HtmlBoth(ComparisonVerdict(comparison, Language::kEnglish),
                    ComparisonVerdict(comparison, Language::kChinese)) +
           "</strong></p>\n");
  const std::vector<std::string> settings = ComparisonSettings(comparison, Language::kEnglish);
  if (!settings.empty()) {
    page.Heading("settings", "head.settings");
    page.Raw("<ul>\n");
    for (const std::string& line : settings) page.Raw("<li>" + HtmlEscaped(line) + "\n");
    page.Raw("</ul>\n");
  }
  const auto english = ComparisonTables(comparison, kMostRows, true, Language::kEnglish);
  const auto chinese = ComparisonTables(comparison, kMostRows, true, Language::kChinese);
  for (std::size_t i = 0; i < english.size(); ++i) page.Table(english[i], chinese[i]);
  page.Raw("<p class=soft>" + HtmlWord("compare.note") + "</p>\n");
}

void EmitComparison(const HtmlContext& context, const EmitOptions& options, HtmlPage& page) {
  const std::string title = TitleOf(context.document, context.view);
  page.Begin(title, options.language);
  page.Raw(
      "<nav><strong>opscope</strong><span class=pick><label for=en lang=\"\">English</label>"
      "<label for=zh lang=\"\">中文</label></span></nav>\n<main>\n<h1>" +
      HtmlEscaped(title) + "</h1>\n");
  Comparison(*context.document.comparison, page);
  HtmlQuality(context, page);
  Footer(context.document.tool, page);
}

}  // namespace

Result<void> EmitHtml(const doc::Document& document, const EmitOptions& options, Sink& sink) {
  const View view = MakeView(document);
  HtmlPage page(sink);
  const HtmlContext context{document, view, options.top, options.max_report_bytes,
                            options.convention};
  if (document.comparison) {
    EmitComparison(context, options, page);
    return {};
  }
  page.Begin(TitleOf(document, view), options.language);
  Navigation(document, view, page);
  Title(document, view, page);
  HtmlVerdict(context, page);
  HtmlBalance(context, page);
  HtmlHotRows(context, page);
  HtmlTypes(context, page);
  HtmlTimeline(context, page);
  HtmlConditions(context, page);
  HtmlStability(context, page);
  HtmlModel(context, page);
  HtmlCost(context, page);
  HtmlConvention(context, page);
  HtmlLayers(context, page);
  HtmlOtherRows(context, page);
  HtmlQuality(context, page);
  HtmlGlossary(context, page);
  Footer(document.tool, page);
  return {};
}

Result<void> EmitHtmlAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink) {
  HtmlPage page(sink);
  page.Begin("models", options.language);
  page.Raw(
      "<nav><strong>opscope</strong><span class=pick><label for=en lang=\"\">English</label>"
      "<label for=zh lang=\"\">中文</label></span></nav>\n<main>\n<h1>opscope</h1>\n");
  ShownTable english{{}, SummaryColumns(Language::kEnglish), {}};
  ShownTable chinese{{}, SummaryColumns(Language::kChinese), {}};
  for (const doc::Document& document : reports.reports) {
    english.rows.push_back(SummaryCells(document, Language::kEnglish));
    chinese.rows.push_back(SummaryCells(document, Language::kChinese));
  }
  page.Table(english, chinese);
  page.Raw("<ul>\n");
  for (const doc::Failure& failure : reports.failed)
    page.Raw("<li>" +
             HtmlPhrase("line.failed", {{"file", failure.file}, {"why", failure.message}}) + "\n");
  page.Raw("</ul>\n");
  Footer(reports.reports.empty() ? doc::Tool() : reports.reports.front().tool, page);
  return {};
}

}  // namespace opscope
