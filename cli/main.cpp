// opscope: the program. Parses, calls a use case, shows the answer.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/version.h"
#include "base/text.h"
#include "session.h"
#include "verbs/verb.h"

namespace opscope::cli {

namespace {

constexpr const Verb* kVerbs[] = {&kAnalyze, &kInspect, &kImport,  &kProfile,
                                  &kCompare, &kExplain, &kFormats, &kEnginesVerb};

// A broken promise of our own code, or an exception from below: exit 5, and how to report it.
[[noreturn]] void OnTerminate() {
  if (const auto thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      std::fprintf(stderr, "opscope: out of memory\n");
    } catch (const std::exception& error) {
      std::fprintf(stderr, "opscope: internal error: %s\n", error.what());
    } catch (...) {
      std::fprintf(stderr, "opscope: internal error\n");
    }
  }
  std::fprintf(stderr,
               "opscope: this is a bug of opscope %s; please report it with the command line and, "
               "if you may share it, the input\n",
               kVersion);
  std::_Exit(kBug);
}

// "--theads": the nearest valid option of the verb, or of the verbs themselves.
std::string Hint(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.rfind('-', 0) == 0) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else {
    for (const Verb* verb : kVerbs) known.emplace_back(verb->name);
  }
  const auto nearest = Nearest(word.substr(0, word.find('=')), known);
  return nearest.empty() ? "; see opscope " +
                               (app.get_parent() == nullptr ? "" : app.get_name() + " ") + "--help"
                         : "; did you mean " + nearest.front() + "?";
}

int UsageError(const std::string& message) { return Fail({"usage.arguments", message, ""}); }

// The first word that no option or operand took: an unknown option, an unknown verb.
std::optional<std::string> Unexpected(const CLI::App& app, const CLI::App* verb) {
  const std::vector<std::string> words = (verb == nullptr ? app : *verb).remaining();
  return words.empty() ? std::nullopt : std::optional(words.front());
}

int ComplainOf(const std::string& word, const CLI::App& app, const CLI::App* verb) {
  const bool option = word.rfind('-', 0) == 0;
  return UsageError((option ? "unknown option '" : "unexpected '") + word + "'" +
                    Hint(verb == nullptr ? app : *verb, word));
}

int Main(int argc, char** argv) {
  CLI::App app("opscope tells why a neural network is slow, and makes it fast", "opscope");
  app.set_version_flag("--version", std::string("opscope ") + kVersion);
  app.require_subcommand(0, 1);
  app.allow_extras();  // looked at below, with a better answer than CLI11's
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const Verb* verb : kVerbs) {
    CLI::App* parser = app.add_subcommand(verb->name, verb->about);
    parser->allow_extras();
    actions.emplace_back(parser, verb->declare(*parser));
  }
  const auto chosen = [&]() -> const CLI::App* {
    for (const auto& [parser, action] : actions)
      if (parser->parsed()) return parser;
    return nullptr;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kFine : kUsage;  // --help
    const CLI::App* verb = chosen();
    // An unknown option explains a missing operand, not the other way round.
    if (const auto word = Unexpected(app, verb)) return ComplainOf(*word, app, verb);
    return UsageError(std::string(error.what()) + "; see opscope " +
                      (verb == nullptr ? "" : verb->get_name() + " ") + "--help");
  }
  if (const auto word = Unexpected(app, chosen())) return ComplainOf(*word, app, chosen());
  if (const auto word = Unexpected(app, nullptr)) return ComplainOf(*word, app, nullptr);
  for (const auto& [parser, action] : actions)
    if (parser->parsed()) return action();
  std::fputs(app.help().c_str(), stdout);
  return kFine;
}

}  // namespace

}  // namespace opscope::cli

int main(int argc, char** argv) {
  std::set_terminate(opscope::cli::OnTerminate);
  return opscope::cli::Main(argc, argv);
}
