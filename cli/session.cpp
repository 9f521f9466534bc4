#include "session.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/json_writer.h"
#include "base/sink.h"
#include "base/text.h"
#include "document/messages.h"
#include "report/emit/emitter.h"

namespace opscope::cli {

namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) {
  if (interrupted.exchange(true)) _exit(128 + SIGINT);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Surroundings ReadSurroundings() {
  namespace fs = std::filesystem;
  std::error_code failed;
  Surroundings out;
  out.program_dir = fs::read_symlink("/proc/self/exe", failed).parent_path().string();
  out.ort_library_env = Environment("OPSCOPE_ORT_LIBRARY");
  out.path_env = Environment("PATH");
  out.ld_library_path = Environment("LD_LIBRARY_PATH");
  out.current_dir = fs::current_path(failed).string();
  out.temp_dir = fs::temp_directory_path(failed).string();
  return out;
}

// Phase, count, running median, time left; nothing for the first half second.
class ProgressLine {
 public:
  explicit ProgressLine(Language language)
      : language_(language), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { Clear(); }

  void Update(const Progress& at) {
    if (std::chrono::steady_clock::now() - start_ < std::chrono::milliseconds(500)) return;
    const std::string text = Line(at);
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s", text.c_str());
      shown_ = true;
    } else if (at.phase != phase_) {  // a log gets a line a phase
      std::fprintf(stderr, "%s\n", std::string(Word(at.phase, language_)).c_str());
    }
    phase_ = at.phase;
  }
  void Clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
  }

 private:
  std::string Line(const Progress& at) const {
    std::string out(Word(at.phase, language_));
    char buffer[96];
    if (at.of > 0) {
      std::snprintf(buffer, sizeof buffer, "  %lld/%lld", static_cast<long long>(at.done + 1),
                    static_cast<long long>(at.of));
      out += buffer;
    }
    if (at.median_ns) {
      std::snprintf(buffer, sizeof buffer, "  %.3f ms", static_cast<double>(*at.median_ns) / 1e6);
      out += buffer;
    }
    if (at.seconds_left) {
      std::snprintf(buffer, sizeof buffer, "  ~%.0f s", *at.seconds_left);
      out += buffer;
    }
    return out;
  }

  Language language_;
  bool terminal_;
  bool shown_ = false;
  std::string phase_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Language LanguageOf(const std::string& text) {
  return text == "zh" ? Language::kChinese : Language::kEnglish;
}

// NO_COLOR wins over FORCE_COLOR; a dumb terminal gets none.
bool UseColour(const std::string& when) {
  if (when != "auto") return when == "always";
  if (!Environment("NO_COLOR").empty() || Environment("TERM") == "dumb") return false;
  if (!Environment("FORCE_COLOR").empty() || !Environment("CLICOLOR_FORCE").empty()) return true;
  return isatty(STDOUT_FILENO) != 0;
}

std::size_t Width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::min<std::size_t>(size.ws_col, 100);
  const int columns = std::atoi(Environment("COLUMNS").c_str());
  return columns > 0 ? std::min<std::size_t>(static_cast<std::size_t>(columns), 100) : 100;
}

EmitOptions ToEmitOptions(const OutputOptions& options) {
  EmitOptions out;
  out.language = LanguageOf(options.language);
  out.width = std::max<std::size_t>(Width(), 60);
  out.colour = UseColour(options.colour);
  // What is piped or written to a file is for programs and editors: no bars, nothing cut.
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  out.wide = options.wide || !terminal;
  out.bars = terminal;
  out.ascii = options.ascii;
  out.top = options.top;
  out.max_report_bytes = options.max_report_bytes;
  out.convention = options.convention;
  return out;
}

Result<void> WriteToStdout(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
    return Error{"output.unwritable", "cannot write to standard output", ""};
  return {};
}

// Every -o file, then standard output. `emit` calls the emitter's function of the right kind.
template <class Emit>
int ShowWith(const OutputOptions& options, const Emit& emit) {
  EmitOptions emit_options = ToEmitOptions(options);
  const bool colour = emit_options.colour;
  emit_options.colour = false;
  for (const std::string& file : options.files) {
    const Emitter* emitter = EmitterForFile(file);
    const auto written =
        WriteFileAtomically(file, [&](Sink& sink) { return emit(*emitter, emit_options, sink); });
    if (!written.has_value()) return Fail(written.error());
  }
  emit_options.colour = colour;
  emit_options.written = options.files;
  Sink sink(WriteToStdout);
  const auto shown = emit(*FindEmitter(options.format), emit_options, sink);
  if (!shown.has_value()) return Fail(shown.error());
  const auto finished = sink.Finish();
  if (!finished.has_value()) return Fail(finished.error());
  return std::fflush(stdout) == 0 ? kFine : kUsage;
}

// Widths that fit the screen: a column is at most as wide as its share of what narrower ones leave.
std::vector<std::size_t> FittingWidths(std::vector<std::size_t> widths, std::size_t screen) {
  constexpr std::size_t kBetween = 2;
  std::vector<std::size_t> order(widths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
  std::size_t left = screen - kBetween * (widths.size() - 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t& width = widths[order[i]];
    width = std::min(width, left / (order.size() - i));
    left -= width;
  }
  return widths;
}

// A table no wider than the screen: long cells are folded, nothing is cut.
std::string FoldedTable(const std::vector<std::string>& keys,
                        const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    widths.push_back(DisplayWidth(keys[i]));
    for (const auto& row : rows) widths[i] = std::max(widths[i], DisplayWidth(Printable(row[i])));
  }
  widths = FittingWidths(std::move(widths), Width());
  std::vector<TextTable::Column> columns;
  for (const std::string& key : keys) columns.push_back({key, Align::kLeft, 0});
  TextTable table(std::move(columns));
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(Folded(Printable(row[i]), widths[i]));
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t line = 0; line < lines; ++line) {
      std::vector<std::string> parts;
      for (const auto& cell : cells) parts.push_back(line < cell.size() ? cell[line] : "");
      table.AddRow(std::move(parts));
    }
  }
  return table.Render();
}

void WriteRowsAsJson(const std::vector<std::string>& keys,
                     const std::vector<std::vector<std::string>>& rows, Sink& sink) {
  JsonWriter writer(sink);
  writer.BeginArray();
  for (const auto& row : rows) {
    writer.BeginObject();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      writer.Key(keys[i]);
      writer.String(row[i]);
    }
    writer.EndObject();
  }
  writer.EndArray();
  sink.Append('\n');
}

}  // namespace

ExitCode ExitCodeOf(const Error& error) {
  const std::string_view code = error.code;
  const auto begins = [&](std::string_view prefix) {
    return code.substr(0, prefix.size()) == prefix;
  };
  if (begins("usage.") || begins("output.") || code == "engine.option" || code == "engine.shape" ||
      code == "trace.format-name" || code == "input.format-name")
    return kUsage;
  if (code == "engine.input") return kInput;
  if (begins("engine.") || begins("measure.")) return kEngine;
  return kInput;
}

Context MakeContext(bool quiet, const std::string& language) {
  Context out;
  out.surroundings = ReadSurroundings();
  out.stop = &interrupted;
  if (!quiet) {
    const auto line = std::make_shared<ProgressLine>(LanguageOf(language));
    out.progress = [line](const Progress& at) { line->Update(at); };
  }
  return out;
}

int Fail(const Error& error) {
  std::fprintf(stderr, "opscope: %s\n", Printable(error.ToString()).c_str());
  return ExitCodeOf(error);
}

int Show(const doc::Document& document, const OutputOptions& options) {
  return ShowWith(options, [&](const Emitter& emitter, const EmitOptions& emit, Sink& sink) {
    return emitter.emit(document, emit, sink);
  });
}

int ShowAll(const doc::Reports& reports, const OutputOptions& options) {
  return ShowWith(options, [&](const Emitter& emitter, const EmitOptions& emit, Sink& sink) {
    return emitter.emit_all(reports, emit, sink);
  });
}

int ShowLabelled(const std::vector<ExplainLine>& lines) {
  constexpr std::size_t kBetween = 2;
  std::size_t widest = 0;
  for (const ExplainLine& line : lines) widest = std::max(widest, DisplayWidth(line.label));
  const std::size_t indent = std::min(widest + kBetween, Width() / 3);
  std::string out;
  for (const ExplainLine& line : lines) {
    const std::string label = Printable(line.label);
    std::string head = label + std::string(indent - std::min(indent, DisplayWidth(label)), ' ');
    for (const std::string& part : Folded(Printable(line.text), Width() - indent)) {
      out += head + part;
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
      head = std::string(indent, ' ');
    }
  }
  const auto written = WriteToStdout(out);
  return written.has_value() ? kFine : Fail(written.error());
}

int ShowRows(const std::vector<std::string>& keys,
             const std::vector<std::vector<std::string>>& rows, const OutputOptions& options) {
  if (options.format == "json") {
    Sink sink(WriteToStdout);
    WriteRowsAsJson(keys, rows, sink);
    const auto finished = sink.Finish();
    return finished.has_value() ? kFine : Fail(finished.error());
  }
  const auto written = WriteToStdout(FoldedTable(keys, rows));
  return written.has_value() ? kFine : Fail(written.error());
}

void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pager is a write error, not a death
}

}  // namespace opscope::cli
