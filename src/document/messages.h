// The catalogue of sentences and labels: one table with an id, English and Chinese
// (messages_table.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "opscope/document/text.h"

namespace opscope {

// Placeholders are the same in both languages: {name} as it is, {name:time} nanoseconds,
// {name:bytes}, {name:count} with a decimal prefix, {name:percent} a share of 1.
struct MessageEntry {
  std::string_view id;
  std::string_view english;
  std::string_view chinese;
};

// Sorted by id.
std::span<const MessageEntry> Messages();

// The sentence `id` with its values filled in, ready for a Document. An id that is not in the
// catalogue or a placeholder without a value fails a CHECK.
doc::Text Say(std::string_view id, doc::Args args = {});

// The sentence in a language. A Text without an id (made where the catalogue cannot be seen) is
// recognised by its English wording among the entries "reason.…": "unknown op Foo" fits
// "unknown op {op}". What the catalogue does not know stays as it is.
std::string Render(const doc::Text& text, Language language);

// A label of the outputs; an id that is not in the catalogue fails a CHECK.
std::string_view Word(std::string_view id, Language language);
// A label with values.
std::string Phrase(std::string_view id, const doc::Args& args, Language language);

}  // namespace opscope
