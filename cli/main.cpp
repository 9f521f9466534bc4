// opscope: the program. Parses, calls a use case, shows the answer.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "app/version.h"
#include "base/text.h"
#include "session.h"
#include "verbs/verb.h"

namespace opscope::cli {

namespace {

constexpr const Verb* kVerbs[] = {&kAnalyze, &kInspect, &kImport,     &kProfile,
                                  &kExplain, &kFormats, &kEnginesVerb};

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
  return nearest.empty() ? "" : "; did you mean " + nearest.front() + "?";
}

int UsageError(const std::string& message) { return Fail({"usage.arguments", message, ""}); }

// What CLI11 left over, or its complaint, in one line.
int Complain(const CLI::App& app, const CLI::App* verb, const CLI::ParseError& error) {
  const CLI::App& where = verb == nullptr ? app : *verb;
  if (error.get_name() == "ExtrasError") {
    for (const std::string& word : where.remaining(true))
      return UsageError(std::string(word.rfind('-', 0) == 0 ? "unknown option " : "unexpected ") +
                        "'" + word + "'" + Hint(where, word));
  }
  return UsageError(std::string(error.what()) + "; see opscope " +
                    (verb == nullptr ? "" : verb->get_name() + " ") + "--help");
}

int Main(int argc, char** argv) {
  CLI::App app("opscope tells why a neural network is slow, and makes it fast", "opscope");
  app.set_version_flag("--version", std::string("opscope ") + kVersion);
  app.require_subcommand(0, 1);
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const Verb* verb : kVerbs) {
    CLI::App* parser = app.add_subcommand(verb->name, verb->about);
    actions.emplace_back(parser, verb->declare(*parser));
  }
  const CLI::App* chosen = nullptr;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kFine : kUsage;  // --help
    for (const auto& [parser, action] : actions)
      if (parser->parsed()) chosen = parser;
    return Complain(app, chosen, error);
  }
  for (const auto& [parser, action] : actions)
    if (parser->parsed()) return action();
  std::fputs(app.help().c_str(), stdout);
  return argc > 1 ? kUsage : kFine;
}

}  // namespace

}  // namespace opscope::cli

int main(int argc, char** argv) {
  std::set_terminate(opscope::cli::OnTerminate);
  return opscope::cli::Main(argc, argv);
}
