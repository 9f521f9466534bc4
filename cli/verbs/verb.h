// A verb: its options on the command line, and what it does. One file a verb, one line in the list
// of main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace opscope::cli {

struct Verb {
  const char* name;
  const char* about;
  // Declares options on `verb` and returns what to do once they are parsed (gives the exit code).
  std::function<int()> (*declare)(CLI::App& verb);
};

extern const Verb kAnalyze, kInspect, kImport, kProfile, kCompare, kExplain, kFormats, kEnginesVerb;

}  // namespace opscope::cli
