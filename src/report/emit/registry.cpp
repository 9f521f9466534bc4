#include <array>

#include "report/emit/csv.h"
#include "report/emit/emitter.h"
#include "report/emit/html.h"
#include "report/emit/json.h"
#include "report/emit/markdown.h"
#include "report/emit/netron.h"
#include "report/emit/text.h"

namespace opscope {
namespace {

constexpr std::array<Emitter, 6> kEmitters = {{
    {"text", "txt", EmitText, EmitTextAll},
    {"json", "json", EmitJson, EmitJsonAll},
    {"csv", "csv", EmitCsv, EmitCsvAll},
    {"md", "md markdown", EmitMarkdown, EmitMarkdownAll},
    {"html", "html htm", EmitHtml, EmitHtmlAll},
    {"netron", "netron.json", EmitNetron, EmitNetronAll},
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

// "m.netron.json" is of the emitter that takes "netron.json", not of the one that takes "json".
const Emitter* EmitterForFile(std::string_view file_name) {
  std::string name(file_name);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t slash = name.rfind('/');
  for (std::size_t dot = name.find('.', slash == std::string::npos ? 0 : slash);
       dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string_view ending = std::string_view(name).substr(dot + 1);
    for (const Emitter& emitter : kEmitters) {
      if (HasWord(emitter.endings, ending)) return &emitter;
    }
  }
  return nullptr;
}

}  // namespace opscope
