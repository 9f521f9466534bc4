// analyze: static analysis, an own run or given profiles, and the join of both.

#include <filesystem>
#include <memory>

#include "app/engine_search.h"
#include "app/load.h"
#include "app/measured.h"
#include "app/profile_shapes.h"
#include "app/profiles.h"
#include "app/run_shapes.h"
#include "app/version.h"
#include "base/result.h"
#include "base/sink.h"
#include "document/messages.h"
#include "measure/measure.h"
#include "model/formats/format.h"
#include "opscope/requests.h"
#include "report/build.h"

namespace opscope {

namespace {

// Everything the static half leaves behind for the dynamic one.
struct Prepared {
  LoadedModel loaded;
  StaticAnalysis analysis;
  RunShapes shapes;
  doc::Document document;
};

void AddAssumptions(const RunShapes& shapes, doc::Document& document) {
  for (const GuessedDim& guess : shapes.guesses)
    document.assumptions.push_back(
        Say("assumption.dim-role",
            {{"dim", guess.symbol}, {"value", guess.size}, {"role", guess.role}}));
}

// Inputs without a given shape take the one that the profile shows.
void UseProfileShapes(const Model& model, const Trace& trace, PropagateOptions& options,
                      std::vector<doc::Text>& assumptions) {
  for (const auto& [input, dims] : ShapesFromProfile(model, trace)) {
    if (!options.shapes.emplace(input, dims).second) continue;
    assumptions.push_back(
        Say("assumption.profile-shape", {{"input", input}, {"shape", ShapeText(dims)}}));
  }
}

// Static analysis of a loaded model. `will_run`: free dims get the sizes the run will use, so that
// the static figures are those of the run. `trace`: a profile whose shapes are used; may be null.
Result<Prepared> Prepare(LoadedModel loaded, const ModelOptions& options, bool will_run,
                         const Trace* trace, ImportLog& log) {
  PropagateOptions propagate{{options.bindings.begin(), options.bindings.end()}, options.shapes};
  RunShapes shapes;
  doc::Document document;
  if (will_run) {
    shapes = ChooseRunShapes(loaded.model, propagate.bindings, options.shapes);
    propagate.shapes = shapes.shapes;
    for (const auto& [input, dims] : options.shapes) propagate.shapes.emplace(input, dims);
    AddAssumptions(shapes, document);
  } else if (trace != nullptr && options.bindings.empty()) {
    UseProfileShapes(loaded.model, *trace, propagate, document.assumptions);
  }
  auto analysis = AnalyzeStatic(loaded.model, propagate, log);
  if (!analysis.has_value()) return WithContext(std::move(analysis.error()), loaded.model.file);
  TRY(CheckStrict(log, options.strict));
  document.tool.version = kVersion;
  document.model = BuildModel(loaded.model, *analysis, propagate.bindings, loaded.hash);
  document.static_part = BuildStatic(loaded.model, *analysis);
  return Prepared{std::move(loaded), std::move(*analysis), std::move(shapes), std::move(document)};
}

// The engine opens the file itself; what was unpacked for us is written out for it.
Result<std::string> PlainFile(LoadedModel& loaded, const std::string& path,
                              const std::string& folder) {
  std::error_code failed;
  if (loaded.source.stored_bytes() == loaded.source.size() &&
      std::filesystem::is_regular_file(path, failed))
    return path;
  const std::string target = folder + "/model.onnx";
  TRY(WriteFileAtomically(target, [&](Sink& sink) -> Result<void> {
    constexpr std::size_t kStep = 1 << 20;
    for (std::uint64_t at = 0; at < loaded.source.size(); at += kStep) {
      TRY_ASSIGN(const std::string_view bytes, loaded.source.Window(at, kStep));
      sink.Append(bytes);
    }
    return {};
  }));
  return target;
}

std::string TempRoot(const Context& context) {
  return context.surroundings.temp_dir.empty() ? "/tmp" : context.surroundings.temp_dir;
}

MeasureRequest BuildMeasureRequest(const AnalyzeRequest& request, const Prepared& prepared,
                                   EngineOptions engine, const Context& context) {
  MeasureRequest out;
  for (const auto& [input, dims] : prepared.shapes.shapes) engine.shapes.push_back({input, dims});
  for (const auto& [input, rows] : IndexBounds(prepared.loaded.model, prepared.analysis))
    engine.values.push_back({input, rows, std::nullopt});
  out.engine = std::move(engine);
  if (request.run.warmup) out.warmup = *request.run.warmup;
  if (request.run.runs) out.runs = *request.run.runs;
  if (request.run.seconds) out.time = Nanos{static_cast<std::int64_t>(*request.run.seconds * 1e9)};
  if (request.run.time_limit_seconds)
    out.time_limit = Nanos{static_cast<std::int64_t>(*request.run.time_limit_seconds * 1e9)};
  out.nodes = prepared.analysis.totals.nodes;
  out.temp_root = TempRoot(context);
  return out;
}

OnMeasureProgress ForwardProgress(const Context& context) {
  if (!context.progress) return {};
  return [&context](const MeasureProgress& at) {
    constexpr const char* kPhases[] = {"progress.timing", "progress.profile", "progress.optimized"};
    Progress out;
    out.phase = kPhases[static_cast<int>(at.phase)];
    out.done = at.session;
    out.of = at.sessions;
    if (at.median) out.median_ns = at.median->value;
    if (at.time_left) out.seconds_left = static_cast<double>(at.time_left->value) / 1e9;
    context.progress(out);
  };
}

// A refusal of shapes that we guessed is the user's to answer: name each dim and how to set it.
Error ExplainRefusal(Error error, const RunShapes& shapes) {
  if (error.code != "engine.refused" || shapes.guesses.empty()) return error;
  std::string dims;
  for (const GuessedDim& guess : shapes.guesses)
    dims += (dims.empty() ? "" : ", ") + guess.symbol + " of " + guess.input + " (axis " +
            std::to_string(guess.axis) + ", tried " + std::to_string(guess.size) + ")";
  return {"usage.shape",
          "the model does not run with the sizes taken for its free dims: " + dims +
              "; set them, for example " + ShapeOptionExample(shapes) +
              ". The engine said: " + error.message,
          error.place};
}

// The profile of an own run, joined; a profile that cannot be read is a loss, not a failure.
void AddOwnProfile(Prepared& prepared, const Measurement& measured, ImportLog& log) {
  if (!measured.profiled) return;
  ProfileRequest profile;
  profile.file = measured.profiled->file.path;
  profile.optimized_model = measured.optimized_model.value_or("");
  profile.warmup = measured.profiled->warmup;
  profile.role = "profiled";
  const auto add = [&]() -> Result<void> {
    TRY_ASSIGN(const Trace trace, ReadProfile(profile, log));
    return AddProfile(profile, trace, prepared.loaded.model, prepared.analysis, prepared.document);
  };
  if (const auto added = add(); !added.has_value()) {
    log.Add(added.error().code, Severity::kLoss, added.error().place, added.error().message);
    return;
  }
  doc::Run& run = prepared.document.runs.back();
  run.file.reset();  // it lay in a temporary folder
  run.profiling_overhead = measured.profiled->overhead;
}

Result<void> KeepProfile(const Measurement& measured, const std::string& target) {
  if (target.empty()) return {};
  if (!measured.profiled)
    return Error{"measure.no-profile", "there is no profile to keep: the profiled run failed",
                 target};
  std::error_code failed;
  std::filesystem::copy_file(measured.profiled->file.path, target,
                             std::filesystem::copy_options::overwrite_existing, failed);
  if (failed)
    return Error{"output.unwritable", "cannot write the profile: " + failed.message(), target};
  return {};
}

// Runs the model and adds what was measured. An engine failure leaves the document as it is.
Result<std::optional<Error>> RunAndJoin(const AnalyzeRequest& request, const Context& context,
                                        Prepared& prepared, ImportLog& log) {
  auto engine = BuildEngineOptions(request.run, context.surroundings);
  if (!engine.has_value()) {
    if (engine.error().code == "engine.missing") return std::optional(engine.error());
    return std::move(engine.error());
  }
  TRY_ASSIGN(const TempFolder unpacked, TempFolder::Make(TempRoot(context)));
  TRY_ASSIGN(engine->model, PlainFile(prepared.loaded, request.model.path, unpacked.path()));
  const auto measured = Measure(BuildMeasureRequest(request, prepared, std::move(*engine), context),
                                context.stop, ForwardProgress(context));
  if (!measured.has_value()) {
    Error error = ExplainRefusal(measured.error(), prepared.shapes);
    if (error.code.rfind("usage.", 0) == 0 || error.code == "engine.input" ||
        error.code == "engine.option" || error.code == "engine.shape")
      return error;
    return std::optional(std::move(error));
  }
  doc::Document& document = prepared.document;
  document.conditions = BuildConditions(*measured, request.run);
  for (const std::string& assumption : measured->assumptions)
    document.assumptions.push_back(doc::Text(assumption));
  if (!measured->sessions.empty()) document.runs.push_back(BuildTimingRun(*measured, 0));
  AddOwnProfile(prepared, *measured, log);
  AddMeasurementQuality(*measured, document.data_quality);
  TRY(KeepProfile(*measured, request.keep_profile));
  if (measured->interrupted)
    return std::optional(Error{"engine.interrupted", "interrupted before the measurement was whole",
                               prepared.loaded.model.file});
  return std::optional<Error>();
}

}  // namespace

Result<Outcome> Analyze(const AnalyzeRequest& request, const Context& context) {
  ImportLog log;
  const bool will_run = !request.no_run && request.profiles.empty();
  ModelOptions model_options = request.model;
  model_options.hash = request.model.hash || will_run;
  TRY_ASSIGN(LoadedModel loaded, LoadModel(model_options, log));
  std::vector<ProfileRequest> profiles;
  std::vector<Trace> traces;
  for (const std::string& file : request.profiles) {
    ProfileRequest profile;
    profile.file = file;
    profile.as = request.profile_as;
    profile.optimized_model = request.optimized_model;
    profile.full_paths = request.model.full_paths;
    TRY_ASSIGN(Trace trace, ReadProfile(profile, log));
    profiles.push_back(std::move(profile));
    traces.push_back(std::move(trace));
  }
  TRY_ASSIGN(Prepared prepared, Prepare(std::move(loaded), request.model, will_run,
                                        traces.empty() ? nullptr : &traces.front(), log));
  std::optional<Error> failure;
  if (will_run) {
    TRY_ASSIGN(failure, RunAndJoin(request, context, prepared, log));
  }
  for (std::size_t i = 0; i < traces.size(); ++i)
    TRY(AddProfile(profiles[i], traces[i], prepared.loaded.model, prepared.analysis,
                   prepared.document));
  TRY(CheckStrict(log, request.model.strict));
  AddDataQuality(log, prepared.document.data_quality);
  return Outcome{std::move(prepared.document), std::move(failure)};
}

Result<doc::Document> Inspect(const ModelOptions& model, const Context& context) {
  ImportLog log;
  TRY_ASSIGN(LoadedModel loaded, LoadModel(model, log));
  if (context.progress) {
    const auto nodes = static_cast<std::int64_t>(loaded.model.nodes.size());
    context.progress({"progress.layers", 0, nodes, {}, {}});
  }
  TRY_ASSIGN(Prepared prepared, Prepare(std::move(loaded), model, false, nullptr, log));
  AddDataQuality(log, prepared.document.data_quality);
  doc::Document document = std::move(prepared.document);
  if (context.discard) context.discard(std::make_shared<Prepared>(std::move(prepared)));
  return document;
}

}  // namespace opscope
