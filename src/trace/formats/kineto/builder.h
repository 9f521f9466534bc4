// Turns raw events into the events of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/import_log.h"
#include "trace/formats/chrome/raw_event.h"
#include "trace/trace.h"

namespace opscope::kineto {

class Builder {
 public:
  // `records`: Trace::record is filled.
  Builder(Trace& trace, ImportLog& log, bool records = false);

  void Add(const chrome::RawEvents& batch);
  // Pairs, names, links, sorting and nesting. Call once, after the last event.
  void Finish();

 private:
  enum class Role : std::uint8_t { kUnknown, kHost, kDevice, kIgnored };
  struct Category {
    Role role = Role::kUnknown;
    EventKind kind = EventKind::kOp;
  };
  // Half of a pair: "B" … "E", or "s" … "f" of an arrow.
  struct Mark {
    std::int64_t at = 0, id = 0;
    TrackId track;
    Str name{0}, category{0};
    bool begin = false;
  };

  void AddOne(const chrome::RawEvent& event, const chrome::RawArgs* args);
  void AddComplete(const chrome::RawEvent& event, const chrome::RawArgs* args);
  void AddMark(const chrome::RawEvent& event);
  void AddArrow(const chrome::RawEvent& event);
  void AddMemory(const chrome::RawEvent& event, const chrome::RawArgs* args);
  void AddName(const chrome::RawEvent& event, const chrome::RawArgs* args);
  void Insert(Str name, TrackId track, EventKind kind, std::int64_t begin, std::int64_t duration,
              std::int64_t correlation, DeviceArgsId device);

  const Category& CategoryOf(Str category);
  bool IsOldKernel(const chrome::RawEvent& event) const;
  TrackId TrackOf(const chrome::RawEvent& event, const chrome::RawArgs* args, Role role);
  TrackId Track(TrackKind kind, std::int64_t pid, std::int64_t tid);
  DeviceArgsId DeviceOf(const chrome::RawArgs& args, EventKind kind);
  std::int64_t Number(std::int64_t number, Str text) const;

  void PairMarks();
  void ResolveArrows();
  void TieOldKernels();
  void NameTracks();

  Trace* trace_;
  TraceBuilder builder_;
  ImportLog* log_;
  bool records_;
  std::vector<Category> categories_;  // by Str
  std::vector<Mark> marks_, arrows_, old_launches_;
  std::map<std::pair<std::int64_t, std::int64_t>, Str> thread_names_;
  TrackKind last_kind_ = TrackKind::kThread;
  std::int64_t last_pid_ = 0, last_tid_ = 0;
  TrackId last_track_;
};

}  // namespace opscope::kineto
