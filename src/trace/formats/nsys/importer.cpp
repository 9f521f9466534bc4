#include "trace/formats/nsys/importer.h"

#include <algorithm>

#include "base/text.h"

namespace opscope::nsys {

namespace {

std::int64_t ThreadKey(std::int64_t pid, std::int64_t tid) { return pid << kThreadBits | tid; }

// cudaMemcpyAsync_v3020 -> cudaMemcpyAsync; cuMemAlloc_v2 is a name.
std::string_view WithoutVersion(std::string_view call) {
  constexpr std::size_t kLeastDigits = 4;
  const std::size_t digits = call.size() - 1 - call.find_last_not_of("0123456789");
  if (call.empty() || digits < kLeastDigits || digits + 2 > call.size()) return call;
  const std::string_view name = call.substr(0, call.size() - digits);
  return name.ends_with("_v") ? name.substr(0, name.size() - 2) : call;
}

}  // namespace

std::string_view Bounded(std::string_view text) {
  // Templates have long names; the output of a program, which stands among them, is longer still.
  constexpr std::size_t kMost = 16 << 10;
  return text.substr(0, kMost);
}

void Names::Read(Database& database) {
  database.ForEach("StringIds", {"id", "value"}, [&](const Row& row) {
    const std::int64_t id = row.Integer(0);
    if (id == kNone) return;
    const Str name = pool_->Intern(Bounded(row.Text(1)));
    if (id < 0 || id >= static_cast<std::int64_t>(kDense)) {
      sparse_[id] = name;
      return;
    }
    const auto index = static_cast<std::size_t>(id);
    if (index >= dense_.size()) dense_.resize(std::max(index + 1, dense_.size() * 2), Str{0});
    dense_[index] = name;
  });
}

Str Names::Of(std::int64_t id) const {
  if (id >= 0 && static_cast<std::size_t>(id) < dense_.size())
    return dense_[static_cast<std::size_t>(id)];
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? Str{0} : found->second;
}

Str Names::OfCall(std::int64_t id) {
  if (calls_.size() < dense_.size()) calls_.resize(dense_.size());
  const bool dense = id >= 0 && static_cast<std::size_t>(id) < calls_.size();
  Str& name = dense ? calls_[static_cast<std::size_t>(id)] : far_calls_[id];
  if (!name.valid()) name = pool_->Intern(WithoutVersion(pool_->View(Of(id))));
  return name;
}

Importer::Importer(Database& database, Trace& trace, ImportLog& log)
    : database_(&database), trace_(&trace), log_(&log), builder_(trace), names_(trace.strings) {
  // A row takes some 60 bytes of a file; memory is used as it fills.
  constexpr std::uint64_t kBytesARow = 60, kMost = 64 << 20;
  builder_.Reserve(static_cast<std::size_t>(std::min(trace.bytes / kBytesARow, kMost)));
  names_.Read(database);
}

void Importer::Add(Str name, TrackId track, EventKind kind, std::int64_t begin, std::int64_t end,
                   std::int64_t correlation, DeviceArgsId device) {
  if (full()) {
    log_->Add("trace.too-many-events", Severity::kLoss, "", "events beyond 2^32 are left out");
    return;
  }
  // In unsigned: what overflows here is refused there.
  const auto duration = static_cast<std::int64_t>(static_cast<std::uint64_t>(end) -
                                                  static_cast<std::uint64_t>(begin));
  const bool known = begin != kNone && end != kNone && end >= begin;
  if (known && builder_.AddEvent(name, track, kind, begin, duration, correlation, device)) {
    last_end_ = std::max(last_end_, end);
    return;
  }
  log_->Add("trace.bad-time", Severity::kLoss, Printable(trace_->text(name)),
            "an event without a time, or with a negative or impossible duration, is left out");
}

TrackId Importer::Thread(TrackKind kind, std::int64_t global_tid) {
  if (last_track_.valid() && kind == last_kind_ && global_tid == last_thread_) return last_track_;
  last_kind_ = kind;
  last_thread_ = global_tid;
  const std::int64_t thread = global_tid == kNone ? 0 : global_tid;
  last_track_ = builder_.AddTrack(kind, PidOf(thread), TidOf(thread));
  return last_track_;
}

TrackId Importer::Stream(std::int64_t device, std::int64_t stream, std::int64_t global_pid) {
  const std::tuple key(device, stream, global_pid == kNone ? kNone : ProcessOf(global_pid));
  if (key == last_stream_) return last_stream_track_;
  const auto [place, is_new] = streams_.try_emplace(key);
  if (is_new) {
    constexpr int kStreamBits = 32;
    const std::int64_t sharer = sharers_[{device, stream}]++;
    place->second = builder_.AddTrack(
        TrackKind::kStream, device,
        static_cast<std::int64_t>(static_cast<std::uint64_t>(stream) +
                                  (static_cast<std::uint64_t>(sharer) << kStreamBits)));
    if (sharer > 0)
      log_->Add("nsys.shared-device", Severity::kNotice, "device " + std::to_string(device),
                "several processes used one device: their streams are kept apart, busy and idle "
                "time are those of the device");
  }
  last_stream_ = key;
  last_stream_track_ = place->second;
  return place->second;
}

std::int64_t Importer::Gpu(std::int64_t device, std::int64_t global_pid) const {
  if (gpus_.empty() || global_pid == kNone) return device;
  const auto found = gpus_.find({PidOf(global_pid), device});
  return found == gpus_.end() ? device : found->second;
}

void Importer::MapGpu(std::int64_t pid, std::int64_t device, std::int64_t gpu) {
  gpus_[{pid, device}] = gpu;
}

std::int64_t Importer::Join(std::int64_t correlation, std::int64_t process) const {
  constexpr int kCorrelationBits = 32;  // CUPTI counts in 32 bits
  if (correlation < 0 || correlation >> kCorrelationBits != 0) return -1;
  return process << kCorrelationBits | correlation;
}

std::int64_t Importer::JoinOfCall(std::int64_t correlation, std::int64_t global_tid) {
  const std::int64_t process = global_tid == kNone ? kNone : ProcessOf(global_tid);
  if (processes_.empty() || process != last_process_) {
    last_process_ = process;
    last_process_number_ =
        processes_.try_emplace(process, static_cast<std::int64_t>(processes_.size())).first->second;
  }
  return Join(correlation, last_process_number_);
}

std::int64_t Importer::JoinOfWork(std::int64_t correlation, std::int64_t global_pid) {
  if (global_pid == kNone) {
    if (processes_.size() == 1) return Join(correlation, 0);
    if (processes_.size() > 1)
      log_->Add("nsys.no-process", Severity::kLoss, "",
                "device work does not say of which of several processes it is: its launches are "
                "unknown");
    return -1;
  }
  const auto found = processes_.find(ProcessOf(global_pid));
  return found == processes_.end() ? -1 : Join(correlation, found->second);
}

void Importer::NameThread(std::int64_t global_tid, Str name) {
  if (global_tid != kNone && name.value != 0)
    thread_names_[ThreadKey(PidOf(global_tid), TidOf(global_tid))] = name;
}

void Importer::Finish() {
  for (Track& track : trace_->tracks) {
    const auto name = thread_names_.find(ThreadKey(track.pid, track.tid));
    if (track.kind != TrackKind::kStream && name != thread_names_.end()) track.name = name->second;
  }
}

}  // namespace opscope::nsys
