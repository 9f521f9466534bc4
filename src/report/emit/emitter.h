// Emitters: a Document (or several) as text, JSON, CSV, Markdown or HTML. They only show; every
// number they show is in the Document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sink.h"
#include "opscope/document.h"

namespace opscope {

struct EmitOptions {
  Language language = Language::kEnglish;
  std::size_t width = 100;  // columns of a text table, 60 at least
  bool colour = false;
  bool wide = false;   // names are not cut
  bool bars = true;    // off when the output is piped
  bool ascii = false;  // nothing beyond ASCII
  std::size_t top = 10;
  std::uint64_t max_report_bytes = 25'000'000;  // of a HTML page
  std::string convention = {};                  // of another tool that is shown; empty = none
  std::vector<std::string> written = {};        // files written beside it, for the last line
};

struct Emitter {
  std::string_view id;       // "text": what --format takes
  std::string_view endings;  // "csv" or "md markdown", separated by blanks: what -o FILE takes
  // The caller finishes the sink.
  Result<void> (*emit)(const doc::Document& document, const EmitOptions& options, Sink& sink);
  // Several models: a summary, a row a model; JSON keeps everything.
  Result<void> (*emit_all)(const doc::Reports& reports, const EmitOptions& options, Sink& sink);
};

std::span<const Emitter> Emitters();
const Emitter* FindEmitter(std::string_view id);            // nullptr: no such format
const Emitter* EmitterForFile(std::string_view file_name);  // by its ending; nullptr: none

}  // namespace opscope
