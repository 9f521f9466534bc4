#include "trace/formats/chrome/fields.h"

#include <array>

#include "base/checked.h"
#include "base/decimal.h"

namespace opscope::chrome {

namespace {

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kMillion = 1'000'000;

constexpr ArgField Identity(std::string_view key, std::int64_t RawArgs::*number) {
  return {key, ArgKey::kIdentity, number, nullptr};
}

constexpr ArgField Number(std::string_view key, std::int64_t RawArgs::*number) {
  return {key, ArgKey::kNumber, number, nullptr};
}

// "External id" was "external id" in 2021.
constexpr std::array kArgFields = {
    Identity("correlation", &RawArgs::correlation),
    Identity("External id", &RawArgs::external_id),
    Identity("external id", &RawArgs::external_id),
    Identity("Record function id", &RawArgs::record),
    Number("device", &RawArgs::device),
    Number("stream", &RawArgs::stream),
    Number("context", &RawArgs::context),
    Number("bytes", &RawArgs::bytes),
    Number("Bytes", &RawArgs::bytes),
    Identity("Addr", &RawArgs::address),
    Number("Device Type", &RawArgs::device_type),
    Number("Device Id", &RawArgs::device_id),
    Number("Total Allocated", &RawArgs::total_allocated),
    Number("Total Reserved", &RawArgs::total_reserved),
    Number("wait_on_stream", &RawArgs::wait_stream),
    Identity("wait_on_cuda_event_record_corr_id", &RawArgs::wait_correlation),
    Number("registers per thread", &RawArgs::registers),
    Number("shared memory", &RawArgs::shared_memory),
    Number("est. achieved occupancy %", &RawArgs::occupancy_percent),
    Number("graph node id", &RawArgs::graph_node),
    Number("Group size", &RawArgs::group_size),
    ArgField{"blocks per SM", ArgKey::kMillionths, &RawArgs::blocks_per_sm_millionths, nullptr},
    ArgField{"warps per SM", ArgKey::kMillionths, &RawArgs::warps_per_sm_millionths, nullptr},
    ArgField{"grid", ArgKey::kTriple, nullptr, &RawArgs::grid},
    ArgField{"block", ArgKey::kTriple, nullptr, &RawArgs::block},
    ArgField{"name", ArgKey::kLabel, nullptr, nullptr},
    ArgField{"labels", ArgKey::kLabel, nullptr, nullptr},
    ArgField{"cuda_sync_kind", ArgKey::kLabel, nullptr, nullptr},
    ArgField{"Collective name", ArgKey::kLabel, nullptr, nullptr},
};

// Where the fields of a length begin in the table sorted by length: a key is compared with the
// few that are as long.
struct ByLength {
  static constexpr std::size_t kLongest = 40;
  std::array<ArgField, kArgFields.size()> fields{};
  std::array<std::uint8_t, kLongest + 2> begin{};
};
constexpr ByLength kByLength = [] {
  ByLength out;
  std::size_t count = 0;
  for (std::size_t length = 0; length <= ByLength::kLongest; ++length) {
    out.begin[length] = static_cast<std::uint8_t>(count);
    for (const ArgField& field : kArgFields)
      if (field.key.size() == length) out.fields[count++] = field;
  }
  out.begin[ByLength::kLongest + 1] = static_cast<std::uint8_t>(count);
  return out;
}();

// Categories of which no argument is read; they are most of the events.
constexpr std::array<std::string_view, 11> kWithoutArgs = {
    "cpu_op", "Operator",  "python_function",  "user_annotation",     "fwdbwd", "ac2g",
    "async",  "async_gpu", "async_cpu_to_gpu", "gpu_user_annotation", "Trace"};

// Numbers of identifiers: exact where they fit 64 bits, else a hash, so that equal stays equal.
std::int64_t Identifier(std::string_view text) {
  if (const auto number = ParseIntegral(text)) return *number;
  std::uint64_t hash = 1469598103934665603ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<std::int64_t>(hash >> 1);
}

std::int64_t Time(std::string_view text) {
  const auto time = ParseDecimalTime(text, kMicrosecond);
  return time ? time->value : kAbsent;
}

}  // namespace

Key KeyOf(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return Key::kPhase;
      if (key == "ts") return Key::kTime;
      if (key == "id") return Key::kId;
      break;
    case 3:
      if (key == "cat") return Key::kCategory;
      if (key == "pid") return Key::kPid;
      if (key == "tid") return Key::kTid;
      if (key == "dur") return Key::kDuration;
      break;
    case 4:
      if (key == "name") return Key::kName;
      if (key == "args") return Key::kArgs;
      break;
    default:
      break;
  }
  return Key::kOther;
}

const ArgField* FindArg(std::string_view key) {
  if (key.size() > ByLength::kLongest) return nullptr;
  const std::size_t end = kByLength.begin[key.size() + 1];
  for (std::size_t i = kByLength.begin[key.size()]; i < end; ++i)
    if (kByLength.fields[i].key == key) return &kByLength.fields[i];
  return nullptr;
}

void Fields::TakeNewStrings(std::vector<std::string_view>& out) {
  out.clear();
  for (; taken_ < strings_.size(); ++taken_)
    out.push_back(strings_.View(Str{static_cast<std::uint32_t>(taken_)}));
}

// Neighbours repeat names and categories more often than not.
Str Fields::Intern(std::string_view text) {
  if (strings_.View(last_category_) == text) return last_category_;
  if (strings_.View(last_name_) == text) return last_name_;
  return strings_.Intern(text);
}

void Fields::SetIdentity(std::string_view text, bool is_string, std::int64_t& number, Str& name) {
  // "25738" in quotes is a number as well (2021).
  const auto value = ParseIntegral(text);
  number = value.value_or(0);
  name = !value && (is_string || !text.empty()) ? strings_.Intern(text) : Str{0};
}

void Fields::Set(Key key, std::string_view text, bool is_string, RawEvent& event) {
  switch (key) {
    case Key::kPhase:
      event.phase = text.empty() ? '\0' : text.front();
      break;
    case Key::kCategory:
      event.category = last_category_ = Intern(text);
      break;
    case Key::kName:
      event.name = last_name_ = Intern(text);
      break;
    case Key::kPid:
      SetIdentity(text, is_string, event.pid, event.pid_text);
      break;
    case Key::kTid:
      SetIdentity(text, is_string, event.tid, event.tid_text);
      break;
    case Key::kTime:
      event.begin_ns = Time(text);
      break;
    case Key::kDuration:
      event.duration_ns = Time(text);
      break;
    case Key::kId:
      event.id = Identifier(text);
      break;
    case Key::kArgs:
    case Key::kOther:
      break;
  }
}

bool Fields::NeedsArgs(const RawEvent& event) {
  if (event.category.value == 0) return true;
  if (needs_.size() <= event.category.index()) needs_.resize(event.category.index() + 1);
  std::uint8_t& needs = needs_[event.category.index()];
  if (needs == 0) {
    needs = 2;
    const std::string_view text = strings_.View(event.category);
    const bool op = text == "cpu_op" || text == "Operator" || text == "user_annotation";
    for (const std::string_view category : kWithoutArgs)
      if (text == category && !(op && of_ops_)) needs = 1;
  }
  return needs == 2;
}

RawArgs& Fields::ArgsOf(RawEvent& event) {
  if (event.args == kNoArgs) {
    event.args = static_cast<std::uint32_t>(out_->args.size());
    out_->args.emplace_back();
  }
  return out_->args[event.args];
}

void Fields::SetArg(const ArgField& field, std::string_view text, RawArgs& args) {
  switch (field.kind) {
    case ArgKey::kIdentity:
      args.*field.number = Identifier(text);
      break;
    case ArgKey::kNumber:
      if (const auto value = ParseIntegral(text)) args.*field.number = *value;
      break;
    case ArgKey::kMillionths:
      if (const auto value = ParseDecimalTime(text, kMillion)) args.*field.number = value->value;
      break;
    case ArgKey::kLabel:
      args.label = strings_.Intern(text);
      break;
    case ArgKey::kTriple:
    case ArgKey::kOther:
      break;
  }
}

void Fields::SetTriple(const ArgField& field, std::size_t index, std::string_view text,
                       RawArgs& args) {
  if (field.kind != ArgKey::kTriple || index >= 3) return;
  if (const auto value = ParseIntegral(text)) (args.*field.triple)[index] = *value;
}

}  // namespace opscope::chrome
