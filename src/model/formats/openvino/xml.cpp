#include "model/formats/openvino/xml.h"

#include <algorithm>
#include <charconv>

#include "base/import_log.h"
#include "base/result.h"
#include "base/text.h"
#include "base/text_utf8.h"
#include "base/trimmed.h"

namespace opscope::openvino {

namespace {

constexpr std::size_t kPiece = 256 * 1024;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsNameEnd(char c) { return c == '=' || IsBlank(c); }

void SkipBlanks(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && IsBlank(text[count])) ++count;
  text.remove_prefix(count);
}

bool IsAscii(std::string_view text) {
  unsigned char seen = 0;
  for (const char c : text) seen |= static_cast<unsigned char>(c);
  return seen < 0x80;
}

bool IsUtf8(std::string_view text) {
  if (IsAscii(text)) return true;
  while (!text.empty()) {
    const CodePoint point = NextCodePoint(text);
    if (!point.valid) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

// Where the tag that begins `text` ends: its '>', outside of quotes; npos when it is not there.
std::size_t EndOfTag(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

const std::string_view* XmlEvent::Find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

Error XmlReader::Damaged(std::string message) const {
  return {"openvino.xml", std::move(message), AtByte(at_)};
}

Result<const XmlEvent*> XmlReader::Next() {
  event_.attributes.clear();
  decoded_.clear();
  if (close_next_) {
    close_next_ = false;
    event_.kind = XmlEvent::Kind::kClose;
    event_.name = open_.back();
    open_.pop_back();
    return &event_;
  }
  for (;;) {
    TRY_ASSIGN(const bool found, Step());
    if (found) return &event_;
  }
}

std::optional<std::string_view> XmlReader::TakePlain(std::string_view name) {
  const std::string_view piece = source_.Buffered(at_);
  std::string_view rest = piece;
  SkipBlanks(rest);
  const auto take = [&rest](std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  };
  if (close_next_ || !take("<") || !take(name) || !take(">")) return std::nullopt;
  const std::string_view text = rest.substr(0, std::min(rest.find('<'), rest.size()));
  rest.remove_prefix(text.size());
  if (!take("</") || !take(name) || !take(">")) return std::nullopt;
  if (!IsAscii(text) || text.find('&') != std::string_view::npos) return std::nullopt;
  at_ += piece.size() - rest.size();
  return text;
}

// What is buffered from here on, and more when that is little: a window for each tag would read the
// file again and again.
Result<std::string_view> XmlReader::Ahead() {
  constexpr std::size_t kLongestMark = 16;  // "<!DOCTYPE"
  const std::string_view piece = source_.Buffered(at_);
  if (piece.size() >= kLongestMark) return piece;
  return source_.Window(at_, kPiece);
}

// One piece of the file; false when it says nothing.
Result<bool> XmlReader::Step() {
  TRY_ASSIGN(std::string_view piece, Ahead());
  if (at_ == 0 && piece.starts_with("\xEF\xBB\xBF")) {
    at_ = 3;
    return false;
  }
  if (piece.empty()) {
    if (!open_.empty())
      return Damaged("the file ends inside <" + Printable(open_.back()) + ">: it was cut");
    event_.kind = XmlEvent::Kind::kEnd;
    return true;
  }
  if (piece.front() != '<') {
    if (piece.find('<') == std::string_view::npos) {
      TRY_ASSIGN(piece, source_.Window(at_, kPiece));
    }
    const std::size_t end = std::min(piece.find('<'), piece.size());
    const std::string_view text = Trimmed(piece.substr(0, end));
    if (!text.empty() && open_.empty()) return Damaged("text outside of the root element");
    if (!text.empty()) {
      event_.kind = XmlEvent::Kind::kText;
      event_.offset = at_;
      TRY_ASSIGN(event_.name, Decoded(text));
    }
    at_ += end;
    return !text.empty();
  }
  if (piece.starts_with("<!") || piece.starts_with("<?")) {
    TRY(SkipMarkup(piece));
    return false;
  }
  TRY_ASSIGN(const std::string_view tag, Tag());
  event_.offset = at_;
  TRY(ReadTag(tag));
  at_ += tag.size();
  return true;
}

// "<?xml ...?>", "<!-- ... -->"; CDATA and DOCTYPE are refused.
Result<void> XmlReader::SkipMarkup(std::string_view rest) {
  if (rest.starts_with("<!--")) return SkipPast("-->");
  if (rest.starts_with("<?")) {
    const std::string_view head = rest.substr(0, std::min(rest.find("?>"), std::size_t{200}));
    const std::size_t encoding = head.find("encoding");
    if (head.starts_with("<?xml") && encoding != std::string_view::npos) {
      const std::string_view value = head.substr(encoding);
      if (value.find("UTF-8") == std::string_view::npos &&
          value.find("utf-8") == std::string_view::npos &&
          value.find("ASCII") == std::string_view::npos)
        return Damaged("an encoding other than UTF-8 is declared");
    }
    return SkipPast("?>");
  }
  if (rest.starts_with("<!DOCTYPE") || rest.starts_with("<!ENTITY"))
    return Damaged(
        "a document type declaration: it can define entities, no OpenVINO file has one, and it is "
        "not read");
  return Damaged("markup that no OpenVINO file has: '" + Printable(rest.substr(0, 12)) + "'");
}

Result<void> XmlReader::SkipPast(std::string_view end) {
  for (;;) {
    TRY_ASSIGN(const std::string_view piece, source_.Window(at_, kPiece));
    const std::size_t found = piece.find(end);
    if (found != std::string_view::npos) {
      at_ += found + end.size();
      return {};
    }
    if (piece.size() < kPiece) return Damaged("the file ends inside a comment or declaration");
    at_ += piece.size() - end.size();
  }
}

// The whole tag at the place reached, whatever its length.
Result<std::string_view> XmlReader::Tag() {
  const std::string_view buffered = source_.Buffered(at_).substr(0, kMaxTagBytes);
  if (const std::size_t end = EndOfTag(buffered); end != std::string_view::npos)
    return buffered.substr(0, end + 1);
  for (std::size_t size = kPiece;; size *= 4) {
    TRY_ASSIGN(const std::string_view piece, source_.Window(at_, std::min(size, kMaxTagBytes)));
    const std::size_t end = EndOfTag(piece);
    if (end != std::string_view::npos) return piece.substr(0, end + 1);
    if (piece.size() < std::min(size, kMaxTagBytes))
      return Damaged("the file ends inside a tag: it was cut");
    if (size >= kMaxTagBytes) return Damaged("a tag of more than 16 MiB");
  }
}

Result<void> XmlReader::ReadTag(std::string_view tag) {
  std::string_view body = tag.substr(1, tag.size() - 2);
  if (body.starts_with("/")) return Close(Trimmed(body.substr(1)));
  const bool closed = body.ends_with("/");
  if (closed) body.remove_suffix(1);
  return Open(body, closed);
}

Result<void> XmlReader::Open(std::string_view body, bool closed) {
  const auto blank = std::find_if(body.begin(), body.end(), IsBlank);
  const std::size_t end = static_cast<std::size_t>(blank - body.begin());
  const std::string_view name = body.substr(0, end);
  if (name.empty() || !IsUtf8(name)) return Damaged("a tag without a name");
  if (open_.empty() && root_seen_) return Damaged("a second root element");
  if (open_.size() >= kMaxDepth)
    return Damaged("elements nest more than " + std::to_string(kMaxDepth) + " deep");
  root_seen_ = true;
  event_.kind = XmlEvent::Kind::kOpen;
  event_.name = name;
  open_.emplace_back(name);
  close_next_ = closed;
  return ReadAttributes(body.substr(end));
}

Result<void> XmlReader::Close(std::string_view name) {
  if (open_.empty() || open_.back() != name)
    return Damaged("</" + Printable(name.substr(0, 80)) + "> closes " +
                   (open_.empty() ? "nothing" : "<" + Printable(open_.back()) + ">"));
  event_.kind = XmlEvent::Kind::kClose;
  event_.name = name;
  open_.pop_back();
  return {};
}

Result<void> XmlReader::ReadAttributes(std::string_view rest) {
  for (;;) {
    SkipBlanks(rest);
    if (rest.empty()) return {};
    if (event_.attributes.size() >= kMaxAttributes)
      return Damaged("<" + Printable(event_.name) + "> has more than " +
                     std::to_string(kMaxAttributes) + " attributes");
    const auto end = std::find_if(rest.begin(), rest.end(), IsNameEnd);
    const std::string_view name(rest.data(), static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(name.size());
    SkipBlanks(rest);
    if (name.empty() || !IsUtf8(name) || !rest.starts_with("="))
      return Damaged("an attribute of <" + Printable(event_.name) + "> without a value");
    rest.remove_prefix(1);
    SkipBlanks(rest);
    const char quote = rest.empty() ? '\0' : rest.front();
    const std::size_t close =
        quote == '"' || quote == '\'' ? rest.find(quote, 1) : std::string::npos;
    if (close == std::string_view::npos)
      return Damaged("an attribute of <" + Printable(event_.name) + "> without quotes");
    if (event_.Find(name) != nullptr)
      return Damaged("attribute \"" + Printable(name.substr(0, 80)) + "\" stands twice");
    TRY_ASSIGN(const std::string_view value, Value(rest.substr(1, close - 1)));
    event_.attributes.emplace_back(name, value);
    rest.remove_prefix(close + 1);
  }
}

Result<std::string_view> XmlReader::Value(std::string_view text) {
  if (IsAscii(text) && text.find('&') == std::string_view::npos) return text;
  TRY_ASSIGN(std::string decoded, Decoded(text));
  return std::string_view(decoded_.emplace_back(std::move(decoded)));
}

// The five predefined entities and characters by number; there are no others.
Result<std::string> XmlReader::Decoded(std::string_view text) const {
  if (!IsUtf8(text)) return Damaged("text that is not valid UTF-8");
  std::string out;
  for (;;) {
    const std::size_t at = text.find('&');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = text.substr(at, 12).find(';');
    if (end == std::string_view::npos) return Damaged("'&' without an entity");
    const std::string_view entity = text.substr(at + 1, end - 1);
    text.remove_prefix(at + end + 1);
    constexpr std::pair<std::string_view, char> kEntities[] = {
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    const auto* known = std::find_if(std::begin(kEntities), std::end(kEntities),
                                     [&](const auto& each) { return each.first == entity; });
    if (known != std::end(kEntities)) {
      out += known->second;
      continue;
    }
    const bool hexadecimal = entity.starts_with("#x");
    const std::string_view digits =
        entity.substr(std::min(entity.size(), hexadecimal ? std::size_t{2} : std::size_t{1}));
    std::uint32_t code = 0;
    const auto [stop, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
    if (!entity.starts_with("#") || digits.empty() || failed != std::errc() ||
        stop != digits.data() + digits.size() || code == 0 || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
      return Damaged("the entity &" + Printable(entity) + "; is not defined");
    AppendUtf8(static_cast<char32_t>(code), out);
  }
}

Result<void> XmlReader::SkipElement() {
  const std::size_t outside = open_.size() - 1;
  while (open_.size() > outside) TRY(Next());
  return {};
}

}  // namespace opscope::openvino
