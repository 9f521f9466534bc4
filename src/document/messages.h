// The catalogue of sentences: one table with an id, English and Chinese (messages.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "opscope/document/text.h"

namespace opscope {

// One sentence. Placeholders are the same in both languages: {name}, {name:time}, {name:bytes},
// {name:percent}, {name:count}.
struct MessageEntry {
  std::string_view id;
  std::string_view english;
  std::string_view chinese;
};

// All sentences, sorted by id.
std::span<const MessageEntry> Messages();

// The sentence `id` with its values filled in, ready for a Document. An id that is not in the
// catalogue or a placeholder without a value fails a CHECK.
doc::Text Say(std::string_view id, doc::Args args = {});

// The sentence in a language. Plain English text is looked up by its wording; what the catalogue
// does not know stays as it is.
std::string Render(const doc::Text& text, Language language);

// A fixed label of the outputs in a language: Word("verdict.median", kChinese).
std::string_view Word(std::string_view id, Language language);

}  // namespace opscope
