// Real TFLite files (./dev test fetches them): every operator known or named, MACs as a count of
// their own makes them, every shape as stored. The count below reads the files anew and shares
// nothing with the reader.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"

namespace opscope {
namespace {

// A trusted flatbuffer in memory.
class Plain {
 public:
  explicit Plain(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  T At(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  std::size_t Root() const { return At<std::uint32_t>(0); }
  std::size_t Field(std::size_t table, std::size_t slot) const {
    const std::size_t vtable = table - static_cast<std::size_t>(At<std::int32_t>(table));
    if (At<std::uint16_t>(vtable) <= 4 + 2 * slot) return 0;
    const std::size_t place = At<std::uint16_t>(vtable + 4 + 2 * slot);
    return place == 0 ? 0 : table + place;
  }
  template <class T>
  T Number(std::size_t table, std::size_t slot) const {
    const std::size_t at = Field(table, slot);
    return at == 0 ? T{} : At<T>(at);
  }
  std::size_t Child(std::size_t table, std::size_t slot) const {
    const std::size_t at = Field(table, slot);
    return at == 0 ? 0 : at + At<std::uint32_t>(at);
  }
  std::size_t Size(std::size_t vector) const { return vector == 0 ? 0 : At<std::uint32_t>(vector); }
  std::size_t Item(std::size_t vector, std::size_t i) const {
    const std::size_t at = vector + 4 + 4 * i;
    return at + At<std::uint32_t>(at);
  }
  std::vector<std::int64_t> Ints(std::size_t vector) const {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < Size(vector); ++i)
      numbers.push_back(At<std::int32_t>(vector + 4 + 4 * i));
    return numbers;
  }
  std::string Text(std::size_t text) const {
    return text == 0 ? std::string() : bytes_.substr(text + 4, Size(text));
  }

 private:
  std::string bytes_;
};

Source Opened(const std::string& path) {
  Result<Source> source = Source::Open(path);
  EXPECT_TRUE(source.has_value());
  return std::move(*source);
}

struct StoredTensor {
  std::string name;
  std::vector<std::int64_t> shape;
};

struct Counted {
  std::int64_t macs = 0;
  std::size_t operators = 0;
  std::vector<StoredTensor> tensors;
};

std::int64_t Product(const std::vector<std::int64_t>& dims, std::size_t first = 0) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < dims.size(); ++i) product *= dims[i];
  return product;
}

// The main graph's, at the sizes stored in the file (free ones count 1 there).
Counted CountByHand(const Plain& file) {
  constexpr int kConv = 3, kDepthwise = 4, kFullyConnected = 9, kBatchMatMul = 126;
  const std::size_t codes = file.Child(file.Root(), 1);
  const std::size_t graph = file.Item(file.Child(file.Root(), 2), 0);
  const std::size_t tensors = file.Child(graph, 0);
  const std::size_t ops = file.Child(graph, 3);
  Counted counted;
  for (std::size_t i = 0; i < file.Size(tensors); ++i) {
    const std::size_t tensor = file.Item(tensors, i);
    counted.tensors.push_back({file.Text(file.Child(tensor, 3)), file.Ints(file.Child(tensor, 0))});
  }
  const auto shape = [&](std::int64_t index) {
    return counted.tensors[static_cast<std::size_t>(index)].shape;
  };
  counted.operators = file.Size(ops);
  for (std::size_t i = 0; i < counted.operators; ++i) {
    const std::size_t op = file.Item(ops, i);
    const std::size_t code = file.Item(codes, file.Number<std::uint32_t>(op, 0));
    const int number =
        std::max<int>(file.Number<std::int8_t>(code, 0), file.Number<std::int32_t>(code, 3));
    const auto inputs = file.Ints(file.Child(op, 1));
    const auto outputs = file.Ints(file.Child(op, 2));
    if (number == kConv) {
      counted.macs += Product(shape(outputs[0])) * Product(shape(inputs[1]), 1);
    } else if (number == kDepthwise) {
      const auto weight = shape(inputs[1]);
      counted.macs += Product(shape(outputs[0])) * weight[1] * weight[2];
    } else if (number == kFullyConnected) {
      counted.macs += Product(shape(outputs[0])) * shape(inputs[1])[1];
    } else if (number == kBatchMatMul) {
      counted.macs += Product(shape(outputs[0])) * shape(inputs[0]).back();
    }
  }
  return counted;
}

struct RealModel {
  std::string path;
  std::size_t operators;
  std::int64_t macs;
};

class TfliteModels : public testing::TestWithParam<RealModel> {};

TEST_P(TfliteModels, AreCountedExactly) {
  const std::string path = std::string(OPSCOPE_MODELS_DIR) + "/" + GetParam().path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; ./dev test --models";
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const Counted counted = CountByHand(Plain(bytes.str()));
  EXPECT_EQ(counted.operators, GetParam().operators);
  EXPECT_EQ(counted.macs, GetParam().macs);

  Analysed plain = Analyse(Opened(path));
  Bindings ones;
  for (const TensorId input : plain.model.main().inputs)
    for (const Dim dim : *plain.model.tensor(input).declared.shape.dims)
      for (const std::string& symbol : plain.model.dims.Symbols(dim)) ones[symbol] = 1;
  // Two free axes: the window of the spectrogram has to fit.
  if (ones.size() > 1) ones.rbegin()->second = 640 - 128;
  Analysed out = Analyse(Opened(path), {.bindings = ones, .shapes = {}});
  for (const Layer& layer : out.analysis.layers)
    EXPECT_NE(layer.status, LayerStatus::kUnknown) << out.model.text(out.model.node(layer.node).op);
  EXPECT_TRUE(out.totals().complete);
  EXPECT_TRUE(out.log.issues().empty()) << out.log.issues()[0].message;
  EXPECT_EQ(out.model.nodes.size(), counted.operators);
  EXPECT_EQ(out.totals().counts.macs, Dim(GetParam().macs));
}

TEST_P(TfliteModels, HaveTheShapesOfTheFile) {
  const std::string path = std::string(OPSCOPE_MODELS_DIR) + "/" + GetParam().path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; ./dev test --models";
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const Counted counted = CountByHand(Plain(bytes.str()));
  Analysed plain = Analyse(Opened(path));
  Bindings ones;
  for (const TensorId input : plain.model.main().inputs)
    for (const Dim dim : *plain.model.tensor(input).declared.shape.dims)
      for (const std::string& symbol : plain.model.dims.Symbols(dim)) ones[symbol] = 1;
  if (ones.size() > 1) GTEST_SKIP() << "several free axes: stored sizes do not belong together";
  Analysed out = Analyse(Opened(path), {.bindings = ones, .shapes = {}});
  std::map<std::string, std::vector<std::int64_t>> stored;
  for (const StoredTensor& tensor : counted.tensors) stored[tensor.name] = tensor.shape;
  std::size_t looked_at = 0;
  for (std::size_t t = 0; t < out.model.tensors.size(); ++t) {
    const std::string name(out.model.text(out.model.tensors[t].name));
    const auto known = stored.find(name);
    ASSERT_NE(known, stored.end()) << name;
    const TensorFact& fact = out.analysis.fact({static_cast<std::uint32_t>(t)});
    ASSERT_TRUE(fact.shape.known_rank()) << name;
    EXPECT_EQ(*fact.shape.dims, std::vector<Dim>(known->second.begin(), known->second.end()))
        << name;
    ++looked_at;
  }
  EXPECT_GT(looked_at, counted.operators);
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteModels,
    testing::Values(RealModel{"mediapipe/face_detection_short_range.tflite", 164, 30'760'960},
                    RealModel{"mediapipe/face_detection_full_range.tflite", 354, 105'671'232},
                    RealModel{"mediapipe/face_detection_full_range_sparse.tflite", 388,
                              117'188'352},
                    RealModel{"mediapipe/hand_landmark_lite.tflite", 167, 145'605'824},
                    RealModel{"mediapipe/hand_landmark_full.tflite", 165, 330'968'800},
                    RealModel{"mediapipe/pose_landmark_lite.tflite", 305, 197'822'208},
                    RealModel{"mediapipe/pose_landmark_full.tflite", 332, 386'148'736},
                    RealModel{"mediapipe/pose_landmark_heavy.tflite", 689, 1'927'318'656},
                    RealModel{"basic-pitch/nmp.tflite", 222, 524'079'648},
                    RealModel{"openwakeword/embedding_model.tflite", 64, 41'955'840},
                    RealModel{"openwakeword/melspectrogram.tflite", 26, 271'392}),
    [](const auto& test) { return std::filesystem::path(test.param.path).stem().string(); });

}  // namespace
}  // namespace opscope
