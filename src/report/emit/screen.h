// Lines of text that are safe on a terminal and no wider than it.
#pragma once

#include <string>
#include <string_view>

#include "base/sink.h"
#include "document/messages.h"
#include "report/emit/columns.h"
#include "report/emit/emitter.h"

namespace opscope {

enum class Style : std::uint8_t { kPlain, kBold, kFaint, kWarning };

class Screen {
 public:
  Screen(const EmitOptions& options, Sink& sink);

  const EmitOptions& options() const { return options_; }
  Language language() const { return options_.language; }
  std::string Word(std::string_view id) const { return std::string(opscope::Word(id, language())); }
  std::string Phrase(std::string_view id, const doc::Args& args) const {
    return opscope::Phrase(id, args, language());
  }
  // A name or sentence as it may be printed.
  std::string Safe(std::string_view text) const;

  void Blank() { sink_.Append('\n'); }
  // Folded at blanks; continuation lines are indented.
  void Line(std::string_view text, Style style = Style::kPlain);
  // Both on one line when they fit, else one after the other.
  void Spread(std::string_view left, std::string_view right, Style style = Style::kPlain);
  void Table(FittedTable table);

 private:
  void Styled(std::string_view line, Style style);

  EmitOptions options_;
  Sink& sink_;
};

}  // namespace opscope
