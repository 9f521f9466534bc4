#include "document/messages.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/checked.h"
#include "document/format.h"

namespace opscope {
namespace {

const MessageEntry* FindMessage(std::string_view id) {
  const std::span<const MessageEntry> all = Messages();
  const auto at = std::lower_bound(
      all.begin(), all.end(), id,
      [](const MessageEntry& entry, std::string_view key) { return entry.id < key; });
  return at != all.end() && at->id == id ? &*at : nullptr;
}

// The template cut into literal text and placeholders.
struct Piece {
  std::string_view literal;  // before the placeholder
  std::string_view name;     // empty at the end of the template
  std::string_view kind;
};

// Takes the next piece off `rest`.
Piece NextPiece(std::string_view& rest) {
  const std::size_t open = rest.find('{');
  const std::size_t close = open == std::string_view::npos ? open : rest.find('}', open);
  if (close == std::string_view::npos) {
    const Piece last{rest, {}, {}};
    rest = {};
    return last;
  }
  const std::string_view inside = rest.substr(open + 1, close - open - 1);
  const std::size_t colon = inside.find(':');
  Piece piece{rest.substr(0, open), inside.substr(0, colon), {}};
  if (colon != std::string_view::npos) piece.kind = inside.substr(colon + 1);
  rest.remove_prefix(close + 1);
  return piece;
}

std::string ShowNumber(double value, std::string_view kind) {
  if (kind == "percent") return FormatPercent(value);
  return FormatNumber(value);
}

std::string ShowInteger(std::int64_t value, std::string_view kind) {
  if (kind == "time") return FormatTime(value);
  if (kind == "bytes") return FormatBytes(value);
  if (kind == "count") return FormatCount(value);
  if (kind == "percent") return FormatPercent(static_cast<double>(value));
  return ToDecimal(value);
}

std::string Show(const doc::Arg& arg, std::string_view kind) {
  if (const auto* number = std::get_if<double>(&arg)) return ShowNumber(*number, kind);
  if (const auto* integer = std::get_if<std::int64_t>(&arg)) return ShowInteger(*integer, kind);
  const std::string& text = *std::get_if<std::string>(&arg);
  // Integers beyond 2^53 come back from JSON as text.
  const std::optional<std::int64_t> integer = kind.empty() ? std::nullopt : ParseInt64(text);
  return integer ? ShowInteger(*integer, kind) : text;
}

const doc::Arg* FindArg(const doc::Args& args, std::string_view name) {
  for (const auto& [key, value] : args) {
    if (key == name) return &value;
  }
  return nullptr;
}

// The template with its values; nullopt when one is missing.
std::optional<std::string> Fill(std::string_view pattern, const doc::Args& args) {
  std::string out;
  while (!pattern.empty()) {
    const Piece piece = NextPiece(pattern);
    out += piece.literal;
    if (piece.name.empty()) continue;
    const doc::Arg* arg = FindArg(args, piece.name);
    if (arg == nullptr) return std::nullopt;
    out += Show(*arg, piece.kind);
  }
  return out;
}

// The values of a sentence that was made from `pattern`; nullopt when it was not. A placeholder
// takes the shortest text that lets the rest fit at its next literal.
std::optional<doc::Args> Unfill(std::string_view pattern, std::string_view sentence) {
  doc::Args args;
  std::string_view pending;  // the placeholder whose end is being looked for
  while (true) {
    const bool last = pattern.find('{') == std::string_view::npos;
    const Piece piece = NextPiece(pattern);
    std::size_t at = 0;
    if (!pending.empty()) {
      at = last ? (sentence.ends_with(piece.literal) ? sentence.size() - piece.literal.size()
                                                     : std::string_view::npos)
                : sentence.find(piece.literal);
    } else if (!sentence.starts_with(piece.literal)) {
      at = std::string_view::npos;
    }
    if (at == std::string_view::npos) return std::nullopt;
    if (!pending.empty())
      args.emplace_back(std::string(pending), std::string(sentence.substr(0, at)));
    sentence.remove_prefix(at + piece.literal.size());
    pending = piece.name;
    if (last) return sentence.empty() ? std::optional<doc::Args>(std::move(args)) : std::nullopt;
  }
}

std::string_view In(const MessageEntry& entry, Language language) {
  return language == Language::kChinese ? entry.chinese : entry.english;
}

// A sentence without an id, by its wording.
std::string RecogniseOne(std::string_view english, Language language) {
  for (const MessageEntry& entry : Messages()) {
    if (!entry.id.starts_with("reason.")) continue;
    const std::optional<doc::Args> args = Unfill(entry.english, english);
    if (!args) continue;
    if (std::optional<std::string> out = Fill(In(entry, language), *args)) return *std::move(out);
  }
  return std::string(english);
}

// Reasons that were joined by "; " are recognised one by one.
std::string Recognise(std::string_view english, Language language) {
  std::string out = RecogniseOne(english, language);
  if (out != english) return out;
  out.clear();
  while (true) {
    const std::size_t joint = english.find("; ");
    out += RecogniseOne(english.substr(0, joint), language);
    if (joint == std::string_view::npos) return out;
    out += Word("word.semicolon", language);
    english.remove_prefix(joint + 2);
  }
}

}  // namespace

doc::Text Say(std::string_view id, doc::Args args) {
  std::string english = Phrase(id, args, Language::kEnglish);
  return {std::move(english), std::string(id), std::move(args)};
}

std::string Render(const doc::Text& text, Language language) {
  if (language == Language::kEnglish) return text.text;
  const MessageEntry* entry = text.id.empty() ? nullptr : FindMessage(text.id);
  if (entry == nullptr) return Recognise(text.text, language);
  return Fill(In(*entry, language), text.args).value_or(text.text);
}

std::string_view Word(std::string_view id, Language language) {
  const MessageEntry* entry = FindMessage(id);
  CHECK(entry != nullptr);
  return In(*entry, language);
}

std::string Phrase(std::string_view id, const doc::Args& args, Language language) {
  std::optional<std::string> out = Fill(Word(id, language), args);
  CHECK(out.has_value());
  return *std::move(out);
}

}  // namespace opscope
