// What this build can do, as rows from the registries.

#include "app/engine_search.h"
#include "engine/engine.h"
#include "engine/locate.h"
#include "model/formats/foreign.h"
#include "model/formats/format.h"
#include "opscope/requests.h"
#include "trace/formats/format.h"

namespace opscope {

std::vector<FormatRow> ListFormats() {
  std::vector<FormatRow> out;
  for (const ModelFormat& format : ModelFormats())
    out.push_back({std::string(format.info.id), "model", std::string(format.info.title),
                   std::string(format.info.endings), std::string(format.info.what)});
  for (const TraceFormat& format : TraceFormats())
    out.push_back({std::string(format.info.id), "trace", std::string(format.info.title),
                   std::string(format.info.endings), std::string(format.info.what)});
  for (const ForeignFormat& format : ForeignFormats())
    out.push_back({std::string(format.id), "foreign", std::string(format.title),
                   std::string(format.endings), "not read: " + std::string(format.way)});
  return out;
}

std::vector<EngineRow> ListEngines(const std::string& ort_library, const Context& context) {
  std::vector<EngineRow> out;
  for (const EngineInfo& engine : kEngines) {
    EngineRow row{std::string(engine.id),
                  std::string(engine.title),
                  "missing",
                  "",
                  "",
                  std::string(engine.how_to_get),
                  {}};
    const auto location = LocateEngine(engine, SearchPlaces(ort_library, context.surroundings));
    if (!location.has_value()) {
      row.how_to_get = location.error().ToString();
    } else {
      row.library = location->library;
      EngineOptions options;
      options.engine = row.id;
      options.program = location->program;
      options.library = location->library;
      const auto about = EngineSession::About(options);
      row.state = about.has_value() ? "ready" : "broken";
      if (about.has_value()) {
        row.version = about->version;
        row.providers = about->available_providers;
      } else {
        row.how_to_get = about.error().ToString();
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace opscope
