// Exports of Nsight Systems, made here: every schema, several processes, damage, hostile schemas.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/database.h"
#include "trace/formats/format.h"
#include "trace/timeline.h"

namespace opscope::test {
namespace {

constexpr std::int64_t Global(std::int64_t pid, std::int64_t tid) {
  return std::int64_t{1} << 48 | pid << 24 | tid;
}
std::string Text(std::int64_t value) { return std::to_string(value); }

const std::string kNames =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1,'gemm'),(2,'void gemm<float>(float*)'),"
    "(3,'cudaLaunchKernel_v7000'),(4,'registered'),(900000000,'far'),(5,'cuMemAlloc_v2');";
const std::string kCalls =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, \"end\" INT, globalTid INT, "
    "correlationId INT, nameId INT);";
const std::string kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, \"end\" INT, deviceId INT, streamId INT, "
    "globalPid INT, correlationId INT, demangledName INT, shortName INT);";
const std::string kCopies =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, \"end\" INT, deviceId INT, streamId INT, "
    "globalPid INT, correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);";
const std::string kRanges =
    "CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, eventType INT, globalTid INT, text TEXT, "
    "textId INT, domainId INT);";

std::string Call(std::int64_t begin, std::int64_t end, std::int64_t pid, std::int64_t correlation) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + Text(begin) + "," + Text(end) + "," +
         Text(Global(pid, pid)) + "," + Text(correlation) + ",3);";
}
std::string Kernel(std::int64_t begin, std::int64_t end, std::int64_t device, std::int64_t pid,
                   std::int64_t correlation) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + Text(begin) + "," + Text(end) + "," +
         Text(device) + ",7," + Text(Global(pid, 0)) + "," + Text(correlation) + ",2,1);";
}
// `rest`: text, textId, domainId.
std::string Range(std::int64_t begin, const std::string& end, int type, const std::string& rest) {
  return "INSERT INTO NVTX_EVENTS VALUES(" + Text(begin) + "," + end + "," + Text(type) + "," +
         Text(Global(5, 5)) + "," + rest + ");";
}

class NsysRead : public testing::Test {
 protected:
  Result<Trace> TryBytes(std::string bytes) {
    log_ = {};
    Source source = Source::FromBytes("run.sqlite", std::move(bytes));
    return ReadTrace({source, log_});
  }
  Trace Read(const std::string& sql) {
    auto trace = TryBytes(MakeDatabase(sql));
    if (!trace.has_value()) ADD_FAILURE() << trace.error().message;
    return trace.has_value() ? std::move(*trace) : Trace();
  }
  std::map<std::string, std::int64_t> Issues() const {
    std::map<std::string, std::int64_t> issues;
    for (const ImportIssue& issue : log_.issues()) issues[issue.code] = issue.count;
    return issues;
  }
  static std::vector<std::string> NamesOf(const Trace& trace, EventKind kind) {
    std::vector<std::string> names;
    for (std::uint32_t event = 0; event < trace.size(); ++event)
      if (trace.kind[event] == kind) names.emplace_back(trace.name_of(event));
    std::sort(names.begin(), names.end());
    return names;
  }

  ImportLog log_;
};

TEST_F(NsysRead, ColumnsAreFoundByNameWhateverTheirOrder) {
  const Trace trace = Read(
      kNames + kCalls + Call(0, 10, 5, 1) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(shortName INT, tensorSizeMinusOneElements TEXT, "
      "gridZ INT, gridY INT, gridX INT, registersPerThread INT, staticSharedMemory INT, "
      "dynamicSharedMemory INT, blockX INT, blockY INT, blockZ INT, correlationId INT, globalPid "
      "INT, contextId INT, streamId INT, deviceId INT, \"end\" INT, start INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,'[]',1,4,50,32,100,28,256,1,1,1," +
      Text(Global(5, 0)) + ",3,7,2,30,20);");
  ASSERT_EQ(trace.size(), 2U);
  const auto work = FindLaunches(trace);
  ASSERT_EQ(work.size(), 1U);
  EXPECT_TRUE(work[0].call.valid());
  EXPECT_EQ(trace.name_of(work[0].event), "gemm");
  EXPECT_EQ(trace.name_of(work[0].call.index()), "cudaLaunchKernel");
  const DeviceArgs& args = *trace.device_of(work[0].event);
  EXPECT_EQ(args.grid, (std::array<std::int32_t, 3>{50, 4, 1}));
  EXPECT_EQ(args.block, (std::array<std::int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(args.registers, 32);
  EXPECT_EQ(args.shared_memory, 128);
  EXPECT_EQ(args.device, 2);
  EXPECT_EQ(args.context, 3);
  EXPECT_TRUE(Issues().empty());
}

TEST_F(NsysRead, EqualCorrelationsOfTwoProcessesAreApart) {
  const Trace trace =
      Read(kNames + kCalls + kKernels + Call(0, 10, 5, 1) + Call(100, 110, 6, 1) +
           Kernel(20, 30, 0, 5, 1) + Kernel(120, 130, 1, 6, 1) + Kernel(140, 150, 1, 7, 1));
  const auto work = FindLaunches(trace);
  ASSERT_EQ(work.size(), 3U);
  EXPECT_EQ(trace.begin[work[0].call.index()], 0);
  EXPECT_EQ(trace.begin[work[1].call.index()], 100);
  EXPECT_FALSE(work[2].call.valid());  // of a process without calls
}

TEST_F(NsysRead, WorkThatNamesNoProcessIsLinkedOnlyWhereThereIsOne) {
  const std::string kernels =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, \"end\" INT, deviceId INT, streamId INT, "
      "correlationId INT, shortName INT);INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
      "VALUES(20,30,0,7,1,1);";
  const Trace one = Read(kNames + kCalls + kernels + Call(0, 10, 5, 1));
  EXPECT_TRUE(FindLaunches(one)[0].call.valid());
  const Trace two = Read(kNames + kCalls + kernels + Call(0, 10, 5, 1) + Call(0, 10, 6, 1));
  EXPECT_FALSE(FindLaunches(two)[0].call.valid());
  EXPECT_EQ(Issues(), (std::map<std::string, std::int64_t>{{"nsys.no-process", 1}}));
}

TEST_F(NsysRead, ProcessesThatShareADeviceHaveStreamsOfTheirOwn) {
  Trace trace = Read(kNames + kKernels + Kernel(0, 100, 0, 5, 1) + Kernel(50, 150, 0, 6, 1));
  EXPECT_EQ(trace.tracks.size(), 2U);
  const Timeline timeline = BuildTimeline(trace);
  ASSERT_EQ(timeline.devices.size(), 1U);
  EXPECT_EQ(timeline.devices[0].all.busy_ns, 150);
  EXPECT_EQ(Issues(), (std::map<std::string, std::int64_t>{{"nsys.shared-device", 1}}));
}

TEST_F(NsysRead, DevicesAreThoseOfTheMachine) {
  const Trace trace = Read(
      kNames + kKernels + Kernel(0, 100, 0, 5, 1) + Kernel(0, 100, 0, 6, 1) +
      "CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT, smCount INT);"
      "INSERT INTO TARGET_INFO_GPU VALUES(0,'A',80),(3,'B',NULL);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INT, cudaId INT, pid INT, numMultiprocessors "
      "INT);INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0,0,5,80),(3,0,6,132);");
  ASSERT_EQ(trace.tracks.size(), 2U);
  EXPECT_EQ(trace.tracks[0].pid, 0);
  EXPECT_EQ(trace.tracks[1].pid, 3);
  ASSERT_EQ(trace.recording.devices.size(), 2U);
  EXPECT_EQ(trace.recording.devices[1].multiprocessors, 132);
  EXPECT_TRUE(Issues().empty());
}

TEST_F(NsysRead, CopiesSayDirectionAndMemory) {
  Trace trace = Read(kNames + kCopies +
                     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(0,1,0,7,0,1,8,1,0,2),"
                     "(2,3,0,7,0,2,8,1,1,2),(4,5,0,7,0,3,8,2,2,1),(6,7,0,7,0,4,8,8,2,2),"
                     "(8,9,0,7,0,5,4096,11,NULL,NULL),(10,11,0,7,0,6,4096,12,4,2),"
                     "(12,13,0,7,0,7,NULL,1,NULL,NULL),(14,15,0,7,0,8,8,3,1,3);");
  std::map<std::string, std::int64_t> rows;
  for (const CopyRow& row : BuildTimeline(trace).copies)
    rows[row.kind + " " + row.memory] = row.bytes - row.unsized;
  EXPECT_EQ(rows, (std::map<std::string, std::int64_t>{{"HtoD pageable", 8},
                                                       {"HtoD pinned", 8},
                                                       {"DtoH pinned", 8},
                                                       {"DtoD device", 8},
                                                       {"HtoD managed", 4096},
                                                       {"DtoH managed", 4096},
                                                       {"HtoD unknown", -1},
                                                       {"HtoA pinned", 8}}));
}

TEST_F(NsysRead, RangesOfEveryKind) {
  const Trace trace =
      Read(kNames + kRanges + Range(0, "100", 59, "'outer',NULL,0") +
           Range(10, "20", 59, "'aten::view, op_id = 314290',NULL,0") +
           Range(30, "40", 59, "'aten::mm, seq = 12, sizes = [[2, 3], [3, 4]]',NULL,0") +
           Range(50, "60", 59, "'a, b',NULL,0") + Range(61, "62", 59, "NULL,4,0") +
           Range(64, "65", 59, "'AllReduce',NULL,2") + Range(-5, "-5", 75, "'NCCL',NULL,2") +
           Range(55, "500", 60, "'crosses',NULL,0") + Range(70, "NULL", 34, "'mark',NULL,0") +
           Range(80, "NULL", 60, "'open',NULL,0") + Range(0, "NULL", 33, "'category',NULL,0"));
  EXPECT_EQ(NamesOf(trace, EventKind::kOp), (std::vector<std::string>{"aten::mm", "aten::view"}));
  EXPECT_EQ(NamesOf(trace, EventKind::kAnnotation),
            (std::vector<std::string>{"NCCL:AllReduce", "a, b", "crosses", "mark", "open", "outer",
                                      "registered"}));
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const bool nests = trace.tracks[trace.track[event]].kind == TrackKind::kThread;
    EXPECT_EQ(nests && trace.name_of(event) != "outer", nests && trace.parent_of(event).valid());
    if (trace.name_of(event) == "open") {
      EXPECT_EQ(trace.end[event], 500);
    }
    if (trace.name_of(event) == "mark") {
      EXPECT_EQ(trace.duration(event), 0);
    }
  }
  EXPECT_EQ(Issues(), (std::map<std::string, std::int64_t>{{"nsys.open-range", 1}}));
}

TEST_F(NsysRead, WorkBelongsToTheInnermostRangeAndTheRestIsNamed) {
  Trace trace = Read(
      kNames + kCalls + kKernels + kRanges + Range(0, "100", 59, "'outer',NULL,0") +
      Range(40, "60", 59, "'inner',NULL,0") + Range(42, "50", 59, "'aten::mm, op_id = 1',NULL,0") +
      Range(0, "1000", 60, "'all',NULL,0") + Call(10, 12, 5, 1) + Call(44, 46, 5, 2) +
      Call(200, 210, 5, 3) + Kernel(1000, 1001, 0, 5, 1) + Kernel(1010, 1020, 0, 5, 2) +
      Kernel(1100, 1200, 0, 5, 3) + Kernel(2000, 3000, 0, 5, 4));
  const Timeline timeline = BuildTimeline(trace);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> rows;
  for (const RangeRow& row : timeline.ranges.rows)
    rows[std::string(trace.text(row.name))] = {row.kernels, row.device_ns};
  EXPECT_EQ(rows, (std::map<std::string, std::pair<std::int64_t, std::int64_t>>{
                      {"outer", {1, 1}}, {"inner", {1, 10}}, {"all", {0, 0}}}));
  EXPECT_EQ(timeline.ranges.unattributed.kernels, 2);
  EXPECT_EQ(timeline.ranges.unattributed.device_ns, 1100);
}

// What the system was asked and what the profiler cost stand beside the thread: they may cross its
// ranges, and are neither work nor time of a device.
TEST_F(NsysRead, SystemCallsAndOverheadStandBesideTheThread) {
  Trace trace = Read(
      kNames + kCalls + kKernels + Call(0, 100, 5, 1) + Kernel(200, 300, 0, 5, 1) +
      "INSERT INTO StringIds VALUES(10,'poll'),(11,'Buffer flush'),(12,'Activity buffer request');"
      "CREATE TABLE OSRT_API(start INT, \"end\" INT, globalTid INT, correlationId INT, nameId INT, "
      "returnValue INT, nestingLevel INT, callchainId INT);"
      "INSERT INTO OSRT_API VALUES(50,150," +
      Text(Global(5, 5)) + ",1,10,0,0,NULL),(160,170," + Text(Global(5, 9)) +
      ",2,10,0,0,NULL);"
      "CREATE TABLE PROFILER_OVERHEAD(start INT, \"end\" INT, globalTid INT, correlationId INT, "
      "nameId INT, returnValue INT);"
      "INSERT INTO PROFILER_OVERHEAD VALUES(90,400," +
      Text(Global(5, 5)) +
      ",3,11,0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD(start INT, \"end\" INT, globalTid INT, nameId "
      "INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES(500,510," +
      Text(Global(5, 5)) + ",12);");
  EXPECT_EQ(NamesOf(trace, EventKind::kSystem), (std::vector<std::string>{"poll", "poll"}));
  EXPECT_EQ(NamesOf(trace, EventKind::kOverhead),
            (std::vector<std::string>{"Activity buffer request", "Buffer flush"}));
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    const EventKind kind = trace.kind[event];
    const bool beside = kind == EventKind::kSystem || kind == EventKind::kOverhead;
    if (beside) EXPECT_EQ(trace.tracks[trace.track[event]].kind, TrackKind::kRanges);
  }
  const Timeline timeline = BuildTimeline(trace);
  EXPECT_EQ(timeline.devices.at(0).all.busy_ns, 100);
  EXPECT_EQ(timeline.threads.at(0).busy_ns, 100);  // the call alone
  EXPECT_EQ(timeline.last_ns, 300);                // overhead is the profiler's own time
  EXPECT_TRUE(Issues().empty());
}

// Rows from pages and rows from SQLite are the same: tables that pages cannot give are read by it
// from the first row, or from where the pages ended.
TEST_F(NsysRead, PagesAndSqliteAgree) {
  const auto rows = [](const std::string& columns) {
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300) INSERT INTO "
           "NVTX_EVENTS(start,\"end\",eventType,globalTid,text) SELECT i*10,i*10+5," +
           columns + ",'r'||i FROM n;";
  };
  const std::string plain =
      "CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, eventType INT, globalTid INT, text TEXT";
  const std::string fill = rows("59," + Text(Global(5, 5)));
  const std::vector<std::string> ways = {
      plain + ");" + fill,
      plain + ", extra INT DEFAULT 7);" + fill,
      plain + ", weight REAL);" + fill,
      plain + ", PRIMARY KEY(start)) WITHOUT ROWID;" + fill,
      plain + ", twice INT AS (start*2) VIRTUAL);" + fill,
      plain + ");" + fill + "ALTER TABLE NVTX_EVENTS ADD COLUMN category INT;",
      // A text longer than a page in the middle.
      plain + ");" + fill +
          "UPDATE NVTX_EVENTS SET text=(SELECT group_concat(text) FROM NVTX_EVENTS) WHERE "
          "start=1500;"
          "UPDATE NVTX_EVENTS SET text='r150' WHERE start=1510;",
      "PRAGMA encoding='UTF-16';" + plain + ");" + fill,
  };
  const Trace first = Read(ways.front());
  ASSERT_EQ(first.size(), 300U);
  for (const std::string& way : ways) {
    const Trace trace = Read(way);
    EXPECT_EQ(trace.begin, first.begin) << way;
    EXPECT_EQ(trace.end, first.end) << way;
    EXPECT_EQ(trace.name_of(299), "r300") << way;
    EXPECT_EQ(trace.name_of(10), "r11") << way;
    EXPECT_TRUE(Issues().empty()) << way;
  }
}

TEST_F(NsysRead, GraphsWithoutTheirKernelsAreOneRow) {
  const Trace trace =
      Read(kNames + kCalls + Call(0, 10, 5, 1) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INT, \"end\" INT, deviceId INT, "
           "streamId INT, globalPid INT, correlationId INT, graphId INT);INSERT INTO "
           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(20,90,0,7," +
           Text(Global(5, 0)) + ",1,12);");
  EXPECT_EQ(NamesOf(trace, EventKind::kKernel), std::vector<std::string>{"CUDA graph 12"});
  EXPECT_TRUE(FindLaunches(trace)[0].call.valid());
  EXPECT_EQ(Issues(), (std::map<std::string, std::int64_t>{{"nsys.whole-graphs", 1}}));
}

TEST_F(NsysRead, OddCellsCostTheirRowAndNoOther) {
  const Trace trace = Read(kNames + kCalls + Call(0, 10, 5, 1) +
                           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(NULL,10,1,1,3),"
                           "('noon',10,1,1,3),(20,10,1,1,3),(5,6,NULL,NULL,NULL),"
                           "(-9223372036854775807,9223372036854775807,1,1,3),"
                           "(7,8,1,'x',900000000),(9,x'00',1,99999999999,3);");
  EXPECT_EQ(trace.size(), 3U);
  EXPECT_EQ(NamesOf(trace, EventKind::kApi),
            (std::vector<std::string>{"", "cudaLaunchKernel", "far"}));
  EXPECT_EQ(Issues(), (std::map<std::string, std::int64_t>{{"trace.bad-time", 5}}));
}

TEST_F(NsysRead, OtherSchemasAreReadAndSaid) {
  const std::string meta = "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);";
  for (const auto& [version, notices] :
       {std::pair("3.20.2", 0), std::pair("3.25.0", 0), std::pair("3.26.0", 1),
        std::pair("3.9.1", 1), std::pair("4.21.0", 1), std::pair("soon", 1)}) {
    const Trace trace =
        Read(kNames + kCalls + Call(0, 10, 5, 1) + meta +
             "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','" + version + "');");
    EXPECT_EQ(trace.size(), 1U);
    EXPECT_EQ(Issues().count("nsys.schema"), static_cast<std::size_t>(notices)) << version;
  }
}

// Nothing of the schema is run: not a view in the place of a table, not a generated column.
TEST_F(NsysRead, SchemasAreDataNotPrograms) {
  const Trace trace = Read(
      kNames + kCalls + Call(0, 10, 5, 1) +
      "CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS \"end\", 59 AS eventType, 'x' AS text;"
      "CREATE VIRTUAL TABLE OSRT_API USING fts5(start, \"end\");"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INT, \"end\" INT, deviceId INT, bytes INT "
      "GENERATED ALWAYS AS (length(hex(zeroblob(100000000)))) VIRTUAL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(5,6,0);"
      "CREATE INDEX covering ON CUPTI_ACTIVITY_KIND_MEMSET(start, \"end\", deviceId);"
      "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END;");
  EXPECT_EQ(trace.size(), 2U);
  EXPECT_EQ(NamesOf(trace, EventKind::kAnnotation), std::vector<std::string>());
  EXPECT_TRUE(Issues().empty());
}

TEST_F(NsysRead, DatabasesOfOthersAreAnswered) {
  const auto message = [&](const std::string& sql) {
    const auto trace = TryBytes(MakeDatabase(sql));
    return trace.has_value() ? std::string("read") : trace.error().code + trace.error().message;
  };
  EXPECT_NE(message("CREATE TABLE StringTable(_id_ INT, value TEXT);").find("nvprof"),
            std::string::npos);
  EXPECT_NE(message("CREATE TABLE places(id INT);").find("without the tables of Nsight Systems"),
            std::string::npos);
  EXPECT_NE(message(kNames).find("--trace cuda,nvtx"), std::string::npos);
  EXPECT_NE(message(kNames + kCalls).find("--trace cuda,nvtx"), std::string::npos);
}

class NsysDamage : public NsysRead {
 protected:
  static std::string Rows(std::int64_t count) {
    return MakeDatabase(
        kNames + kCalls + kKernels +
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1<" + Text(count) +
        ") INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i*100,i*100+50," + Text(Global(5, 5)) +
        ",i,3 FROM n;WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1<" +
        Text(count) + ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i*100+60,i*100+90,0,7," +
        Text(Global(5, 0)) + ",i,2,1 FROM n;");
  }
};

TEST_F(NsysDamage, CutAnywhereKeepsWhatStandsBefore) {
  constexpr std::int64_t kRows = 1000;
  const std::string whole = Rows(kRows);
  const auto all = TryBytes(whole);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 2 * kRows);
  std::size_t last = 0, read = 0;
  for (std::size_t i = 1; i < 200; ++i) {
    const std::size_t cut = whole.size() * i / 200 + i % 7;
    const auto trace = TryBytes(whole.substr(0, cut));
    if (!trace.has_value()) {
      EXPECT_LT(cut, whole.size() / 10);  // only where the schema is cut
      continue;
    }
    ++read;
    EXPECT_EQ(trace->cut_at, cut);
    EXPECT_GE(Issues()["nsys.damaged"], 1);
    EXPECT_GE(trace->size() + 64, last) << cut;  // a page of rows more or less
    last = std::max(last, trace->size());
  }
  EXPECT_GT(read, 150U);
  // One lost page may be the parent of many.
  EXPECT_GT(last, static_cast<std::size_t>(2 * kRows * 3 / 4));
}

TEST_F(NsysDamage, ADamagedPageCostsItsRowsOnly) {
  constexpr std::int64_t kRows = 1000;
  std::string bytes = Rows(kRows);
  // A page in the middle of the calls.
  const std::size_t page = bytes.size() / 4 / 512 * 512;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 512, '\xff');
  const auto trace = TryBytes(bytes);
  ASSERT_TRUE(trace.has_value());
  EXPECT_GE(trace->size(), static_cast<std::size_t>(2 * kRows - 64));
  EXPECT_LT(trace->size(), static_cast<std::size_t>(2 * kRows));
  EXPECT_GE(Issues()["nsys.damaged"], 1);
}

TEST_F(NsysDamage, BeginningsThatAreNoneAreSaid) {
  std::string bytes = Rows(100);
  EXPECT_EQ(TryBytes(bytes.substr(0, 60)).error().code, "nsys.unreadable");
  std::fill_n(bytes.begin(), 100, '\0');
  const auto zeroed = TryBytes(bytes);
  ASSERT_FALSE(zeroed.has_value());
  EXPECT_NE(zeroed.error().message.find("the export was interrupted"), std::string::npos);
  EXPECT_NE(TryBytes(std::string(4096, '\0')).error().message.find("zero bytes"),
            std::string::npos);
  EXPECT_EQ(TryBytes("").error().code, "trace.empty");
}

// A file that was closed with a write-ahead log: SQLite itself would look for the log beside it.
TEST_F(NsysDamage, NothingIsLookedForBesideTheFile) {
  std::string bytes = Rows(100);
  bytes[18] = bytes[19] = 2;
  const auto trace = TryBytes(bytes);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->size(), 200U);
}

}  // namespace
}  // namespace opscope::test
