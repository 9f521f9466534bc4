#include "trace/formats/foreign.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace opscope {

namespace {

constexpr std::string_view kExportNsys =
    "`nsys export --type sqlite --output run.sqlite FILE`, then import run.sqlite";

// Bytes at the beginning, and what a file that has them is.
struct Signature {
  std::string_view bytes;
  std::string_view is;
  std::string_view command;
};

constexpr std::array kSignatures = {
    Signature{
        "PERFILE2", "a recording of perf (perf.data)",
        "`perf script -i FILE -F comm,pid,tid,time,event,ip,sym,dso,period` makes text of it, "
        "which this build does not read yet"},
    Signature{"2ELIFREP", "a recording of perf of a machine of the other byte order",
              "`perf script -i FILE` on that machine makes text of it, which this build does not "
              "read yet"},
    Signature{"NVIDIA Tegra Profiler Report", "a report of Nsight Systems (.nsys-rep, .qdrep)",
              kExportNsys},
    Signature{std::string_view("NVR\0", 4), "a report of Nsight Compute (.ncu-rep)",
              "`ncu --import FILE --page details --csv` makes text of it, which this build does "
              "not read yet"},
};

// Reports whose first bytes say nothing: told by the ending, and only where they are binary.
struct Ending {
  std::string_view ending;
  std::string_view is;
  std::string_view command;
};

constexpr std::array kEndings = {
    Ending{".nsys-rep", "a report of Nsight Systems", kExportNsys},
    Ending{".qdrep", "a report of Nsight Systems", kExportNsys},
    Ending{".qdstrm", "a raw stream of Nsight Systems",
           "`QdstrmImporter --input-file FILE` makes a report of it; of that, `nsys export --type "
           "sqlite --output run.sqlite run.nsys-rep`"},
    Ending{".xplane.pb", "a profile of TensorFlow or JAX (XSpace)",
           "`jax.profiler.start_trace(DIR, create_perfetto_trace=True)` writes a trace "
           "(perfetto_trace.json.gz) beside it: import that"},
};

// A database whose first bytes were never written: text of the schema follows zeros.
bool IsUnfinishedDatabase(std::string_view prefix) {
  constexpr std::size_t kMagic = 16;
  return prefix.size() > kMagic &&
         prefix.substr(0, kMagic).find_first_not_of('\0') == std::string_view::npos &&
         prefix.find("CREATE TABLE") != std::string_view::npos;
}

std::string Sentence(std::string_view is, std::string_view way_out) {
  return "the file is " + std::string(is) + "; " + std::string(way_out);
}

}  // namespace

std::string DescribeForeignTrace(std::string_view prefix, std::string_view file) {
  for (const Signature& signature : kSignatures)
    if (prefix.starts_with(signature.bytes)) return Sentence(signature.is, signature.command);
  if (IsUnfinishedDatabase(prefix))
    return Sentence("a SQLite database whose beginning is empty: the export was interrupted",
                    "export again: " + std::string(kExportNsys));
  if (!prefix.empty() && prefix.find_first_not_of('\0') == std::string_view::npos)
    return Sentence("nothing but zero bytes",
                    "the export or the copy did not finish: make it again");
  const bool binary = prefix.find('\0') != std::string_view::npos;
  for (const Ending& ending : kEndings)
    if (binary && file.ends_with(ending.ending)) return Sentence(ending.is, ending.command);
  return {};
}

}  // namespace opscope
