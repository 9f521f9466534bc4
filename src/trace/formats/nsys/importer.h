// What the readers of the tables share: names, processes, threads, streams, and the trace they
// fill.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "trace/formats/nsys/database.h"
#include "trace/trace.h"

namespace opscope::nsys {

// StringIds: numbers instead of names.
class Names {
 public:
  explicit Names(StringPool& pool) : pool_(&pool) {}
  void Read(Database& database);
  // Str{0} when the number stands for nothing.
  Str Of(std::int64_t id) const;
  // The same without the version that the recorder hangs on: cudaLaunchKernel_v7000.
  Str OfCall(std::int64_t id);

 private:
  // Most numbers are small.
  static constexpr std::size_t kDense = 1 << 22;
  StringPool* pool_;
  std::vector<Str> dense_;
  std::unordered_map<std::int64_t, Str> sparse_;
  std::vector<Str> calls_;  // of dense_, as far as they were asked for
  std::unordered_map<std::int64_t, Str> far_calls_;
};

// A text of the file as it goes into the trace: bounded.
std::string_view Bounded(std::string_view text);

// globalTid and globalPid: machine, process (24 bits), thread (24 bits).
constexpr int kThreadBits = 24;
inline std::int64_t PidOf(std::int64_t global) { return (global >> kThreadBits) & 0xffffff; }
inline std::int64_t TidOf(std::int64_t global) { return global & 0xffffff; }
inline std::int64_t ProcessOf(std::int64_t global) { return global >> kThreadBits; }

class Importer {
 public:
  Importer(Database& database, Trace& trace, ImportLog& log);

  Database& database() { return *database_; }
  Names& names() { return names_; }
  Trace& trace() { return *trace_; }
  ImportLog& log() { return *log_; }

  void Add(Str name, TrackId track, EventKind kind, std::int64_t begin, std::int64_t end,
           std::int64_t correlation = -1, DeviceArgsId device = DeviceArgsId{});
  DeviceArgsId AddDeviceArgs(const DeviceArgs& args) { return builder_.AddDeviceArgs(args); }
  bool full() const { return trace_->size() >= kMostEvents; }

  // kThread, or kRanges of the same thread.
  TrackId Thread(TrackKind kind, std::int64_t global_tid);
  // A stream's number is unique in its process only: a second process gets a track of its own.
  TrackId Stream(std::int64_t device, std::int64_t stream, std::int64_t global_pid);
  // The GPU that this process calls `device` (CUDA_VISIBLE_DEVICES renumbers).
  std::int64_t Gpu(std::int64_t device, std::int64_t global_pid) const;
  void MapGpu(std::int64_t pid, std::int64_t device, std::int64_t gpu);

  // The number that joins a call to its work. `correlation` is unique in its process only.
  std::int64_t JoinOfCall(std::int64_t correlation, std::int64_t global_tid);
  std::int64_t JoinOfWork(std::int64_t correlation, std::int64_t global_pid);

  void NameThread(std::int64_t global_tid, Str name);
  // Names tracks. After the last event.
  void Finish();

  std::int64_t last_end() const { return last_end_; }

 private:
  static constexpr std::size_t kMostEvents = 0xfffffff0U;

  std::int64_t Join(std::int64_t correlation, std::int64_t process) const;

  Database* database_;
  Trace* trace_;
  ImportLog* log_;
  TraceBuilder builder_;
  Names names_;
  std::int64_t last_end_ = kNone;
  std::int64_t last_thread_ = kNone;
  TrackKind last_kind_ = TrackKind::kThread;
  TrackId last_track_;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> last_stream_{kNone, kNone, kNone};
  TrackId last_stream_track_;
  std::map<std::int64_t, std::int64_t> processes_;  // with calls -> 0, 1, 2 …
  std::int64_t last_process_ = kNone, last_process_number_ = 0;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, TrackId> streams_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sharers_;  // of (device, stream)
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpus_;     // (pid, device) -> GPU
  std::unordered_map<std::int64_t, Str> thread_names_;  // globalTid without the machine
};

// One file each: calls.cpp, device_work.cpp, ranges.cpp, recording.cpp.
void ReadCalls(Importer& importer);       // first: it tells which processes there are
void ReadDeviceWork(Importer& importer);  // behind ReadRecording, which maps devices
void ReadRanges(Importer& importer);      // last: open ranges end with the last event
void ReadRecording(Importer& importer);

}  // namespace opscope::nsys
