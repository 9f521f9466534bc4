// Reports of `nsys stats`, in every form it prints.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/source.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope {
namespace {

class NsysStats : public testing::Test {
 protected:
  Trace Read(std::string text) {
    log_ = {};
    Source source = Source::FromBytes("report", std::move(text));
    Result<Trace> trace = ReadTrace({source, log_, 1});
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    return trace.has_value() ? std::move(*trace) : Trace();
  }
  std::vector<std::string> Issues() const {
    std::vector<std::string> codes;
    for (const ImportIssue& issue : log_.issues()) codes.push_back(issue.code);
    return codes;
  }
  // "kernel gemm 2 3000": kind, name, calls, time on the device or else on threads.
  static std::vector<std::string> Sums(const Trace& trace) {
    std::vector<std::string> out;
    for (const SumRow& row : trace.sums) {
      const auto ns = row.self_device_ns ? row.self_device_ns : row.cpu_ns;
      out.push_back(std::string(Name(row.kind)) + " " + std::string(trace.text(row.name)) + " " +
                    std::to_string(row.calls) + " " + (ns ? std::to_string(*ns) : "-"));
    }
    return out;
  }
  using Texts = std::vector<std::string>;

  ImportLog log_;
};

const std::string kKernels =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "75.0,3000,2,1500.0,1500.0,1000,2000,500.0,\"void gemm<float, 4>(int)\"\n"
    "25.0,1000,1,1000.0,1000.0,1000,1000,0.0,relu\n";

TEST_F(NsysStats, JsonSaysWhatSeparatedTextSays) {
  const Trace csv = Read(kKernels);
  const Trace json = Read(
      "Processing [run.sqlite] with [/opt/reports/cuda_gpu_kern_sum.py]... \n\n[\n  {\n"
      "    \"Time (%)\": 75.0,\n    \"Total Time (ns)\": 3000,\n    \"Instances\": 2,\n"
      "    \"Avg (ns)\": 1500.0,\n    \"Med (ns)\": 1500.0,\n    \"Min (ns)\": 1000,\n"
      "    \"Max (ns)\": 2000,\n    \"StdDev (ns)\": 500.0,\n    \"Name\": \"void gemm<float, "
      "4>(int)\"\n"
      "  },\n  {\"Time (%)\": 25.0, \"Total Time (ns)\": 1000, \"Instances\": 1, \"Avg (ns)\": "
      "1000.0, "
      "\"Med (ns)\": 1000.0, \"Min (ns)\": 1000, \"Max (ns)\": 1000, \"StdDev (ns)\": 0.0, "
      "\"Name\": \"relu\"}\n]\n");
  EXPECT_EQ(json.format, "nsys-stats");
  EXPECT_EQ(Sums(json), Sums(csv));
  EXPECT_EQ(Sums(json), (Texts{"kernel void gemm<float, 4>(int) 2 3000", "kernel relu 1 1000"}));
  EXPECT_EQ(json.sums[0].shortest_ns, 1000);
  EXPECT_EQ(json.sums[0].longest_ns, 2000);
  EXPECT_TRUE(Issues().empty());
}

TEST_F(NsysStats, SeveralListsAndACutOne) {
  const std::string api =
      "[{\"Time (%)\": 90.0, \"Total Time (us)\": 9.5, \"Num Calls\": 3, \"Name\": "
      "\"cudaLaunchKernel\"}]\n";
  const Trace both = Read(api +
                          "\n[{\"Time (%)\": 1, \"Total Time (ns)\": 5, \"Num Calls\": 1, "
                          "\"Name\": \"poll\"},{\"Time (%)\": 1, \"Total Ti");
  EXPECT_EQ(Sums(both), (Texts{"api cudaLaunchKernel 3 9500", "system call poll 1 5"}));
  EXPECT_EQ(Issues(), Texts{"trace.cut"});
}

const std::string kExecutions =
    "PID,TID,DevId,Count,QCount,TAvg (ns),TMed (ns),TMin (ns),TMax (ns),TStdDev (ns),AAvg (ns),"
    "AMed (ns),AMin (ns),AMax (ns),AStdDev (ns),QAvg (ns),QMed (ns),QMin (ns),QMax (ns),"
    "QStdDev (ns),KAvg (ns),KMed (ns),KMin (ns),KMax (ns),KStdDev (ns),API Name,Kernel Name\n"
    "5,6,0,3,2,9000.5,9000.0,8000,9900,1.0,4000.3,4000.0,3000,5000,1.0,10.0,10.0,5,15,1.0,1333.3,"
    "1000.0,1000,2000,1.0,cudaLaunchKernel,\"void gemm<float, 4>(int)\"\n";

// Averages are printed to a tenth: 3 times 1,333.3 ns are 3,999.9.
TEST_F(NsysStats, ExecutionsGiveKernelsAndCallsByTheirAverages) {
  const Trace alone = Read(kExecutions);
  EXPECT_EQ(Sums(alone),
            (Texts{"kernel void gemm<float, 4>(int) 3 4000", "api cudaLaunchKernel 3 12001"}));
  EXPECT_EQ(alone.sums[0].shortest_ns, 1000);
  EXPECT_EQ(alone.sums[1].longest_ns, 5000);
  EXPECT_EQ(Issues(), Texts{"nsys-stats.averages"});
  // Beside the sums themselves they are not counted again.
  const Trace both = Read(kKernels + "\n" + kExecutions);
  EXPECT_EQ(Sums(both), (Texts{"kernel void gemm<float, 4>(int) 2 3000", "kernel relu 1 1000",
                               "api cudaLaunchKernel 3 12001"}));
}

TEST_F(NsysStats, KernelsOfRangesAreDeviceTimeOfRanges) {
  Trace trace = Read(
      "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),"
      "Max (ns),StdDev (ns),Kernel Name\n"
      "forward,PushPop,5,6,2,4,6001,1500.3,1500.0,1000,2000,1.0,gemm\n"
      "forward,PushPop,5,6,2,2,100,50.0,50.0,50,50,0.0,relu\n"
      "forward,PushPop,5,7,1,1,10,10.0,10.0,10,10,0.0,relu\n");
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_EQ(timeline.sums.ranges.size(), 1U);
  EXPECT_EQ(timeline.sums.ranges[0].calls, 3);  // of two threads
  EXPECT_EQ(timeline.sums.ranges[0].device_ns, 6111);
  EXPECT_FALSE(timeline.sums.ranges[0].cpu_ns);
  EXPECT_TRUE(timeline.sums.kernels.empty());  // one in two ranges would count twice
  EXPECT_TRUE(Issues().empty());
}

TEST_F(NsysStats, CategoriesTellKernelsCopiesAndCallsApart) {
  const Trace trace = Read(
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
      "Category,Operation\n"
      "60.0,600,3,200.0,200.0,100,300,1.0,CUDA_API,cudaLaunchKernel\n"
      "30.0,300,3,100.0,100.0,50,150,1.0,CUDA_KERNEL,gemm\n"
      "10.0,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n");
  EXPECT_EQ(Sums(trace),
            (Texts{"api cudaLaunchKernel 3 600", "kernel gemm 3 300", "copy Memcpy HtoD 1 100"}));
  EXPECT_TRUE(Issues().empty());
}

// Two copies of one name and number: each size finds a time of its own.
TEST_F(NsysStats, TimesAndSizesOfCopiesMeet) {
  const Trace trace = Read(
      "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n"
      "0.004,1,0.004,0.004,0.004,0.004,0.000,[CUDA memcpy HtoD]\n"
      "0.008,2,0.004,0.004,0.004,0.004,0.000,[CUDA memset]\n\n"
      "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
      "90.0,2000,1,2000.0,2000.0,2000,2000,0.0,[CUDA memcpy Host-to-Device]\n"
      "10.0,200,2,100.0,100.0,100,100,0.0,[CUDA memset]\n");
  EXPECT_EQ(Sums(trace), (Texts{"copy Memcpy HtoD 1 2000", "memset Memset 2 200"}));
  EXPECT_EQ(trace.sums[0].bytes, 4000);
  EXPECT_EQ(trace.sums[1].bytes, 8000);
}

TEST_F(NsysStats, OtherReportsAreNamed) {
  const Trace trace = Read(kKernels +
                           "\nTime (%),Total Time (ns),Count,Avg (ns),Virtual Address\n"
                           "50.0,10,1,10.0,0x7f\n");
  EXPECT_EQ(trace.sums.size(), 2U);
  EXPECT_EQ(Issues(), Texts{"nsys-stats.other-report"});
}

}  // namespace
}  // namespace opscope
