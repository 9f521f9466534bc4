// labels: models
// ONNX Runtime as the judge: every tensor's dtype and shape as computed here equals what the
// runtime produced, on the real models of the set-up and at several sizes of their free dims. The
// shapes are those of its profile, recorded without optimisation, so that it runs the file's nodes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/locate.h"
#include "model/formats/format.h"
#include "ops/propagate.h"
#include "trace/formats/format.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

using Sizes = std::map<std::string, std::vector<std::int64_t>>;

struct Judged {
  std::string model;  // below the folder of models
  std::vector<Sizes> runs;
};

const std::vector<Judged>& Models() {
  static const std::vector<Judged> kModels = {
      {"basic-pitch/nmp.onnx",
       {{{"serving_default_input_2:0", {1, 43844, 1}}},
        {{"serving_default_input_2:0", {3, 43844, 1}}}}},
      {"magika/model.onnx", {{{"bytes", {1, 2048}}}, {{"bytes", {5, 2048}}}}},
      {"minilm/classic.onnx", {{}}},
      {"minilm/dynamo.onnx", {{}}},
      {"ocr-models/ch_PP-OCRv4_det_infer.onnx",
       {{{"x", {1, 3, 320, 320}}}, {{"x", {1, 3, 96, 160}}}, {{"x", {2, 3, 64, 64}}}}},
      {"ocr-models/ch_PP-OCRv4_rec_infer.onnx",
       {{{"x", {1, 3, 48, 320}}}, {{"x", {3, 3, 48, 100}}}}},
      {"openwakeword/embedding_model.onnx",
       {{{"input_1", {1, 76, 32, 1}}}, {{"input_1", {4, 76, 32, 1}}}}},
      {"openwakeword/melspectrogram.onnx",
       {{{"input", {1, 12640}}}, {{"input", {2, 1280}}}, {{"input", {1, 4001}}}}},
      {"rapidocr/PP-OCRv6_det_small.onnx", {{{"x", {1, 3, 320, 320}}}, {{"x", {1, 3, 64, 96}}}}},
      {"rapidocr/PP-OCRv6_rec_small.onnx", {{{"x", {1, 3, 48, 320}}}, {{"x", {2, 3, 48, 64}}}}},
      {"rapidocr/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
       {{{"x", {1, 3, 48, 192}}}, {{"x", {5, 3, 48, 192}}}}},
      {"silero-vad/silero_vad.onnx",
       {{{"input", {1, 576}}, {"state", {2, 1, 128}}},
        {{"input", {3, 576}}, {"state", {2, 3, 128}}}}},
      {"silero-vad/silero_vad_16k_op15.onnx",
       {{{"input", {1, 576}}, {"state", {2, 1, 128}}},
        {{"input", {2, 576}}, {"state", {2, 2, 128}}}}},
      {"silero-vad/silero_vad_16k_sequence.onnx", {{{"input", {4, 576}}}, {{"input", {1, 576}}}}},
      {"silero-vad/silero_vad_half.onnx", {{{"input", {1, 576}}, {"state", {2, 1, 128}}}}},
      {"silero-vad/silero_vad_op18_ifless.onnx",
       {{{"input", {1, 576}}, {"state", {2, 1, 128}}},
        {{"input", {2, 576}}, {"state", {2, 2, 128}}}}},
      {"silero-vad/silero_vad_openvino_16k.onnx", {{}}},
      {"vad-web/silero_vad_legacy.onnx",
       {{{"input", {1, 576}}, {"h", {2, 1, 64}}, {"c", {2, 1, 64}}},
        {{"input", {2, 1536}}, {"h", {2, 2, 64}}, {"c", {2, 2, 64}}}}},
      {"vad-web/silero_vad_v5.onnx", {{{"input", {1, 576}}, {"state", {2, 1, 128}}}}},
  };
  return kModels;
}

// "Conv_3" -> what each run of that node gave: "float32[1,16,8,8] int64[2]".
using Produced = std::multimap<std::string, std::string>;

struct Tally {
  std::size_t tensors = 0, differ = 0, unknown = 0;
  std::string first;
};

class Judge : public testing::Test {
 protected:
  void SetUp() override {
    EngineSearch search;
    search.program_folders = {OPSCOPE_BUILD_DIR};
    search.setup_folders = {std::string(OPSCOPE_SOURCE_DIR) + "/build/engines/ort"};
    search.system_folders = SystemLibraryFolders();
    const auto found = LocateEngine(*FindEngine("ort"), search);
    if (!found.has_value()) GTEST_SKIP() << found.error().message;
    options_.program = found->program;
    options_.library = found->library;
    options_.level = OptimizationLevel::kNone;
  }

  // Nothing when the model cannot be run so.
  std::optional<Produced> Run(const std::string& path, const Sizes& sizes) {
    options_.model = path;
    options_.shapes.clear();
    for (const auto& [input, dims] : sizes) options_.shapes.push_back({input, dims});
    options_.profile_prefix = testing::TempDir() + "/judge-" + std::to_string(getpid());
    auto session = EngineSession::Open(options_);
    if (!session.has_value()) {
      ADD_FAILURE() << path << ": " << session.error().ToString();
      return std::nullopt;
    }
    const auto samples = session->Run({});
    EXPECT_TRUE(samples.has_value()) << path << ": " << samples.error().ToString();
    const auto file = session->EndProfile();
    EXPECT_TRUE(file.has_value());
    if (!samples.has_value() || !file.has_value()) return std::nullopt;
    auto source = Source::Open(file->path);
    ImportLog log;
    const auto trace = ReadTrace({*source, log});
    fs::remove(file->path);
    EXPECT_TRUE(trace.has_value());
    if (!trace.has_value()) return std::nullopt;
    Produced produced;
    for (std::size_t event = 0; event < trace->size(); ++event) {
      const OpArgs* args = trace->args_of(event);
      if (args == nullptr || trace->kind[event] == EventKind::kSync) continue;
      std::string name(trace->name_of(event));
      if (const auto end = name.rfind("_kernel_time"); end != name.npos) name.resize(end);
      produced.emplace(name, trace->text(args->outputs));
    }
    return produced;
  }

  EngineOptions options_;
};

std::string TextOf(const TensorFact& fact) {
  std::string text = std::string(Name(fact.dtype)) + "[";
  for (std::size_t i = 0; i < fact.shape.rank(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string((*fact.shape.dims)[i].number());
  return text + "]";
}

// All numbers.
bool IsKnown(const TensorFact& fact) {
  if (fact.dtype == DType::kUnknown || !fact.shape.known_rank()) return false;
  for (const Dim dim : *fact.shape.dims)
    if (!dim.is_number()) return false;
  return true;
}

// The tensors of a node as the profile lists them: those that are there, tensors alone. Nothing
// when one of them is not known in full.
std::optional<std::string> Expected(const Model& model, const std::vector<TensorFact>& facts,
                                    const Node& node) {
  std::string text;
  for (const TensorId output : node.outputs) {
    if (!output.valid() || model.text(model.tensor(output).name).empty()) continue;
    const TensorFact& fact = facts[output.index()];
    if (fact.kind != ValueKind::kTensor) continue;
    if (!IsKnown(fact)) return std::nullopt;
    text += (text.empty() ? "" : " ") + TextOf(fact);
  }
  return text;
}

void Compare(const Model& model, const std::vector<TensorFact>& facts, const Produced& produced,
             Tally& tally) {
  std::map<std::string, int> times;
  for (const Node& node : model.nodes) ++times[std::string(model.text(node.name))];
  for (const Node& node : model.nodes) {
    const std::string name(model.text(node.name));
    // Nodes of one name cannot be told apart.
    if (name.empty() || times[name] > 1) continue;
    const auto [begin, end] = produced.equal_range(name);
    for (auto run = begin; run != end; ++run) {
      tally.tensors += node.outputs.size();
      const auto expected = Expected(model, facts, node);
      if (!expected) {
        tally.unknown += node.outputs.size();
      } else if (*expected != run->second) {
        if (tally.differ++ == 0)
          tally.first =
              Label(model, node) + ": computed " + *expected + ", produced " + run->second;
      }
    }
  }
}

struct Computed {
  Model model;
  Propagation facts;
};

Computed Compute(const std::string& path, const PropagateOptions& options) {
  Computed out;
  ImportLog log;
  auto source = Source::Open(path);
  auto model = ReadModel({*source, log, {}});
  EXPECT_TRUE(model.has_value()) << path;
  out.model = std::move(*model);
  ExpandFunctions(out.model, log);
  auto facts = Propagate(out.model, options, log);
  EXPECT_TRUE(facts.has_value()) << path;
  out.facts = std::move(*facts);
  return out;
}

// The names of the inputs' free dims with the sizes they are run with.
Bindings BindingsOf(const Model& model, const Sizes& sizes) {
  Bindings bindings;
  for (const TensorId input : model.main().inputs) {
    const auto given = sizes.find(std::string(model.text(model.tensor(input).name)));
    const Shape& shape = model.tensor(input).declared.shape;
    if (given == sizes.end() || !shape.known_rank()) continue;
    for (std::size_t i = 0; i < shape.rank(); ++i)
      for (const std::string& symbol : model.dims.Symbols((*shape.dims)[i]))
        bindings[symbol] = given->second[i];
  }
  return bindings;
}

TEST_F(Judge, EveryTensorOfEveryModel) {
  std::size_t models = 0;
  for (const Judged& each : Models()) {
    const std::string path = std::string(OPSCOPE_MODELS_DIR) + "/" + each.model;
    if (!fs::exists(path)) continue;
    ++models;
    Computed symbolic = Compute(path, {});
    Tally numbers, formulas;
    for (const Sizes& sizes : each.runs) {
      const auto produced = Run(path, sizes);
      if (!produced) continue;
      const Computed bound = Compute(path, {.bindings = {}, .shapes = sizes});
      Compare(bound.model, bound.facts.facts, *produced, numbers);
      // What was found without the sizes, with the sizes put in.
      std::vector<TensorFact> facts = symbolic.facts.facts;
      const Bindings bindings = BindingsOf(symbolic.model, sizes);
      for (TensorFact& fact : facts)
        if (fact.shape.known_rank())
          for (Dim& dim : *fact.shape.dims) dim = symbolic.model.dims.Bind(dim, bindings);
      Compare(symbolic.model, facts, *produced, formulas);
    }
    EXPECT_EQ(numbers.differ, 0U) << each.model << ": " << numbers.first;
    EXPECT_EQ(formulas.differ, 0U) << each.model << ", as formulas: " << formulas.first;
    EXPECT_GT(numbers.tensors, 0U) << each.model;
    EXPECT_LE(numbers.unknown * 20, numbers.tensors) << each.model;
    std::printf("%-48s %6zu tensors, %zu unknown; as formulas %zu unknown\n", each.model.c_str(),
                numbers.tensors, numbers.unknown, formulas.unknown);
  }
  if (models == 0) GTEST_SKIP() << "no models in " << OPSCOPE_MODELS_DIR << "; ./dev test --models";
}

}  // namespace
}  // namespace opscope
