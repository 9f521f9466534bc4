#include "report/emit/convention_table.h"
#include "report/emit/html_sections.h"

namespace opscope {

void HtmlConvention(const HtmlContext& context, HtmlPage& page) {
  const auto english =
      MakeConventionTable(context.document, context.convention, Language::kEnglish);
  const auto chinese =
      MakeConventionTable(context.document, context.convention, Language::kChinese);
  if (!english || !chinese) return;
  page.Raw("<h2 id=convention>" + HtmlEscaped(context.convention) + "</h2>\n");
  page.Raw("<div class=scroll><table><thead><tr><th scope=col><th class=n scope=col>" +
           HtmlEscaped(english->unit) + "<th class=n scope=col>" + HtmlWord("col.params") +
           "<th scope=col>" + HtmlWord("col.why") + "</thead><tbody>\n");
  for (std::size_t i = 0; i < english->rows.size(); ++i) {
    page.Raw("<tr>");
    for (std::size_t j = 0; j < english->rows[i].size(); ++j)
      page.Raw(std::string(j == 1 || j == 2 ? "<td class=n>" : "<td>") +
               HtmlBoth(english->rows[i][j], chinese->rows[i][j]));
    page.Raw("\n");
  }
  page.Raw("</tbody></table></div>\n");
  for (std::size_t i = 0; i < english->notes.size(); ++i)
    page.Raw("<p class=soft>" + HtmlBoth(english->notes[i], chinese->notes[i]) + "</p>\n");
}

}  // namespace opscope
