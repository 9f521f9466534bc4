#include "document/messages.h"
#include "report/emit/html_sections.h"
#include "report/emit/timeline_tables.h"

namespace opscope {

void HtmlTimeline(const HtmlContext& context, HtmlPage& page) {
  const doc::Run* run = context.view.profile;
  if (run == nullptr || !run->timeline) return;
  constexpr std::size_t kRows = 100;
  const auto english = TimelineTables(*run->timeline, kRows, Language::kEnglish);
  const auto chinese = TimelineTables(*run->timeline, kRows, Language::kChinese);
  for (std::size_t i = 0; i < english.size(); ++i) {
    page.Heading(english[i].heading.substr(std::string_view("head.").size()), english[i].heading);
    page.Table(english[i], chinese[i]);
  }
}

}  // namespace opscope
