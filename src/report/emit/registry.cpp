#include <array>

#include "report/emit/csv.h"
#include "report/emit/emitter.h"
#include "report/emit/html.h"
#include "report/emit/json.h"
#include "report/emit/markdown.h"
#include "report/emit/text.h"

namespace opscope {
namespace {

constexpr std::array<Emitter, 5> kEmitters = {{
    {"text", "txt", EmitText, EmitTextAll},
    {"json", "json", EmitJson, EmitJsonAll},
    {"csv", "csv", EmitCsv, EmitCsvAll},
    {"md", "md markdown", EmitMarkdown, EmitMarkdownAll},
    {"html", "html htm", EmitHtml, EmitHtmlAll},
}};

bool HasWord(std::string_view words, std::string_view word) {
  while (true) {
    const std::size_t blank = words.find(' ');
    if (words.substr(0, blank) == word) return true;
    if (blank == std::string_view::npos) return false;
    words.remove_prefix(blank + 1);
  }
}

}  // namespace

std::span<const Emitter> Emitters() { return kEmitters; }

const Emitter* FindEmitter(std::string_view id) {
  for (const Emitter& emitter : kEmitters) {
    if (emitter.id == id) return &emitter;
  }
  return nullptr;
}

const Emitter* EmitterForFile(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  std::string ending(file_name.substr(dot + 1));
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Emitter& emitter : kEmitters) {
    if (HasWord(emitter.endings, ending)) return &emitter;
  }
  return nullptr;
}

}  // namespace opscope
