// The engines there are, and where their programs and libraries lie on this machine.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opscope {

struct EngineInfo {
  std::string_view id;              // as in --engine
  std::string_view title;           // for people
  std::string_view program;         // file name of the engine program
  std::string_view library_stem;    // of the runtime it loads: "libonnxruntime"; empty = linked in
  std::string_view wheel_folder;    // where the runtime's wheel keeps it, below site-packages
  std::string_view node_folder;     // where its npm package keeps it, below node_modules
  std::string_view library_option;  // "--ort-library"
  std::string_view library_variable;
  std::string_view how_to_get;
};

// One line an engine; the order is the order in which they are listed.
inline constexpr std::array<EngineInfo, 1> kEngines = {{
    {"ort", "ONNX Runtime", "opscope-engine-ort", "libonnxruntime", "onnxruntime/capi",
     "onnxruntime-node/bin", "--ort-library", "OPSCOPE_ORT_LIBRARY",
     "`./dev build` fetches it; or `pip install onnxruntime`, or give --ort-library FILE"},
}};

// nullptr when there is none of that name.
const EngineInfo* FindEngine(std::string_view id);

// Where to look, gathered by the application (nothing below it reads the environment).
struct EngineSearch {
  std::string library_option;                // value of --ort-library; empty = not given
  std::string library_variable;              // value of OPSCOPE_ORT_LIBRARY
  std::vector<std::string> program_folders;  // folder of opscope, libexec/opscope …
  std::vector<std::string> setup_folders;    // build/engines/ort, libexec/opscope/engines/ort
  std::vector<std::string> site_packages;    // of the Python in use
  std::vector<std::string> system_folders;   // LD_LIBRARY_PATH, /usr/local/lib, /usr/lib …
  std::vector<std::string> node_modules;     // of the working folder and those above it
};

// The system_folders every machine has, without those of the environment.
std::vector<std::string> SystemLibraryFolders();
// "<prefix>/lib/python3.*/site-packages" (and dist-packages) of a Python at `<prefix>/bin/python`.
std::vector<std::string> SitePackagesOf(const std::string& python);

struct EngineLocation {
  std::string program;
  std::string library;
  std::string origin;  // which of the places it was: "--ort-library", "set-up", "wheel" …
};

// A file that is named (option, variable) must be there; it is never passed over for another one.
// In a folder the newest version wins: libonnxruntime.so.1.32.0 before libonnxruntime.so.1.9.0.
// Errors: engine.missing, with what was looked for and how to get it.
Result<EngineLocation> LocateEngine(const EngineInfo& engine, const EngineSearch& search);

}  // namespace opscope
