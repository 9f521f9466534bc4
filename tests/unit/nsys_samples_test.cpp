// labels: samples
// Published and recomputed answers for genuine Nsight Systems exports (the samples' README and the
// tables of the trace design): exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope::test {
namespace {

const std::string kNsys = OPSCOPE_SAMPLES_DIR "/nsys/";

class NsysSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kNsys)) GTEST_SKIP() << "no samples beside the project";
  }
  Timeline Read(const std::string& file) {
    auto source = Source::Open(kNsys + file);
    CHECK(source.has_value());
    auto read = ReadTrace({*source, log_});
    CHECK(read.has_value());
    trace_ = std::move(*read);
    EXPECT_TRUE(log_.issues().empty());
    return BuildTimeline(trace_);
  }
  std::map<EventKind, std::int64_t> Kinds() const {
    std::map<EventKind, std::int64_t> kinds;
    for (const EventKind kind : trace_.kind) ++kinds[kind];
    return kinds;
  }

  ImportLog log_;
  Trace trace_;
};

TEST_F(NsysSamples, TwoGpusEveryRow) {
  const Timeline timeline = Read("h100_2gpu_1s.sqlite");
  EXPECT_EQ(Kinds(), (std::map<EventKind, std::int64_t>{{EventKind::kOp, 16782},
                                                        {EventKind::kApi, 5796},
                                                        {EventKind::kKernel, 3442},
                                                        {EventKind::kCopy, 904},
                                                        {EventKind::kMemset, 22},
                                                        {EventKind::kDeviceSync, 244},
                                                        {EventKind::kOverhead, 198}}));
  EXPECT_EQ(trace_.producer.version, "2026.2.1.210");
  EXPECT_EQ(trace_.producer.evidence, "schema 3.25.0");
  EXPECT_EQ(trace_.recording.base_ns, 1779630014975716426);
}

TEST_F(NsysSamples, TwoGpusBusyAndIdle) {
  const Timeline timeline = Read("h100_2gpu_1s.sqlite");
  ASSERT_EQ(timeline.devices.size(), 2U);
  const std::int64_t spans[] = {969447605, 969258578}, kernel_ns[] = {22385163, 22444359};
  const double idle[] = {0.6764, 0.6652};
  for (std::size_t i = 0; i < 2; ++i) {
    const DeviceTime& device = timeline.devices[i];
    EXPECT_EQ(device.device, static_cast<std::int64_t>(i));
    EXPECT_EQ(device.kernels, 1721);
    EXPECT_EQ(device.all.span_ns, spans[i]);
    EXPECT_NEAR(100.0 * static_cast<double>(device.all.idle_ns) / static_cast<double>(spans[i]),
                idle[i], 5e-5);
    std::int64_t sum = 0;
    for (const KernelRow& row : timeline.kernels)
      if (row.device == device.device) sum += row.ns;
    EXPECT_EQ(sum, kernel_ns[i]);
  }
  // Joined without the process there were 1,643.
  EXPECT_EQ(std::count_if(timeline.work.begin(), timeline.work.end(),
                          [&](const DeviceWork& item) {
                            return trace_.kind[item.event] == EventKind::kKernel &&
                                   item.call.valid();
                          }),
            1632);
  const auto top =
      std::max_element(timeline.kernels.begin(), timeline.kernels.end(),
                       [](const KernelRow& a, const KernelRow& b) { return a.ns < b.ns; });
  EXPECT_EQ(trace_.text(top->name).substr(0, 10), "sm80_xmma_");
}

TEST_F(NsysSamples, TwoGpusCopies) {
  const Timeline timeline = Read("h100_2gpu_1s.sqlite");
  std::map<std::pair<std::string, std::string>, std::array<std::int64_t, 3>> copies;
  for (const CopyRow& row : timeline.copies)
    copies[{row.kind, row.memory}] = {row.count, row.bytes, row.ns};
  ASSERT_EQ(copies.size(), 4U);
  const auto pinned = copies.at({"HtoD", "pinned"}), pageable = copies.at({"HtoD", "pageable"});
  EXPECT_EQ(pinned[0], 446);
  EXPECT_EQ(pinned[1], 50950504448);
  EXPECT_EQ(pageable[0], 4);
  EXPECT_EQ(pageable[1], 3136);
  EXPECT_EQ(pinned[2] + pageable[2], 1841630798);
  EXPECT_EQ(copies.at({"DtoD", "device"}),
            (std::array<std::int64_t, 3>{450, 59368472576, 39203544}));
  EXPECT_EQ(copies.at({"DtoH", "pinned"})[1], 18);
}

TEST_F(NsysSamples, HealthyHasOnePercentIdle) {
  const Timeline timeline = Read("healthy_1pct.sqlite");
  ASSERT_EQ(timeline.devices.size(), 1U);
  const DeviceTime& device = timeline.devices[0];
  EXPECT_EQ(device.kernels, 400);
  EXPECT_EQ(device.orphans, 0);
  EXPECT_EQ(device.all.busy_ns, 400000000);
  EXPECT_EQ(device.all.span_ns, 403990000);
  EXPECT_EQ(device.communication_kernels, 0);
  ASSERT_EQ(trace_.recording.devices.size(), 1U);
  EXPECT_EQ(trace_.recording.devices[0].name, "NVIDIA H100 80GB HBM3");
}

}  // namespace
}  // namespace opscope::test
