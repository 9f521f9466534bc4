// The bytes of a HTML page: everything from a document is escaped here and nowhere else, and every
// sentence is written in both languages, one of which the style sheet hides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sink.h"
#include "opscope/document.h"
#include "report/emit/facts.h"
#include "report/emit/shown_table.h"

namespace opscope {

// Text for an element's content or a quoted attribute.
std::string HtmlEscaped(std::string_view text);
// Both languages of a sentence, escaped; once where they are the same. Where no style sheet is
// allowed (pages served by build servers), the Chinese one stays hidden.
std::string HtmlBoth(std::string_view english, std::string_view chinese);
// A label or a label with values, in both languages.
std::string HtmlWord(std::string_view id);
std::string HtmlPhrase(std::string_view id, const doc::Args& args);

class HtmlPage {
 public:
  explicit HtmlPage(Sink& sink) : sink_(sink) {}

  // Writes the head and the language switch; `first` is the language shown at first.
  void Begin(std::string_view title, Language first);
  // Markup of our own.
  void Raw(std::string_view html) {
    written_ += html.size();
    sink_.Append(html);
  }
  void Heading(std::string_view anchor, std::string_view id) {
    Raw("<h2 id=\"" + std::string(anchor) + "\">" + HtmlWord(id) + "</h2>\n");
  }
  // Labelled values; both lists hold the same facts in the same order.
  void Facts(const std::vector<Fact>& english, const std::vector<Fact>& chinese);
  // Both languages have the same rows and columns; a cell that reads the same stands once.
  void Table(const ShownTable& english, const ShownTable& chinese);
  void End();
  std::uint64_t written() const { return written_; }

 private:
  Sink& sink_;
  std::uint64_t written_ = 0;
};

}  // namespace opscope
