// What a verb needs around its use case: surroundings, progress, outputs, exit codes.
#pragma once

#include <string>
#include <vector>

#include "opscope/requests.h"
#include "options.h"

namespace opscope::cli {

// Exit codes of the product contract, section 4.
enum ExitCode : int { kFine = 0, kGate = 1, kUsage = 2, kInput = 3, kEngine = 4, kBug = 5 };
ExitCode ExitCodeOf(const Error& error);

// Reads the environment, once; shows progress on standard error unless `quiet`.
Context MakeContext(bool quiet, const std::string& language);

// Prints "opscope: place: message" on standard error and gives the exit code.
int Fail(const Error& error);

// Writes every -o file, then standard output. Returns the exit code.
int Show(const doc::Document& document, const OutputOptions& options);
int ShowAll(const doc::Reports& reports, const OutputOptions& options);

// A registry as a text table, or as JSON: an array of objects.
int ShowRows(const std::vector<std::string>& keys,
             const std::vector<std::vector<std::string>>& rows, const OutputOptions& options);

// Labels and texts, folded to the screen.
int ShowLabelled(const std::vector<ExplainLine>& lines);

// Interrupts: the first asks the run to end, the second ends the program.
void CatchInterrupts();

}  // namespace opscope::cli
