#include "document/messages.h"
#include "report/emit/html_sections.h"
#include "report/emit/timeline_tables.h"

namespace opscope {

namespace {

std::string ClassOf(const FittedColumn& column) {
  return column.align == Align::kRight ? " class=n>" : " class=w>";
}

// Both languages have the same rows and columns; a cell that reads the same stands once.
void TableHtml(const ShownTable& english, const ShownTable& chinese, HtmlPage& page) {
  page.Raw("<div class=scroll><table><thead><tr>");
  for (std::size_t i = 0; i < english.columns.size(); ++i)
    page.Raw("<th scope=col" + ClassOf(english.columns[i]) +
             HtmlBoth(english.columns[i].title, chinese.columns[i].title));
  page.Raw("</thead><tbody>\n");
  for (std::size_t row = 0; row < english.rows.size(); ++row) {
    page.Raw("<tr>");
    for (std::size_t i = 0; i < english.columns.size(); ++i)
      page.Raw("<td" + ClassOf(english.columns[i]) +
               HtmlBoth(english.rows[row][i], chinese.rows[row][i]));
    page.Raw("\n");
  }
  page.Raw("</tbody></table></div>\n");
  if (english.left_out > 0)
    page.Raw("<p class=soft>" + HtmlPhrase("word.more", {{"n", english.left_out}}) + "</p>\n");
}

}  // namespace

void HtmlTimeline(const HtmlContext& context, HtmlPage& page) {
  const doc::Run* run = context.view.profile;
  if (run == nullptr || !run->timeline) return;
  constexpr std::size_t kRows = 100;
  const auto english = TimelineTables(*run->timeline, kRows, Language::kEnglish);
  const auto chinese = TimelineTables(*run->timeline, kRows, Language::kChinese);
  for (std::size_t i = 0; i < english.size(); ++i) {
    page.Heading(english[i].heading.substr(std::string_view("head.").size()), english[i].heading);
    TableHtml(english[i], chinese[i], page);
  }
}

}  // namespace opscope
