// TFLite files whose weights lie behind the graph or in other files; they are never read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "cost/static_analysis.h"
#include "model/formats/format.h"
#include "support/cost_text.h"
#include "support/tflite_model.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;
using testing::I8;
using testing::TfliteGraph;
using testing::TfliteTensor;

constexpr std::int64_t kRows = 50'000, kColumns = 16'000, kBytes = kRows * kColumns * 4;

// One product of a row with a matrix of 3.2 GB.
TfliteGraph Product(TfliteTensor::Place place) {
  TfliteTensor weight{.name = "w", .shape = {kRows, kColumns}};
  weight.place = std::move(place);
  return {{{"x", {1, kColumns}}, weight, {"y", {1, kRows}}},
          {0},
          {2},
          {{9, {0, 1, -1}, {2}, 8, {{0, I8(0)}}}}};
}

class TfliteLarge : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("opscope-tflite-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The file, sparse on the disk up to `size`.
  std::string Write(const std::string& bytes, std::uint64_t size) {
    const std::string path = (folder_ / "large.tflite").string();
    std::ofstream(path, std::ios::binary) << bytes;
    fs::resize_file(path, size);
    return path;
  }

  fs::path folder_;
};

TEST_F(TfliteLarge, BuffersBehindTheGraphByOffset) {
  constexpr std::int64_t kAt = 4096;
  const std::string path =
      Write(testing::TfliteFile({Product({.offset = kAt, .size = kBytes})}), kAt + kBytes);
  const auto begin = std::chrono::steady_clock::now();
  Result<Source> source = Source::OpenRaw(path);
  ASSERT_TRUE(source.has_value());
  const Analysed out = Analyse(std::move(*source));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(out.Text(out.totals().counts.macs), std::to_string(kRows * kColumns));
  EXPECT_EQ(out.Text(out.totals().parameter_bytes), std::to_string(kBytes));
  ASSERT_EQ(out.model.payloads.size(), 1U);
  EXPECT_EQ(out.model.payloads[0].offset, static_cast<std::uint64_t>(kAt));
  EXPECT_EQ(out.model.payloads[0].length, static_cast<std::uint64_t>(kBytes));
  EXPECT_LT(took.count(), 1000) << "3.2 GB are not read in a second";
}

TEST_F(TfliteLarge, ABufferPastTheEndIsRefused) {
  const std::string path =
      Write(testing::TfliteFile({Product({.offset = 4096, .size = kBytes})}), kBytes);
  Result<Source> source = Source::OpenRaw(path);
  ASSERT_TRUE(source.has_value());
  ImportLog log;
  const auto model = ReadModel({*source, log, {}});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, "tflite.truncated");
}

// The other file is asked for its size alone; absent, its weights still count.
TEST_F(TfliteLarge, BuffersInOtherFiles) {
  for (const bool present : {true, false}) {
    Source source = Source::FromBytes(
        "m.tflite",
        testing::TfliteFile({Product({.offset = 64, .size = kBytes, .file = "w.bin"})}));
    ImportLog log;
    const auto sibling = [present](const std::string& name) -> Result<Source> {
      EXPECT_EQ(name, "w.bin");
      if (!present) return Error{"input.missing", "no such file", name};
      return Source::FromBytes(name, "12345678");
    };
    auto model = ReadModel({source, log, sibling});
    ASSERT_TRUE(model.has_value()) << model.error().ToString();
    const auto analysis = AnalyzeStatic(*model, {}, log);
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(model->dims.ToText(analysis->totals.parameter_bytes), std::to_string(kBytes));
    ASSERT_EQ(model->external_files.size(), 1U);
    EXPECT_EQ(model->external_files[0].bytes.has_value(), present);
    EXPECT_EQ(model->payloads[0].offset, 64U);
  }
}

}  // namespace
}  // namespace opscope
