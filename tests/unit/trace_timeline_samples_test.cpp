// labels: samples
// Published and recomputed answers for genuine PyTorch traces (the samples' README and the tables
// of the trace design): exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope::test {
namespace {

const std::string kTorch = OPSCOPE_SAMPLES_DIR "/torch/";

class TimelineSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTorch)) GTEST_SKIP() << "no samples beside the project";
  }
  Timeline Read(const std::string& file) {
    auto source = Source::Open(kTorch + file);
    CHECK(source.has_value());
    auto read = ReadTrace({*source, log_});
    CHECK(read.has_value());
    trace_ = std::move(*read);
    EXPECT_TRUE(log_.issues().empty());
    return BuildTimeline(trace_);
  }

  ImportLog log_;
  Trace trace_;
};

struct Known {
  const char* file;
  std::int64_t device, busy, idle, span, compute, copy, memset, orphans, work, linked_busy,
      linked_span;
};

TEST_F(TimelineSamples, BusyAndIdleToTheNanosecond) {
  const Known kKnown[] = {
      {"h100-gaunernst_bert-small-uncased__1016001.json.gz", 0, 309437, 3598388, 3907825, 307197,
       2240, 0, 0, 61, 309437, 3907825},
      {"h100-Falconsai_nsfw_image_detection__1016002.json.gz", 0, 1225310, 6334534, 7559844,
       1220926, 0, 4384, 0, 156, 1225310, 7559844},
      {"h100-Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 0, 45647300, 4005532, 49652832, 45432698,
       2368, 212234, 509, 1707, 31905473, 34892419},
      {"mi210-gpu_only.json.gz", 1, 5343422, 636081, 5979503, 5343422, 0, 0, 0, 562, 5343422,
       5979503},
      {"torch_compile_triton.json.gz", 2, 12549021, 11, 12549032, 12549021, 0, 0, 0, 12, 12549021,
       12549032},
      {"hta-triton_example.json.gz", 0, 1760, 0, 1760, 1760, 0, 0, 0, 1, 1760, 1760},
      {"hta-nccl_data.json.gz", 0, 157500014, 503050991, 660551005, 115655847, 2262781, 390717, 0,
       3774, 157500014, 660551005},
      {"hta-simple_add.json.gz", 0, 49758000, 15975817000, 16025575000, 10670000, 39080000, 8000, 0,
       98, 49758000, 16025575000},
      {"hta-mi250.json.gz", 2, 149042, 8762845, 8911887, 110881, 38161, 0, 0, 16, 149042, 8911887},
      {"tbplugin-resnet50-workers0.json.gz", 0, 603558000, 392919000, 996477000, 591532000,
       11492000, 534000, 0, 9096, 603558000, 996477000},
  };
  for (const Known& known : kKnown) {
    SCOPED_TRACE(known.file);
    const Timeline timeline = Read(known.file);
    ASSERT_EQ(timeline.devices.size(), 1U);
    const DeviceTime& device = timeline.devices[0];
    EXPECT_EQ(device.device, known.device);
    EXPECT_EQ(device.all.busy_ns, known.busy);
    EXPECT_EQ(device.all.idle_ns, known.idle);
    EXPECT_EQ(device.all.span_ns, known.span);
    EXPECT_EQ(device.all.compute_ns, known.compute);
    EXPECT_EQ(device.copy_ns, known.copy);
    EXPECT_EQ(device.memset_ns, known.memset);
    EXPECT_EQ(device.orphans, known.orphans);
    EXPECT_EQ(device.work, known.work);
    EXPECT_EQ(device.linked.busy_ns, known.linked_busy);
    EXPECT_EQ(device.linked.span_ns, known.linked_span);
    std::int64_t gaps = 0;
    for (const GapSum& sum : timeline.gap_sums) gaps += sum.ns;
    EXPECT_EQ(gaps, device.all.idle_ns);
  }
}

TEST_F(TimelineSamples, OrphansAreMostOfACutTrace) {
  EXPECT_EQ(Read("hta-compare-base.json.gz").devices[0].orphans, 16);
  const Timeline test = Read("hta-compare-test.json.gz");
  EXPECT_EQ(test.devices[0].orphans, 16);
  EXPECT_EQ(test.devices[0].work, 17);
}

TEST_F(TimelineSamples, CommunicationAndWhatIsExposed) {
  const Timeline timeline = Read("hta-nccl_data.json.gz");
  const DeviceTime& device = timeline.devices[0];
  EXPECT_EQ(device.communication_kernels, 21);
  // Another tool's 46876.492, 39529.327 and 1924.190 us, which drift by up to 0.1 us.
  EXPECT_EQ(device.communication_ns, 46876493);
  EXPECT_EQ(device.exposed_communication_ns, 39529327);
  EXPECT_NEAR(static_cast<double>(device.exposed_copy_ns), 1924190, 100);
}

TEST_F(TimelineSamples, StepsAndUseAsTheTensorBoardPluginGivesThem) {
  const Timeline timeline = Read("tbplugin-resnet50-workers0.json.gz");
  // us: kernel, copy, memset, runtime, data loader, CPU, other.
  const std::int64_t kSteps[6][7] = {
      {98598, 1941, 90, 2796, 69317, 14091, 1115}, {98570, 1947, 89, 2762, 57669, 12968, 1148},
      {98596, 1931, 91, 2877, 61257, 13768, 1213}, {98623, 1938, 89, 2841, 56453, 13420, 1200},
      {98504, 1937, 87, 2788, 62690, 15025, 1141}, {98641, 1798, 88, 3381, 48185, 12773, 1117}};
  const StepPart kParts[7] = {StepPart::kKernel,  StepPart::kCopy,       StepPart::kMemset,
                              StepPart::kRuntime, StepPart::kDataLoader, StepPart::kCpu,
                              StepPart::kOther};
  ASSERT_EQ(timeline.steps.steps.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t part = 0; part < 7; ++part)
      EXPECT_EQ(timeline.steps.steps[i].parts_ns[static_cast<std::size_t>(kParts[part])],
                kSteps[i][part] * 1000)
          << i << " " << part;
  const DeviceTime& device = timeline.devices[0];
  EXPECT_NEAR(*device.utilisation, 0.5551, 0.00005);
  EXPECT_NEAR(*device.sm_efficiency, 0.5468, 0.00005);
  EXPECT_NEAR(*device.occupancy, 0.4913, 0.00005);
}

TEST_F(TimelineSamples, DeviceTimeByOp) {
  const Timeline timeline = Read("tbplugin-resnet50-workers0.json.gz");
  std::map<std::string, OpRow> rows;
  for (const OpRow& row : timeline.ops) rows[std::string(trace_.text(row.name))] = row;
  const OpRow& weight = rows.at("aten::cudnn_convolution_backward_weight");
  EXPECT_EQ(weight.calls, 318);
  EXPECT_EQ(weight.self_device_ns, 142461000);
  EXPECT_EQ(weight.self_cpu_ns, 22804000);
  EXPECT_EQ(weight.cpu_ns, 40246000);
  const OpRow& input = rows.at("aten::cudnn_convolution_backward_input");
  EXPECT_EQ(input.calls, 312);
  EXPECT_EQ(input.self_device_ns, 130967000);
  EXPECT_EQ(rows.at("aten::cudnn_convolution").self_device_ns, 126619000);
}

// Every row of torch's own table, to the nanosecond that its decimals allow.
TEST_F(TimelineSamples, OpsAsKeyAveragesDefinesThem) {
  std::size_t rows_seen = 0;
  for (const std::string name :
       {"own-resnet-infer", "own-tf-infer-noshape", "own-tf-train-stack"}) {
    const Timeline timeline = Read(name + ".json.gz");
    std::map<std::string, OpRow> rows;
    for (const OpRow& row : timeline.ops) rows[std::string(trace_.text(row.name))] = row;
    std::ifstream file(kTorch + name + ".key_averages.json");
    const nlohmann::json expected = nlohmann::json::parse(file);
    EXPECT_EQ(rows.size(), expected.size()) << name;
    for (const auto& row : expected) {
      const std::string op = row["name"];
      ASSERT_TRUE(rows.contains(op)) << op;
      EXPECT_EQ(rows[op].calls, row["count"].get<std::int64_t>()) << op;
      EXPECT_NEAR(static_cast<double>(rows[op].self_cpu_ns),
                  row["self_cpu_time_total"].get<double>() * 1000, 1.0)
          << op;
      EXPECT_NEAR(static_cast<double>(rows[op].cpu_ns), row["cpu_time_total"].get<double>() * 1000,
                  1.0)
          << op;
      ++rows_seen;
    }
  }
  EXPECT_EQ(rows_seen, 358U);
}

TEST_F(TimelineSamples, BaseTimeAndFirstEvent) {
  Read("hta-triton_example.json.gz");
  EXPECT_EQ(trace_.recording.base_ns, 1727743122000000000);
  // Its first event in the file, which is not the earliest.
  EXPECT_EQ(std::count(trace_.begin.begin(), trace_.begin.end(), 2413669096090100), 1);
}

TEST_F(TimelineSamples, ATraceWithoutDevicesHasNoDevices) {
  const Timeline timeline = Read("hta-cpu_only.json.gz");
  EXPECT_TRUE(timeline.devices.empty());
  EXPECT_TRUE(timeline.gaps.empty());
}

}  // namespace
}  // namespace opscope::test
