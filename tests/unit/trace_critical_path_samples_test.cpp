// labels: samples
// Graph and path of genuine traces as HolisticTraceAnalysis counts them (its test asserts the first
// row), in integer nanoseconds.
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>

#include "base/check.h"
#include "trace/critical_path.h"
#include "trace/formats/format.h"

namespace opscope::test {
namespace {

const std::string kTorch = OPSCOPE_SAMPLES_DIR "/torch/";

struct Known {
  const char *file, *window;
  std::size_t which;
  std::int64_t graph_nodes, graph_edges, path_nodes, path_edges, path_events;
  std::int64_t cpu, device, launch, wait;
};

std::int64_t PartOf(const CriticalPath& path, PathPart part) {
  return path.parts[static_cast<std::size_t>(part)];
}

TEST(CriticalPathSamples, GraphAndPathToTheNanosecond) {
  if (!std::filesystem::exists(kTorch)) GTEST_SKIP() << "no samples beside the project";
  const Known kKnown[] = {
      {"hta-simple_add", "[param|pytorch.model.alex_net|0|0|0|measure|forward]", 1, 414, 415, 315,
       314, 159, 241190000, 508000, 17000, 9000},
      {"h100-Falconsai_nsfw_image_detection__1016002", "ProfilerStep", 0, 3592, 3590, 3280, 3279,
       1641, 4805550, 1505, 6480, 0},
      {"h100-gaunernst_bert-small-uncased__1016001", "ProfilerStep", 0, 1342, 1341, 1217, 1216, 610,
       2084352, 41280, 6538, 0},
      {"h100-Qwen_Qwen1.5-0.5B-Chat__1016005", "ProfilerStep", 0, 14610, 14609, 3074, 3073, 1538,
       1765580, 30253447, 6802, 1678825},
  };
  for (const Known& known : kKnown) {
    SCOPED_TRACE(known.file);
    auto source = Source::Open(kTorch + known.file + ".json.gz");
    ASSERT_TRUE(source.has_value());
    ImportLog log;
    auto trace = ReadTrace({*source, log});
    ASSERT_TRUE(trace.has_value());
    const auto window = FindWindow(*trace, known.window, known.which);
    ASSERT_TRUE(window.has_value());
    const auto path = FindCriticalPath(*trace, FindLaunches(*trace), *window);
    ASSERT_TRUE(path.has_value());
    EXPECT_EQ(path->graph_nodes, known.graph_nodes);
    EXPECT_EQ(path->graph_edges, known.graph_edges);
    EXPECT_EQ(path->path_nodes, known.path_nodes);
    EXPECT_EQ(path->path_edges, known.path_edges);
    EXPECT_EQ(path->path_events, known.path_events);
    EXPECT_EQ(PartOf(*path, PathPart::kCpu), known.cpu);
    EXPECT_EQ(PartOf(*path, PathPart::kKernel) + PartOf(*path, PathPart::kCopy), known.device);
    EXPECT_EQ(PartOf(*path, PathPart::kLaunch), known.launch);
    EXPECT_EQ(PartOf(*path, PathPart::kWait), known.wait);
    EXPECT_EQ(std::accumulate(path->parts.begin(), path->parts.end(), std::int64_t{0}), path->ns);
  }
}

}  // namespace
}  // namespace opscope::test
