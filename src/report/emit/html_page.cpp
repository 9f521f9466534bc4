#include "report/emit/html_page.h"

#include "base/text.h"
#include "document/messages.h"
#include "report/emit/html_style.h"

namespace opscope {

std::string HtmlEscaped(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string HtmlBoth(std::string_view english, std::string_view chinese) {
  if (english == chinese) return HtmlEscaped(english);
  return "<span lang=en>" + HtmlEscaped(english) + "</span><span lang=zh-CN hidden>" +
         HtmlEscaped(chinese) + "</span>";
}

std::string HtmlWord(std::string_view id) {
  return HtmlBoth(Word(id, Language::kEnglish), Word(id, Language::kChinese));
}

std::string HtmlPhrase(std::string_view id, const doc::Args& args) {
  return HtmlBoth(Phrase(id, args, Language::kEnglish), Phrase(id, args, Language::kChinese));
}

void HtmlPage::Begin(std::string_view title, Language first) {
  const bool chinese = first == Language::kChinese;
  Raw("<!DOCTYPE html>\n<html lang=\"");
  Raw(chinese ? "zh-CN" : "en");
  Raw("\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
  Raw(HtmlEscaped(title));
  Raw(" - opscope</title>\n<style>");
  Raw(HtmlStyle());
  Raw("</style>\n</head>\n<body>\n");
  for (const std::string_view language : {"en", "zh"}) {
    const bool checked = (language == "zh") == chinese;
    Raw("<input class=pick type=radio name=language id=" + std::string(language) +
        (language == "zh" ? " aria-label=\"中文\"" : " aria-label=\"English\"") +
        (checked ? " checked>\n" : ">\n"));
  }
}

void HtmlPage::Facts(const std::vector<Fact>& english, const std::vector<Fact>& chinese) {
  if (english.empty()) return;
  Raw("<dl class=facts>\n");
  for (std::size_t i = 0; i < english.size() && i < chinese.size(); ++i)
    Raw("<div><dt>" + HtmlBoth(english[i].label, chinese[i].label) + "</dt><dd>" +
        HtmlBoth(english[i].value, chinese[i].value) + "</dd></div>\n");
  Raw("</dl>\n");
}

void HtmlPage::Table(const ShownTable& english, const ShownTable& chinese) {
  const auto css = [&english](std::size_t i) {
    return english.columns[i].align == Align::kRight ? " class=n>" : " class=w>";
  };
  Raw("<div class=scroll><table><thead><tr>");
  for (std::size_t i = 0; i < english.columns.size(); ++i)
    Raw("<th scope=col" + std::string(css(i)) +
        HtmlBoth(english.columns[i].title, chinese.columns[i].title));
  Raw("</thead><tbody>\n");
  for (std::size_t row = 0; row < english.rows.size(); ++row) {
    Raw("<tr>");
    for (std::size_t i = 0; i < english.columns.size(); ++i)
      Raw("<td" + std::string(css(i)) + HtmlBoth(english.rows[row][i], chinese.rows[row][i]));
    Raw("\n");
  }
  Raw("</tbody></table></div>\n");
  if (english.left_out > 0)
    Raw("<p class=soft>" + HtmlPhrase("word.more", {{"n", english.left_out}}) + "</p>\n");
}

void HtmlPage::End() { Raw("</main>\n</body>\n</html>\n"); }

}  // namespace opscope
